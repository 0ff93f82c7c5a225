// SPDX-License-Identifier: Apache-2.0
//
// Relations against the truth: which of many random shifts of two polytopes near touch they allow, and which of these
// make the polytopes overlap. The truth knows the vertices alone.
#include "isopatch/detail/polytope/relations.h"

#include <gtest/gtest.h>

#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

constexpr double kReach = 0.15;

// A truth nearer to 0 than this is rounding.
constexpr double kRounding = 1e-12;

struct Mistakes {
  int shifts = 0, forbidden = 0, allowed = 0;  // forbidden though free, allowed though overlapping
};

Vec3d place_on_ray(const DenseDirections& directions, PolytopeRandom& random) {
  const Vec3d along = random.direction(true);
  return translation_for_gap(directions, along, random.uniform(0, kReach / 3)) * along;
}

Vec3d place_anywhere(const DenseDirections& directions, PolytopeRandom& random) {
  for (;;) {
    const double x = random.uniform(-6, 6), y = random.uniform(-6, 6), z = random.uniform(-6, 6);
    const double gap = directions.separation({x, y, z});
    if (gap >= 0 && gap <= kReach / 3) return {x, y, z};
  }
}

/// Of all modes: shifts of up to half the reach, from gaps of up to a third of it, so that no vertex arrives from
/// beyond the reach. Polygons start on a random ray, polyhedra at random places.
std::array<Mistakes, 4> count_mistakes(bool planar, int pairs, int shifts_of_each, std::uint64_t seed) {
  std::array<Mistakes, 4> mistakes;
  PolytopeRandom random(seed);
  for (int k = 0; k < pairs; ++k) {
    const ConvexShape shape_a = random.shape(planar, random.integer(4, 8));
    const ConvexShape shape_b = random.shape(planar, random.integer(4, 8));
    Placed a{&shape_a, at({0, 0, 0})}, b{&shape_b, at({0, 0, 0})};
    const DenseDirections directions(a, b);
    const Vec3d start = planar ? place_on_ray(directions, random) : place_anywhere(directions, random);
    a.X.translation = start;
    std::array<Found, 4> found;
    for (std::size_t mode = 0; mode < 4; ++mode) {
      found[mode] = find(a, b, options(kReach, static_cast<RelationMode>(mode)));
    }
    for (int s = 0; s < shifts_of_each; ++s) {
      const double length = random.uniform(0, kReach / 2);
      const Vec3d shift = length * random.direction(planar);
      const double truth = directions.separation(start + shift);
      if (std::fabs(truth) < kRounding) continue;
      for (std::size_t mode = 0; mode < 4; ++mode) {
        const bool allowed = is_allowed(found[mode], shift);
        ++mistakes[mode].shifts;
        if (truth > 0 && !allowed) ++mistakes[mode].forbidden;
        if (truth < 0 && allowed) ++mistakes[mode].allowed;
      }
    }
  }
  return mistakes;
}

/// A share of the shifts against that which another program found with other random numbers. Mistakes of one pair come
/// together, so that rare ones vary by more.
void expect_share(int count, int shifts, double expected, double factor) {
  const double share = static_cast<double>(count) / shifts;
  EXPECT_GT(share, expected / factor);
  EXPECT_LT(share, expected * factor);
}

