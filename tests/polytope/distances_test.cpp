// SPDX-License-Identifier: Apache-2.0
//
// Separations against distances of convex hulls by their vertices alone, and overlaps against sums of tetrahedra, both
// in extended precision. ISOPATCH_POLYTOPE_PAIRS says how many random pairs.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>

#include "host/reference/polytope/distances.h"
#include "host/reference/pressure_field/polygon.h"
#include "isopatch/detail/polytope/overlap.h"
#include "isopatch/error.h"
#include "tests/polytope/polytope_fixture.h"
#include "tests/polytope/reference_shapes.h"

namespace isopatch::test {
namespace {

namespace ref = reference::polytope;
using reference::Real;

constexpr double kRounding = 1e-12;  // of the size

int num_pairs() {
  const char* const wanted = std::getenv("ISOPATCH_POLYTOPE_PAIRS");
  return wanted == nullptr ? 1000 : std::atoi(wanted);
}

/// Of 4 to 64 faces, up to a hundred times as long as wide: n points in general position on a sphere are a hull of
/// 2 n - 4 faces.
ConvexShape stretched_hull(PolytopeRandom& random) {
  for (;;) {
    const int count = random.integer(4, random.integer(0, 4) == 0 ? 34 : 12);
    const double stretch = std::pow(100.0, random.uniform(0, 1));
    std::vector<Point3> points;
    for (int k = 0; k < count; ++k) {
      const Vec3d d = random.direction(false);
      points.push_back({stretch * d.x, d.y, d.z});
    }
    try {
      return ConvexShape::hull(points);
    } catch (const Error&) {
      continue;  // as good as flat
    }
  }
}

/// From a vertex of one to a vertex or an edge of the other: where it is larger than the distance, the nearest features
/// are a face and a vertex or two edges.
Real distance_of_lower_features(const ref::ConvexShape& a, const ref::ConvexShape& b) {
  Real least = std::numeric_limits<Real>::infinity();
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const reference::Vector3& x : one->vertices) {
      for (int e = 0; e < static_cast<int>(other->edges.size()); ++e) {
        least = std::min(least, edge_distance(x, *other, e));  // vertices are its ends
      }
    }
  }
  return least;
}

Real overlap_of_tets(const ref::ConvexShape& a, const ref::ConvexShape& b) {
  reference::TetList tets;
  const reference::Vector3 middle = middle_of(a);
  for (const ref::ConvexFace& face : a.faces) {
    const auto corner = [&](std::size_t l) { return a.vertices[static_cast<std::size_t>(face.loop[l])]; };
    for (std::size_t l = 1; l + 1 < face.loop.size(); ++l) {
      tets.push_back({middle, corner(0), corner(l), corner(l + 1)});
    }
  }
  for (const ref::ConvexFace& face : b.faces) tets = reference::positive_part(tets, {-face.normal, face.point, 0});
  return reference::integral(tets, {reference::Vector3::Zero(), reference::Vector3::Zero(), 1});
}

ref::ConvexShape in_world(const Placed& shape) { return moved(copy_of(*shape.shape), transform_of(shape.X)); }

/// Moves A towards B, along the shortest vector between them or along a line, until they are as far apart as the gap.
void approach(PolytopeRandom& random, const Placed& b, double gap, double size, Placed& a) {
  const ref::ConvexShape other = in_world(b);
  const auto distance = [&] { return hull_distance(in_world(a), other); };
  if (random.integer(0, 1) == 0) {
    const Vec3d line = random.direction(false);
    double near = 0, far = 3 * size;
    for (int k = 0; k < 20; ++k) {
      const double middle = 0.5 * (near + far);
      a.X.translation = middle * line;
      (distance().at_most > gap ? far : near) = middle;
    }
    a.X.translation = far * line;
  } else {
    a.X.translation = 3 * size * random.direction(false);
  }
  const ref::HullDistance now = distance();
  for (int i = 0; i < 3; ++i) {
    const double step = static_cast<double>((gap - now.at_most) * now.normal[i]);
    (i == 0 ? a.X.translation.x : i == 1 ? a.X.translation.y : a.X.translation.z) += step;
  }
}

