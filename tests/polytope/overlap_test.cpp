// SPDX-License-Identifier: Apache-2.0
//
// Areas and volumes that two shapes have in common.
#include "isopatch/detail/polytope/overlap.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

// of squares and cubes of side 1, in closed form
constexpr double kOfCubes = 1e-14;
// of others, relative to the smaller one
constexpr double kOfOthers = 1e-12;

double overlap_of(const Placed& a, const Placed& b) {
  const auto memory = std::make_unique<detail::OverlapMemory>();
  return detail::overlap_size(polytope_pair(a.shape->view(), b.shape->view(), a.X, b.X), *memory);
}

TEST(Overlap, OfSquaresAndCubesIsInClosedForm) {
  const ConvexShape square = ConvexShape::polygon({{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}});
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5});
  const Placed fixed_square{&square, at({0, 0, 0})}, fixed_cube{&cube, at({0, 0, 0})};
  for (const double x : {0.0, 0.25, 0.3, 0.999, 1.0, 1.2}) {
    const double width = std::max(1 - x, 0.0);
    EXPECT_NEAR(overlap_of({&square, at({x, 0.1, 0})}, fixed_square), width * 0.9, kOfCubes);
    EXPECT_NEAR(overlap_of({&cube, at({0, x, 0.1})}, fixed_cube), width * 0.9, kOfCubes);
    EXPECT_NEAR(overlap_of({&cube, at({0.2, x, 0.1})}, fixed_cube), 0.8 * width * 0.9, kOfCubes);
  }
  const double octagon = 2 * (std::sqrt(2.0) - 1);
  EXPECT_NEAR(overlap_of({&square, turned({0, 0, 1}, std::numbers::pi / 4)}, fixed_square), octagon, kOfCubes);
  EXPECT_NEAR(overlap_of({&cube, turned({0, 0, 1}, std::numbers::pi / 4, {0, 0, 0.25})}, fixed_cube), 0.75 * octagon,
              kOfCubes);
}

TEST(Overlap, OfEqualAndOfNearlyEqualPosesIsWhole) {
  PolytopeRandom random(6);
  for (int k = 0; k < 200; ++k) {
    const bool planar = k % 2 == 0;
    const ConvexShape shape = random.shape(planar, random.integer(5, 8));
    const double size = shape.measure().size;
    const Transform<double> X = random.rotation(planar);
    for (const double turn : {0.0, 1e-16, 1e-14, 1e-12, 1e-10}) {
      const Transform<double> Y = product(X, turned(planar ? Vec3d{0, 0, 1} : random.direction(false), turn));
      EXPECT_NEAR(overlap_of({&shape, X}, {&shape, Y}), size, size * kOfOthers + 100 * turn) << k << " " << turn;
    }
  }
}

/// The volume of A and B is that of A and one half of B, and that of A and the other half.
TEST(Overlap, AddsUpOverPieces) {
  PolytopeRandom random(7);
  const ConvexShape whole = ConvexShape::box({1, 1, 1}), half = ConvexShape::box({0.5, 1, 1});
  for (int k = 0; k < 500; ++k) {
    const ConvexShape shape = random.shape(false, random.integer(4, 12));
    Transform<double> X = random.rotation(false);
    X.translation = random.direction(false);
    const Placed a{&shape, X};
    const double sum = overlap_of(a, {&half, at({-0.5, 0, 0})}) + overlap_of(a, {&half, at({0.5, 0, 0})});
    const double size = std::min(shape.measure().size, 8.0);
    EXPECT_NEAR(overlap_of(a, {&whole, at({0, 0, 0})}), sum, kOfOthers * size);
    EXPECT_NEAR(overlap_of({&whole, at({0, 0, 0})}, a), sum, kOfOthers * size);
  }
}

TEST(Overlap, OfPolygonsIsThatOfPrismsOfUnitHeight) {
  PolytopeRandom random(9);
  const auto prism_of = [](const ConvexShape& polygon) {
    std::vector<Point3> points;
    for (const double z : {-0.5, 0.5}) {
      for (const Vec3d& v : polygon.vertices()) points.push_back({v.x, v.y, z});
    }
    return ConvexShape::hull(points);
  };
  int overlapping = 0;
  double worst = 0;
  for (int k = 0; k < 1000; ++k) {
    const ConvexShape a = random.shape(true, random.integer(4, 10)), b = random.shape(true, random.integer(4, 10));
    const ConvexShape prism_a = prism_of(a), prism_b = prism_of(b);
    Transform<double> X_a = random.rotation(true), X_b = random.rotation(true);
    X_a.translation = random.uniform(0, 1.5) * random.direction(true);
    X_b.translation = random.direction(true);
    const double area = overlap_of({&a, X_a}, {&b, X_b}), volume = overlap_of({&prism_a, X_a}, {&prism_b, X_b});
    worst = std::max(worst, std::fabs(area - volume));
    overlapping += area > 0 ? 1 : 0;
  }
  EXPECT_LT(worst, kOfOthers);
  EXPECT_GT(overlapping, 500);
  RecordProperty("worst", std::to_string(1e15 * worst) + "e-15");
}

TEST(Overlap, IsWhatAHalfSpaceLeaves) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5}), ground = ConvexShape::half_space();
  const Placed on{&cube, turned({0, 0, 1}, 0.3, {3, 4, 0.2})};
  EXPECT_NEAR(overlap_of(on, {&ground, at({0, 0, 0})}), 0.3, kOfCubes);
  EXPECT_NEAR(overlap_of({&ground, at({0, 0, 0})}, on), 0.3, kOfCubes);
}

TEST(Overlap, DoesNotDependOnThePlaceInTheWorld) {
  PolytopeRandom random(8);
  for (int k = 0; k < 100; ++k) {
    const bool planar = k % 2 == 0;
    const ConvexShape a = random.shape(planar, 8), b = random.shape(planar, 8);
    Transform<double> X = random.rotation(planar);
    X.translation = 0.5 * random.direction(planar);
    const Transform<double> far = turned({0, 0, 1}, 1.0, {1e6, 2e6, 0});
    const double near_by = overlap_of({&a, X}, {&b, at({0, 0, 0})});
    EXPECT_NEAR(overlap_of({&a, product(far, X)}, {&b, far}), near_by, 1e-8);
  }
}

}  // namespace
}  // namespace isopatch::test