TEST(Relations, OfPolygonsHoldJustWhereTheyDoNotOverlap) {
  const auto [exact, lnc, unilateral, separating] = count_mistakes(true, 5000, 20, 1);
  EXPECT_GT(exact.shifts, 99'000);
  EXPECT_EQ(exact.forbidden, 0);
  EXPECT_EQ(exact.allowed, 0);
  EXPECT_EQ(lnc.forbidden, 0);
  EXPECT_EQ(unilateral.allowed, 0);
  EXPECT_EQ(separating.allowed, 0);
  expect_share(unilateral.forbidden, unilateral.shifts, 2972.0 / 24'000, 1.2);
  expect_share(lnc.allowed, lnc.shifts, 25.0 / 24'000, 2);
  expect_share(separating.forbidden, separating.shifts, 30.0 / 24'000, 2);
}

TEST(Relations, OfPolyhedraHoldJustWhereTheyDoNotOverlap) {
  const auto [exact, lnc, unilateral, separating] = count_mistakes(false, 4000, 5, 1);
  EXPECT_GT(exact.shifts, 19'900);
  EXPECT_EQ(exact.forbidden, 0);
  EXPECT_EQ(exact.allowed, 0);
  EXPECT_EQ(unilateral.allowed, 0);
  EXPECT_EQ(separating.allowed, 0);
  expect_share(unilateral.forbidden, unilateral.shifts, 1629.0 / 4'500, 1.2);
  expect_share(lnc.allowed, lnc.shifts, 146.0 / 4'500, 1.2);
  expect_share(separating.forbidden, separating.shifts, 18.0 / 4'500, 2);
}

/// A box whose sides are multiples of 0.1.
ConvexShape box_of(PolytopeRandom& random, bool planar) {
  const auto half = [&] { return 0.05 * random.integer(1, 10); };
  const double x = half(), y = half(), z = half();
  return planar ? ConvexShape::polygon({{-x, -y}, {x, -y}, {x, y}, {-x, y}}) : ConvexShape::box({x, y, z});
}

/// Needles, plates and small shapes, turned; boxes with parallel edges; corners at corners. Shifts of up to the reach.
/// A shift through the other body, as only a thin one allows, is rightly forbidden.
Mistakes count_mistakes_of_short_features(bool planar, int pairs, int shifts_of_each, std::uint64_t seed) {
  Mistakes mistakes;
  PolytopeRandom random(seed);
  for (int k = 0; k < pairs; ++k) {
    const auto any = [&](int kind) {
      if (kind == 0) return random.thin_shape(planar, random.integer(4, 10));
      if (kind == 1) return box_of(random, planar);
      return random.shape(planar, random.integer(4, 8));
    };
    const ConvexShape shape_a = any(k % 3), shape_b = any(k % 2 == 0 ? k % 3 : 2);
    Placed a{&shape_a, k % 3 == 1 ? at({0, 0, 0}) : random.rotation(planar)}, b{&shape_b, at({0, 0, 0})};
    const DenseDirections directions(a, b);
    const auto pick = [&](const ConvexShape& shape) {
      return shape
          .vertices()[static_cast<std::size_t>(random.integer(0, static_cast<int>(shape.vertices().size()) - 1))];
    };
    // from a corner at a corner outwards, in the frame of A
    const Vec3d corner = rotate_back(a.X, pick(shape_b)) - pick(shape_a), along = random.direction(planar);
    const double gap = random.integer(0, 9) == 0 ? 1e-9 : random.uniform(0, kReach);
    double low = 0, high = 20;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (directions.separation(corner + middle * along) < gap ? low : high) = middle;
    }
    const Vec3d start = corner + high * along;
    a.X.translation = rotate(a.X, start);
    const Found found = find(a, b, options(kReach, RelationMode::kExact, 1e-6));
    for (int s = 0; s < shifts_of_each; ++s) {
      const double length = random.integer(0, 3) == 0 ? kReach : random.uniform(0, kReach);
      const Vec3d shift = length * random.direction(planar);
      const double truth = directions.separation(start + shift);
      if (std::fabs(truth) < kRounding) continue;
      const bool allowed = is_allowed(found, shift);
      ++mistakes.shifts;
      if (truth < 0 && allowed) ++mistakes.allowed;
      if (truth < 0 || allowed) continue;
      bool leads_through = false;
      for (int i = 1; i < 200 && !leads_through; ++i) {
        leads_through = directions.separation(start + i / 200.0 * shift) < 0;
      }
      if (!leads_through) ++mistakes.forbidden;
    }
  }
  return mistakes;
}

TEST(Relations, OfFeaturesShorterThanTheReachHoldJustWhereBodiesDoNotOverlap) {
  for (const bool planar : {true, false}) {
    const Mistakes mistakes = count_mistakes_of_short_features(planar, planar ? 3000 : 700, 20, 2);
    EXPECT_GT(mistakes.shifts, planar ? 59'000 : 13'500);
    EXPECT_EQ(mistakes.forbidden, 0);
    EXPECT_EQ(mistakes.allowed, 0);
  }
}

}  // namespace
}  // namespace isopatch::test