TEST(PolytopeDistances, AreWhatSeparationsAreUnlessVerticesAreNearest) {
  PolytopeRandom random(81);
  int equal = 0, below = 0, wrong_sign = 0, above = 0, deep = 0, past = 0, undecided = 0, most_faces = 0;
  double worst_equal = 0, worst_above = 0, worst_overlap = 0;
  const auto memory = std::make_unique<detail::OverlapMemory>();
  for (int k = 0; k < num_pairs(); ++k) {
    const ConvexShape shape_a = stretched_hull(random), shape_b = stretched_hull(random);
    most_faces = std::max({most_faces, shape_a.num_faces(), shape_b.num_faces()});
    Placed a{&shape_a, random.rotation(false)}, b{&shape_b, random.rotation(false)};
    const double size = 2 * std::max(shape_a.view().ball, shape_b.view().ball);
    const bool to_overlap = k % 4 == 3;
    const double gap = size * std::pow(10.0, random.uniform(-9, 0));
    approach(random, b, to_overlap ? 1e-9 * size : gap, size, a);
    if (to_overlap) {  // back along the shortest vector by what would have been the gap
      const auto n = hull_distance(in_world(a), in_world(b)).normal;
      a.X.translation = a.X.translation -
                        gap * Vec3d{static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])};
    }
    const double found = separation_of(a, b);
    const ref::ConvexShape world_a = in_world(a), world_b = in_world(b);
    const ref::HullDistance distance = hull_distance(world_a, world_b);
    const auto at_most = static_cast<double>(distance.at_most);
    ASSERT_LT(static_cast<double>(distance.at_most - distance.at_least), 1e-14 * size) << k;
    const auto expect_sign = [&](bool is_right) {
      wrong_sign += is_right ? 0 : 1;
      EXPECT_TRUE(is_right) << "pair " << k << ": separation " << found << ", distance " << at_most << ", size "
                            << size;
    };
    if (at_most > kRounding * size) {
      past += to_overlap ? 1 : 0;
      expect_sign(found > 0);
      worst_above = std::max(worst_above, (found - at_most) / size);
      above += found > at_most + kRounding * size ? 1 : 0;
      if (distance_of_lower_features(world_a, world_b) > distance.at_most * (1 + 1e-6L)) {
        ++equal;
        worst_equal = std::max(worst_equal, std::fabs(found - at_most) / size);
      } else {
        ++below;
      }
      continue;
    }
    if (found > -kRounding * size) {  // nearer than rounding, or as little in each other: either sign will do
      expect_sign(found <= kRounding * size);
      ++undecided;
      continue;
    }
    ++deep;
    const Real volume = overlap_of_tets(world_a, world_b), whole = overlap_of_tets(world_a, world_a);
    expect_sign(volume > 0);
    const double clipped = overlap_size(polytope_pair(shape_a.view(), shape_b.view(), a.X, b.X), *memory);
    worst_overlap =
        std::max(worst_overlap, std::fabs(clipped - static_cast<double>(volume)) / static_cast<double>(whole));
  }
  std::printf(
      "%d pairs of up to %d faces: %d apart with a face or two edges nearest, worst difference %.2g of the "
      "size; %d with vertices nearest; worst above the distance %.2g; %d overlap, %d have gone past, %d within "
      "rounding; signs "
      "wrong: %d; overlap: %.2g of a shape\n",
      num_pairs(), most_faces, equal, worst_equal, below, worst_above, deep, past, undecided, wrong_sign,
      worst_overlap);
  EXPECT_EQ(wrong_sign, 0);
  EXPECT_EQ(above, 0);
  EXPECT_LT(worst_equal, kRounding);
  EXPECT_LT(worst_overlap, kRounding);
  EXPECT_GT(equal, num_pairs() / 5);
  EXPECT_GT(below, num_pairs() / 5);
  EXPECT_GT(deep, num_pairs() / 10);
  EXPECT_GT(most_faces, 40);
}

}  // namespace
}  // namespace isopatch::test
