// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>
#include <utility>

#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

std::string check_error(TetMesh mesh, AllBoundaryTets policy = AllBoundaryTets::kKeep) {
  return error_of([&] { check_and_repair(mesh, "m", policy); });
}

TEST(MeshCheck, AcceptsAGoodMeshUnchanged) {
  TetMesh mesh = make_sphere_mesh(0.05, 1);
  const TetMesh before = mesh;
  const MeshReport report = check_and_repair(mesh, "m", AllBoundaryTets::kRefuse);
  EXPECT_EQ(mesh.points, before.points);
  EXPECT_EQ(mesh.tets, before.tets);
  EXPECT_EQ(report.points, 43);
  EXPECT_EQ(report.tets, 80);
  EXPECT_EQ(report.boundary_triangles, 80);
  EXPECT_EQ(report.interior_points, 1);
  EXPECT_EQ(report.inverted_tets + report.all_boundary_tets + report.split_tets + report.unused_points, 0);
}

TEST(MeshCheck, TurnsAnInvertedTet) {
  TetMesh mesh = testing::two_tets();
  std::swap(mesh.tets[1][0], mesh.tets[1][1]);
  EXPECT_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kKeep).inverted_tets, 1);
  for (const Tet& tet : mesh.tets) EXPECT_GT(six_volumes(mesh, tet), 0);
  EXPECT_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kKeep).inverted_tets, 0);
}

// tests/mesh/topology/layer_split_test.cpp has more of the split.
TEST(MeshCheck, SplitsAllBoundaryTetsAndReportsTheRepairedMesh) {
  TetMesh mesh = testing::two_tets();
  const MeshReport report = check_and_repair(mesh, "m", AllBoundaryTets::kSplit);
  EXPECT_EQ(report.all_boundary_tets, 2);
  EXPECT_EQ(report.crossing_edges, 0);
  EXPECT_EQ(report.split_tets, 2);
  EXPECT_EQ(report.tets, 6);
  EXPECT_EQ(report.interior_points, 1);
  EXPECT_EQ(report.boundary_triangles, 6);
  EXPECT_DOUBLE_EQ(report.volume, 0.5);
  EXPECT_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kRefuse).all_boundary_tets, 0);
}

TEST(MeshCheck, RefusesOrKeepsAllBoundaryTetsOnRequest) {
  EXPECT_TRUE(contains(check_error(testing::two_tets(), AllBoundaryTets::kRefuse), "m: 2 of 2 tets have all four"));
  TetMesh mesh = testing::two_tets();
  const MeshReport report = check_and_repair(mesh, "m", AllBoundaryTets::kKeep);
  EXPECT_EQ(report.all_boundary_tets, 2);
  EXPECT_EQ(report.split_tets, 0);
  EXPECT_EQ(mesh.tets, testing::two_tets().tets);
}

TEST(MeshCheck, NamesWhatIsWrong) {
  TetMesh mesh = testing::two_tets();
  mesh.tets.clear();
  EXPECT_TRUE(contains(check_error(mesh), "m: the mesh has no tets"));

  mesh = testing::two_tets();
  mesh.tets[1][2] = -1;
  EXPECT_TRUE(contains(check_error(mesh), "tet 1 (vertices 1 2 -1 4) has index -1; it must lie in [0, 4]"));

  mesh = testing::two_tets();
  mesh.tets[1][2] = 5;
  EXPECT_TRUE(contains(check_error(mesh), "has index 5"));

  mesh = testing::two_tets();
  mesh.points[3][1] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(check_error(mesh), "point 3 is (0, inf, 1)"));

  mesh = testing::two_tets();
  mesh.tets[0][3] = 0;
  EXPECT_TRUE(contains(check_error(mesh), "tet 0 (vertices 0 1 2 0) has vertex 0 twice"));

  mesh = testing::two_tets();
  mesh.points[0] = {1. / 3, 1. / 3, 1. / 3};
  EXPECT_TRUE(contains(check_error(mesh), "tet 0 (vertices 0 1 2 3) has zero volume"));

  mesh = testing::two_tets();
  mesh.tets[1] = {3, 1, 0, 2};
  EXPECT_TRUE(contains(check_error(mesh), "is a duplicate of tet 0"));

  mesh = testing::two_tets();
  mesh.points.push_back({2, 2, 2});
  mesh.tets.push_back({1, 2, 3, 5});
  EXPECT_TRUE(contains(check_error(mesh), "face (1 2 3) is shared by more than two tets (0, 1 and 2)"));

  mesh = testing::two_tets();
  mesh.points[4] = {-1, -1, -1};
  EXPECT_TRUE(contains(check_error(mesh), "tets 0 and 1 lie on the same side of their shared face (1 2 3)"));

  mesh = testing::two_tets();
  mesh.point_data["p"] = {1, 2};
  EXPECT_TRUE(contains(check_error(mesh), "point data 'p' has 2 values; the mesh has 5 points"));
}

TEST(MeshCheck, JudgesVolumeRelativeToTheTet) {
  for (const double size : {1e-9, 1.0, 1e9}) {
    TetMesh mesh = testing::one_tet();
    for (Point3& p : mesh.points) p = size * p;
    EXPECT_DOUBLE_EQ(check_and_repair(mesh, "m", AllBoundaryTets::kKeep).volume, size * size * size / 6);
  }
}

TEST(MeshCheck, CountsUnusedPoints) {
  TetMesh mesh = testing::one_tet();
  mesh.points.push_back({5, 5, 5});
  const MeshReport report = check_and_repair(mesh, "m", AllBoundaryTets::kSplit);
  EXPECT_EQ(report.unused_points, 1);
  EXPECT_EQ(report.interior_points, 1);
}

TEST(MeshCheck, GivesARegularTetQualityOne) {
  TetMesh mesh{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}}, {}};
  const MeshReport report = check_and_repair(mesh, "m", AllBoundaryTets::kKeep);
  EXPECT_NEAR(report.min_quality, 1, 1e-15);
  EXPECT_NEAR(report.mean_quality, 1, 1e-15);
}

TEST(Boundary, IsOutwardAndInOrderOfTetAndFace) {
  const std::vector<Triangle> surface = boundary_triangles(testing::one_tet());
  EXPECT_EQ(surface, (std::vector<Triangle>{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}));
}

TEST(Boundary, ClosesAndEnclosesTheVolume) {
  const TetMesh mesh = make_sphere_mesh(1, 2);
  const std::vector<Triangle> surface = boundary_triangles(mesh);
  std::map<std::pair<int, int>, int> edges;
  for (const Triangle& t : surface) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = t[i];
      const int b = t[(i + 1) % 3];
      edges[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  for (const auto& [edge, sum] : edges) EXPECT_EQ(sum, 0) << edge.first << " " << edge.second;
  EXPECT_EQ(162 - static_cast<int>(edges.size()) + static_cast<int>(surface.size()), 2);  // Euler's formula
  TetMesh checked = mesh;
  EXPECT_NEAR(testing::enclosed_volume(mesh, surface), check_and_repair(checked, "m", AllBoundaryTets::kKeep).volume,
              1e-13);
}

}  // namespace
}  // namespace isopatch
