// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/mesh/math/point_math.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::error_of;

TriangleMesh surface_of(const TetMesh& mesh) { return {mesh.points, boundary_triangles(mesh)}; }

TEST(Scale, MultipliesEachAxisAndKeepsPointData) {
  TetMesh mesh = testing::two_tets();
  mesh.points[4] = {1, -2, 3};
  mesh.point_data["extent"] = {0, 0, 0, 0, 1};
  const TetMesh before = mesh;
  scale(mesh, {2, 3, 0.1});
  EXPECT_EQ(mesh.points[4], (Point3{2, -6, 3 * 0.1}));
  EXPECT_EQ(mesh.tets, before.tets);
  EXPECT_EQ(mesh.point_data, before.point_data);
}

TEST(Scale, TurnsTetsAndTrianglesWhereTheProductIsNegative) {
  const TetMesh box = make_box_mesh({0.1, 0.2, 0.3});
  const double volume = detail::volume_of(box);
  for (const Point3& factors : {Point3{1, 1, 1}, Point3{-1, 1, 1}, Point3{1, -1, 1}, Point3{1, 1, -1},
                                Point3{-1, -1, 1}, Point3{1, -1, -1}, Point3{-1, -1, -1}}) {
    TetMesh mesh = box;
    scale(mesh, factors);
    EXPECT_NEAR(detail::volume_of(mesh), volume, 1e-15);
    EXPECT_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kRefuse).inverted_tets, 0);

    TriangleMesh surface = surface_of(box);
    scale(surface, factors);
    const MeshReport report = check_and_repair(surface, "m");
    EXPECT_EQ(report.flipped_triangles, 0);
    EXPECT_NEAR(report.volume, volume, 1e-15);
  }
}

// The product of these factors is 0 or not finite.
TEST(Scale, MirrorsWithFactorsWhoseProductIsNoNumber) {
  for (const double size : {1e-200, 1e200}) {
    TetMesh mesh = testing::one_tet();
    scale(mesh, {-size, size, size});
    EXPECT_EQ(mesh.tets[0], (Tet{0, 1, 3, 2}));
    scale(mesh, {1 / size, 1 / size, 1 / size});
    EXPECT_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kKeep).inverted_tets, 0);
  }
}

TEST(Scale, LeavesInvertedTetsInverted) {
  TetMesh mesh = testing::one_tet();
  mesh.tets[0] = {0, 1, 3, 2};
  scale(mesh, {-1, 1, 1});
  EXPECT_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kKeep).inverted_tets, 1);
}

TEST(Scale, RefusesFactorsThatAreZeroOrNotFinite) {
  const TetMesh before = testing::two_tets();
  TetMesh mesh = before;
  EXPECT_EQ(error_of([&] { scale(mesh, {1, 0, 2}); }), "scale factors (1, 0, 2); each must be finite and not 0");
  TriangleMesh surface = surface_of(before);
  EXPECT_EQ(error_of([&] { scale(surface, {-0.0, 1, 2}); }), "scale factors (-0, 1, 2); each must be finite and not 0");
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(testing::contains(error_of([&] { scale(mesh, {1, 2, bad}); }), "each must be finite and not 0"));
  }
  EXPECT_EQ(mesh.points, before.points);
}

}  // namespace
}  // namespace isopatch
