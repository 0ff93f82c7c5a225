// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr double kExact = 1e-17;

/// A table of two legs and a top, and a square under or on it.
PolytopeBody table() {
  PolytopeBody body;
  body.parts = {rectangle(-1, 0, -0.9L, 1), rectangle(0.9L, 0, 1, 1), rectangle(-1, 1, 1, 1.1L)};
  body.center = {0, 0.8L, 0};
  return body;
}

PolytopeBody square_at(Real x, Real y) {
  PolytopeBody body;
  body.parts = {rectangle(-0.2L, -0.2L, 0.2L, 0.2L)};
  body.pose.translation = {x, y, 0};
  return body;
}

TEST(PolytopePair, TheReachIsTheMarginAndWhatTheMotionCovers) {
  PolytopeBody a = square_at(0, 0.5L), b = table();
  const Real radius_a = 0.2L * std::sqrt(2.0L), radius_b = std::sqrt(1.64L);
  PairSettings settings;
  const RelationRange still = range_of(a, 0, b, 0, settings);
  EXPECT_NEAR(static_cast<double>(still.reach - 0.02L * radius_a), 0, kExact);
  EXPECT_NEAR(static_cast<double>(still.tolerance - 1e-6L * radius_a), 0, kExact);
  EXPECT_NEAR(static_cast<double>(still.turning - 1e-6L), 0, kExact);

  a.velocity = {3, 4, 0};
  a.angular_velocity = {0, 0, -2};
  b.angular_velocity = {0, 0, 1};
  settings.margin = 0.01L;
  settings.tolerance = 1e-5L;
  settings.time_step = 0.01L;
  const RelationRange range = range_of(a, 0, b, 0, settings);
  EXPECT_NEAR(static_cast<double>(range.reach - (0.01L + 0.01L * (5 + 2 * radius_a + radius_b))), 0, kExact);
  EXPECT_NEAR(static_cast<double>(range.turning - 0.030001L), 0, kExact);
  EXPECT_EQ(range.tolerance, 1e-5L);
  settings.time_step = 1;
  EXPECT_EQ(range_of(a, 0, b, 0, settings).turning, 0.4L);
}

TEST(PolytopePair, AHalfSpaceHasNoRadius) {
  PolytopeBody ground, square = square_at(0, 0);
  square.parts = {box({1, 1, 1})};
  ground.parts = {half_space()};
  ground.velocity = {0, 0, 1};
  PairSettings settings;
  settings.time_step = 0.5L;
  const Real radius = std::sqrt(0.75L);
  EXPECT_NEAR(static_cast<double>(range_of(square, 0, ground, 0, settings).reach - (0.02L * radius + 0.5L)), 0, kExact);
  ground.angular_velocity = {1, 0, 0};
  EXPECT_EQ(range_of(square, 0, ground, 0, settings).reach, std::numeric_limits<Real>::infinity());
}

TEST(PolytopePair, IsAsFarApartAsItsNearestPartsAndOverlapsInAll) {
  PairSettings settings;
  settings.margin = 0.05L;
  const PairResult under = evaluate_pair(square_at(0, 0.75L), table(), settings);
  ASSERT_EQ(under.part_pairs.size(), 3u);
  EXPECT_NEAR(static_cast<double>(under.separation - 0.05L), 0, kExact);
  EXPECT_EQ(under.overlap, 0);
  EXPECT_FALSE(under.is_deep);
  EXPECT_TRUE(under.part_pairs[0].set.relations.empty());

  const PairResult in_both = evaluate_pair(square_at(0.8L, 0.9L), table(), settings);
  EXPECT_NEAR(static_cast<double>(in_both.separation + 0.1L), 0, kExact);
  EXPECT_NEAR(static_cast<double>(in_both.overlap - (0.1L * 0.3L + 0.1L * 0.4L)), 0, kExact);
  EXPECT_TRUE(in_both.is_deep);
  EXPECT_EQ(in_both.part_pairs[1].part_b, 1);
  EXPECT_NEAR(static_cast<double>(in_both.part_pairs[1].overlap - 0.03L), 0, kExact);
}

TEST(PolytopePair, ADepthWithinTheToleranceTouches) {
  PairSettings settings;
  settings.margin = 0.01L;
  settings.tolerance = 1e-6L;
  EXPECT_FALSE(evaluate_pair(square_at(0, 1.3L - 0.9e-6L), table(), settings).is_deep);
  EXPECT_TRUE(evaluate_pair(square_at(0, 1.3L - 1.1e-6L), table(), settings).is_deep);
}

TEST(PolytopePair, MovesAsAWhole) {
  RandomShapes random(11);
  PairSettings settings;
  settings.margin = 0.1L;
  for (int k = 0; k < 50; ++k) {
    PolytopeBody a = square_at(random.uniform(-1, 1), random.uniform(0.4L, 1.4L)), b = table();
    a.pose.rotation = random.rotation(true);
    const PairResult here = evaluate_pair(a, b, settings);
    const Transform motion = {random.rotation(true), random.normal_point(true)};
    a.pose = motion * a.pose;
    b.pose = motion * b.pose;
    const PairResult there = evaluate_pair(a, b, settings);
    EXPECT_NEAR(static_cast<double>(here.separation - there.separation), 0, 1e-16);
    EXPECT_NEAR(static_cast<double>(here.overlap - there.overlap), 0, 1e-16);
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(here.part_pairs[p].set.relations.size(), there.part_pairs[p].set.relations.size()) << k;
    }
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
