// SPDX-License-Identifier: Apache-2.0
//
// Separations against all directions through vertices.
#include "isopatch/detail/polytope/separation.h"

#include <gtest/gtest.h>

#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

TEST(PolytopeSeparation, IsTheLargestGapOfAllDirections) {
  PolytopeRandom random(21);
  double worst = 0;
  for (int k = 0; k < 1500; ++k) {
    const bool planar = k % 3 == 0;
    const ConvexShape shape_a = random.shape(planar, random.integer(4, 8));
    const ConvexShape shape_b = random.shape(planar, random.integer(4, 8));
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = random.uniform(0, 4) * random.direction(planar);  // deep in each other, to far apart
    const double found = find(a, b, options(0.01)).separation.value;
    worst = std::max(worst, std::fabs(found - DenseDirections(a, b).separation()));
  }
  EXPECT_LT(worst, 1e-12);
}

TEST(PolytopeSeparation, OfAlignedBoxesIsInClosedForm) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5});
  const Placed b{&cube, at({0, 0, 0})};
  for (const double z : {0.9, 1.0, 1.5}) {
    EXPECT_NEAR(find({&cube, at({0.2, 0.1, z})}, b, options(0.01)).separation.value, z - 1, 1e-15);
  }
}

TEST(PolytopeSeparation, FromAHalfSpaceIsThatOfTheLowestVertex) {
  PolytopeRandom random(22);
  const ConvexShape ground = ConvexShape::half_space();
  for (int k = 0; k < 100; ++k) {
    const ConvexShape shape = random.shape(false, 8);
    Transform<double> X = random.rotation(false);
    X.translation = 2 * random.direction(false);
    double lowest = HUGE_VAL;
    for (const Vec3d& v : shape.vertices()) lowest = std::min(lowest, apply(X, v).z);
    const Placed on{&shape, X}, below{&ground, at({0, 0, 0})};
    EXPECT_NEAR(find(on, below, options(0.01)).separation.value, lowest, 1e-14);
    EXPECT_NEAR(find(below, on, options(0.01)).separation.value, lowest, 1e-14);
  }
}

TEST(PolytopeSeparation, BelowTheReachIsNeverRuledOutByBoundsOfTheShapes) {
  PolytopeRandom random(23);
  int near = 0, kept = 0;
  for (int k = 0; k < 5000; ++k) {
    const bool planar = k % 3 == 0;
    const ConvexShape shape_a = random.shape(planar, 6), shape_b = random.shape(planar, 6);
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = random.uniform(0, 8) * random.direction(planar);
    const Found found = find(a, b, options(0.1));
    const bool may = detail::may_touch(found.pair, 0.1);
    EXPECT_TRUE(may || found.relations.empty());
    near += found.separation.value <= 0.1 ? 1 : 0;
    kept += may ? 1 : 0;
  }
  EXPECT_LT(kept, 2 * near);
}

}  // namespace
}  // namespace isopatch::test
