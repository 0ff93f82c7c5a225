// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/reference/polytope/separation.h"
#include "host/reference/pressure_field/polygon.h"
#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr double kExact = 1e-17;
const Real kRoot = std::sqrt(2.0L), kEighth = std::atan(1.0L);

/// The same volume from tetrahedra that fill one shape and are cut by the planes of the other.
Real overlap_of_tets(const ConvexShape& a, const ConvexShape& b) {
  TetList tets;
  const Vector3 middle = middle_of(a);
  for (const ConvexFace& face : a.faces) {
    const auto corner = [&](std::size_t l) { return a.vertices[static_cast<std::size_t>(face.loop[l])]; };
    for (std::size_t l = 1; l + 1 < face.loop.size(); ++l) {
      tets.push_back({middle, corner(0), corner(l), corner(l + 1)});
    }
  }
  for (const ConvexFace& face : b.faces) tets = positive_part(tets, {-face.normal, face.point, 0});
  return integral(tets, {Vector3::Zero(), Vector3::Zero(), 1});
}

TEST(PolytopeOverlap, OfSquaresAndCubes) {
  const ConvexShape square = rectangle(-0.5L, -0.5L, 0.5L, 0.5L), cube = box({1, 1, 1});
  EXPECT_NEAR(static_cast<double>(overlap(square, shifted(square, {0.75L, 0.5L, 0})) - 0.125L), 0, kExact);
  EXPECT_NEAR(static_cast<double>(overlap(square, square) - 1), 0, kExact);
  EXPECT_NEAR(static_cast<double>(overlap(cube, cube) - 1), 0, kExact);
  EXPECT_NEAR(static_cast<double>(overlap(cube, shifted(cube, {0.75L, 0.5L, -0.5L})) - 0.0625L), 0, kExact);
  EXPECT_NEAR(static_cast<double>(overlap(square, turned(square, kEighth, Vector3::UnitZ())) - 2 * (kRoot - 1)), 0,
              kExact);
  const ConvexShape turned_cube = shifted(turned(cube, kEighth, Vector3::UnitZ()), {0, 0, 0.75L});
  EXPECT_NEAR(static_cast<double>(overlap(turned_cube, cube) - (kRoot - 1) / 2), 0, kExact);
  EXPECT_NEAR(static_cast<double>(overlap(rectangle(-0.1L, -0.2L, 0.1L, 0.2L), square) - 0.08L), 0, kExact);
}

TEST(PolytopeOverlap, OfShapesThatTouchIsZero) {
  const ConvexShape square = rectangle(0, 0, 1, 1), cube = box({1, 1, 1});
  EXPECT_EQ(overlap(square, shifted(square, {1, 0.5L, 0})), 0);
  EXPECT_EQ(overlap(cube, shifted(cube, {0, 0, 1})), 0);
  EXPECT_EQ(overlap(cube, shifted(cube, {5, 0, 0})), 0);
}

TEST(PolytopeOverlap, OfATipInAHalfSpaceIsATetrahedron) {
  const Matrix3 upright =
      Eigen::Quaternion<Real>::FromTwoVectors(Vector3(1, 1, 1), Vector3(0, 0, 1)).toRotationMatrix();
  const Real depth = 0.125L;
  const ConvexShape cube = moved(box({1, 1, 1}), {upright, Vector3(0, 0, std::sqrt(3.0L) / 2 - depth)});
  const Real expected = depth * depth * depth * std::sqrt(3.0L) / 2;  // legs of sqrt(3) depth
  EXPECT_NEAR(static_cast<double>(overlap(cube, half_space()) - expected), 0, kExact);
  EXPECT_NEAR(static_cast<double>(overlap(half_space(), cube) - expected), 0, kExact);
}

TEST(PolytopeOverlap, OfRandomHullsIsThatOfTetrahedra) {
  constexpr double kTolerance = 1e-14;  // of a shape
  RandomShapes random(6);
  for (int k = 0; k < 300; ++k) {
    const ConvexShape a = random.stretched_hull(false, 10);
    const ConvexShape b = shifted(random.stretched_hull(false, 10), 0.7L * random.normal_point(false));
    const Real expected = overlap_of_tets(a, b), whole = overlap_of_tets(a, a);
    EXPECT_NEAR(static_cast<double>((overlap(a, b) - expected) / whole), 0, kTolerance) << k;
    EXPECT_NEAR(static_cast<double>((overlap(b, a) - expected) / whole), 0, kTolerance) << k;
  }
}

TEST(PolytopeOverlap, ASmallOneIsFoundToo) {
  RandomShapes random(7);
  int compared = 0;
  for (int k = 0; k < 200; ++k) {
    const ConvexShape b = random.hull(8, false), touching = random.at_distance(random.hull(8, false), b, 1e-7L);
    const ConvexShape a = shifted(touching, -1e-4L * hull_distance(touching, b).normal);
    if (separation(a, b).gap > -1e-6L) continue;  // a corner that has gone past a corner
    const Real expected = overlap_of_tets(a, b);
    EXPECT_NEAR(static_cast<double>(overlap(a, b) / expected), 1, 1e-9) << k << ": " << expected;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(PolytopeOverlap, OfPolygonsIsThatOfTheirPrisms) {
  constexpr double kTolerance = 1e-12;
  RandomShapes random(8);
  for (int k = 0; k < 300; ++k) {
    const ConvexShape a = random.hull(8, true), b = shifted(random.hull(8, true), random.normal_point(true));
    const ConvexShape prism_a = prism(a, 1), prism_b = prism(b, 1);
    EXPECT_NEAR(static_cast<double>(overlap(a, b) - overlap(prism_a, prism_b)), 0, kTolerance) << k;
    const Real gap = separation(a, b).gap, gap_of_prisms = separation(prism_a, prism_b).gap;
    // the prisms are 1 high, so out of each other by that way at most
    EXPECT_NEAR(static_cast<double>(std::max<Real>(gap, -1) - gap_of_prisms), 0, kTolerance) << k;
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
