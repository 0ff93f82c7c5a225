// SPDX-License-Identifier: Apache-2.0
//
// Separation by features against distances by vertices alone.
#include "host/reference/polytope/separation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/polytope/distances.h"
#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kRounding = 1e-12L;  // of the size

/// The distance from a vertex of one to a vertex or an edge of the other: where it is larger than the distance, the
/// nearest features are a face and a vertex or two edges.
Real distance_of_lower_features(const ConvexShape& a, const ConvexShape& b) {
  Real least = std::numeric_limits<Real>::infinity();
  for (bool of_a : {true, false}) {
    const ConvexShape &one = of_a ? a : b, &other = of_a ? b : a;
    for (const Vector3& x : one.vertices) {
      for (const Vector3& y : other.vertices) least = std::min(least, (x - y).norm());
      for (int e = 0; e < static_cast<int>(other.edges.size()); ++e)
        least = std::min(least, edge_distance(x, other, e));
    }
  }
  return least;
}

TEST(PolytopeSeparation, OfCubesAndSquares) {
  const ConvexShape cube = box({1, 1, 1}), square = rectangle(0, 0, 1, 1);
  EXPECT_EQ(separation(shifted(cube, {0.25L, 0.5L, 1.25L}), cube).gap, 0.25L);
  EXPECT_EQ(separation(shifted(cube, {0.25L, 0.5L, 0.75L}), cube).gap, -0.25L);
  EXPECT_EQ(separation(shifted(square, {-1.5L, 2, 0}), square).gap, 1);
  const Real root = std::sqrt(2.0L), eighth = std::atan(1.0L);
  const ConvexShape tip = shifted(turned(square, eighth, Vector3::UnitZ()), {0.5L, 1.125L, 0});
  EXPECT_NEAR(static_cast<double>(separation(tip, square).gap), 0.125, 1e-17);
  // an edge of a cube that is turned about x over an edge of one that is turned about y
  const ConvexShape over = shifted(turned(cube, eighth, Vector3::UnitX()), {0, 0, root + 0.125L});
  const Contact contact = separation(over, turned(cube, eighth, Vector3::UnitY()));
  EXPECT_NEAR(static_cast<double>(contact.gap), 0.125, 1e-17);
  EXPECT_EQ(contact.features.kind, ContactKind::kEdgeOnEdge);
}

TEST(PolytopeSeparation, OfAHalfSpace) {
  const ConvexShape cube = shifted(box({1, 1, 1}), {0, 0, 0.25L});
  EXPECT_EQ(separation(cube, half_space()).gap, -0.25L);
  EXPECT_EQ(separation(half_space(), cube).gap, -0.25L);
}

TEST(PolytopeSeparation, IsTheDistanceUnlessVerticesAreNearest) {
  RandomShapes random(4);
  int equal = 0, below = 0;
  for (int k = 0; k < 4000; ++k) {
    const bool is_planar = k % 3 == 0;
    const ConvexShape b = random.stretched_hull(is_planar, 100);
    const ConvexShape start = random.stretched_hull(is_planar, 100);
    const Real size = std::max(size_of(start), size_of(b));
    const Real gap = size * std::pow(10.0L, random.uniform(-9, 0));
    const ConvexShape a = k % 2 == 0 ? random.at_distance(start, b, gap) : random.approached(start, b, gap);
    const HullDistance distance = hull_distance(a, b);
    ASSERT_LT(static_cast<double>(distance.at_most - distance.at_least), static_cast<double>(1e-14L * size)) << k;
    const Real found = separation(a, b).gap;
    EXPECT_GT(found, 0) << k;
    EXPECT_LT(static_cast<double>(found - distance.at_most), static_cast<double>(kRounding * size)) << k;
    if (distance_of_lower_features(a, b) > distance.at_most + 1e-6L * gap) {
      ++equal;
      EXPECT_NEAR(static_cast<double>((found - distance.at_most) / size), 0, static_cast<double>(kRounding)) << k;
    } else {
      ++below;
    }
  }
  EXPECT_GT(equal, 1000);
  EXPECT_GT(below, 1000);
}

TEST(PolytopeSeparation, OfShapesThatOverlapIsTheShortestWayOut) {
  RandomShapes random(5);
  for (int k = 0; k < 1500; ++k) {
    const bool is_planar = k % 3 == 0;
    const ConvexShape b = random.stretched_hull(is_planar, 100);
    const ConvexShape start = random.stretched_hull(is_planar, 100);
    const Real size = std::max(size_of(start), size_of(b));
    const ConvexShape near = random.approached(start, b, 1e-9L * size);
    const Real depth = size * std::pow(10.0L, random.uniform(-8, 0));
    const ConvexShape a = shifted(near, -depth * hull_distance(near, b).normal);
    const Contact contact = separation(a, b);
    if (contact.gap > kRounding * size) {  // it has gone past b
      EXPECT_GT(hull_distance(a, b).at_least, 0) << k;
    }
    if (contact.gap > -kRounding * size) continue;
    const auto distance_after = [&](Real part) {
      return hull_distance(shifted(a, -part * contact.gap * contact.normal), b).at_most;
    };
    EXPECT_LT(static_cast<double>(distance_after(0)), static_cast<double>(kRounding * size)) << k;
    EXPECT_LT(static_cast<double>(distance_after(0.99L)), static_cast<double>(kRounding * size)) << k;
    EXPECT_LT(static_cast<double>(distance_after(1)), static_cast<double>(kRounding * size)) << k;
    EXPECT_GT(distance_after(1.01L), 0) << k;
    const Vector3 way = -0.99L * contact.gap * random.direction(is_planar);
    EXPECT_LT(static_cast<double>(hull_distance(shifted(a, way), b).at_most), static_cast<double>(kRounding * size))
        << k << ": a shorter way out";
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
