// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/cuts.h"

#include <algorithm>

#include "host/mesh/topology/triangle_tree.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

/// A box of 0.1 x 0.2 x 0.3 m with two triangles on each side.
TriangleMesh box() {
  TriangleMesh mesh;
  for (const double x : {0., 0.1}) {
    for (const double y : {0., 0.2}) {
      for (const double z : {0., 0.3}) mesh.points.push_back({x, y, z});
    }
  }
  mesh.triangles = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                    {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  return mesh;
}

double longest_edge(const TriangleMesh& mesh) {
  double longest = 0;
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Point3& a = mesh.points[static_cast<std::size_t>(t[i])];
      longest = std::max(longest, norm(mesh.points[static_cast<std::size_t>(t[(i + 1) % 3])] - a));
    }
  }
  return longest;
}

double least_angle(const TriangleMesh& mesh) {
  double least = 4;
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto point = [&](std::size_t k) { return mesh.points[static_cast<std::size_t>(t[(i + k) % 3])]; };
      const Point3 u = point(1) - point(0), v = point(2) - point(0);
      least = std::min(least, std::atan2(norm(cross(u, v)), dot(u, v)));
    }
  }
  return least;
}

// The checks refuse an open edge, so triangles on both sides of an edge were cut alike.
TEST(SurfaceRefinement, LeavesNoLongerEdgeAndTheShapeAsItIs) {
  const TriangleMesh coarse = box();
  const TriangleTree shape(coarse.points, coarse.triangles);
  for (const double length : {0.31, 0.1, 0.02, 0.013}) {
    SCOPED_TRACE(length);
    TriangleMesh fine = coarse;
    refine(fine, length, "m");
    EXPECT_LE(longest_edge(fine), length);
    EXPECT_GT(longest_edge(fine), length / 2) << "no finer than needed";
    EXPECT_GE(least_angle(fine), least_angle(coarse) / 2);
    EXPECT_NEAR(check_and_repair(fine, "m").volume, 0.006, 1e-15);
    for (const Point3& p : fine.points) EXPECT_LT(shape.squared_distance(p), 1e-30);
  }
}

TEST(SurfaceRefinement, LeavesShortEdgesAsTheyAre) {
  TriangleMesh mesh = box();
  refine(mesh, 0.375, "m");
  EXPECT_EQ(mesh.points, box().points);
  EXPECT_EQ(mesh.triangles, box().triangles);
}

// Two boxes that meet in an edge: it has four triangles.
TEST(SurfaceRefinement, CutsAllTrianglesAtAnEdge) {
  TriangleMesh mesh = box();
  const TriangleMesh other = box();
  // the other one's points 0 and 1 are this one's 6 and 7
  for (std::size_t i = 2; i < 8; ++i) mesh.points.push_back(other.points[i] + Point3{0.1, 0.2, 0});
  for (Triangle t : other.triangles) {
    for (std::int32_t& v : t) v += 6;
    mesh.triangles.push_back(t);
  }
  EXPECT_EQ(check_and_repair(mesh, "m").nonmanifold_edges, 1);
  refine(mesh, 0.16, "m");
  const MeshReport report = check_and_repair(mesh, "m");
  EXPECT_EQ(report.nonmanifold_edges, 2);
  EXPECT_NEAR(report.volume, 0.012, 1e-15);
}

TEST(SurfaceRefinement, RefusesMoreTrianglesThanAMesherCanTake) {
  TriangleMesh mesh = box();
  EXPECT_TRUE(contains(error_of([&] { refine(mesh, 1e-5, "m"); }), "m: edges of 1e-05 m make at least 5.08e+09 tri"));
  EXPECT_TRUE(contains(error_of([&] { refine(mesh, 1e-200, "m"); }), "m: edges of 1e-200 m make at least inf tri"));
  EXPECT_EQ(mesh.triangles, box().triangles);
}

}  // namespace
}  // namespace isopatch
