// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <utility>

#include "isopatch/scene/scene.h"
#include "tests/mesh/checks/surface_fixtures.h"

namespace isopatch {
namespace {

using testing::error_of;
using testing::surface_of_tet;

std::string message_for(TriangleMesh mesh) {
  return error_of([&] { check_and_repair(mesh, "m"); });
}

TEST(SurfaceCheck, AcceptsAClosedSurface) {
  TriangleMesh mesh = surface_of_tet();
  const MeshReport report = check_and_repair(mesh, "m");
  EXPECT_EQ(report.points, 4);
  EXPECT_EQ(report.boundary_triangles, 4);
  EXPECT_EQ(report.flipped_triangles, 0);
  EXPECT_EQ(report.nonmanifold_edges, 0);
  EXPECT_DOUBLE_EQ(report.volume, 1.0 / 6);
}

TEST(SurfaceCheck, TurnsASurfaceThatPointsInward) {
  TriangleMesh mesh = surface_of_tet();
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  const Geometry geometry = make_surface_mesh("m", mesh);
  EXPECT_EQ(geometry.report.flipped_triangles, 4);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 1.0 / 6);
  EXPECT_GT(testing::enclosed_volume(geometry.mesh, geometry.surface), 0);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_EQ(geometry.warnings[0], "m: all 4 triangles pointed inward and have been turned");
}

TEST(SurfaceCheck, NamesAnOpenEdge) {
  TriangleMesh mesh = surface_of_tet();
  mesh.triangles.pop_back();
  EXPECT_EQ(message_for(mesh),
            "m: the edge from point 1 (1, 0, 0) to point 2 (0, 1, 0) belongs to triangle 0 only, one of 3 open edges "
            "around 1 hole; the surface must be closed: fill the hole, in MeshLab or by PyVista's fill_holes()");
}

// As a scan is exported whose texture has seams, and a hole.
TEST(SurfaceCheck, SaysWhereMergingPointsIsNotEnough) {
  TriangleMesh mesh = surface_of_tet();
  for (std::int32_t& v : mesh.triangles[0]) {
    mesh.points.push_back(mesh.points[static_cast<std::size_t>(v)]);
    v = static_cast<std::int32_t>(mesh.points.size()) - 1;
  }
  TriangleMesh open = mesh;
  open.triangles.pop_back();
  std::string message = message_for(open);
  EXPECT_TRUE(testing::contains(message, "merge_vertices() does, and fill the holes")) << message;

  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  message = message_for(mesh);
  EXPECT_TRUE(testing::contains(message,
                                "merge_vertices() does, and turn the triangles that then run along an edge in the same "
                                "direction"))
      << message;
}

TEST(SurfaceCheck, NamesNeighboursOfOppositeOrientation) {
  for (std::size_t turned = 0; turned < 4; ++turned) {
    TriangleMesh mesh = surface_of_tet();
    std::swap(mesh.triangles[turned][0], mesh.triangles[turned][1]);
    const std::string message = message_for(mesh);
    EXPECT_TRUE(testing::contains(message, "has the same direction in triangles")) << message;
    EXPECT_TRUE(testing::contains(message, std::to_string(turned))) << message;
  }
}

// Two tets that meet in an edge: a closed surface whose one edge belongs to four triangles, two each way.
TriangleMesh hinged_tets() {
  TriangleMesh mesh = surface_of_tet();
  mesh.points.push_back({0, -1, 0});
  mesh.points.push_back({-1, 0, 0});
  for (const Triangle& t : surface_of_tet().triangles) {
    Triangle other;
    const std::int32_t to[4] = {0, 5, 4, 3};  // the other tet is the first one turned half about z
    for (std::size_t i = 0; i < 3; ++i) other[i] = to[static_cast<std::size_t>(t[i])];
    mesh.triangles.push_back(other);
  }
  return mesh;
}

TEST(SurfaceCheck, CountsAnEdgeOfFourBalancedTriangles) {
  const Geometry geometry = make_surface_mesh("m", hinged_tets());
  EXPECT_EQ(geometry.report.nonmanifold_edges, 1);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 2.0 / 6);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_EQ(geometry.warnings[0], "m: 1 edges belong to more than two triangles; the surface touches itself there");
}

TEST(SurfaceCheck, RefusesAnEdgeOfFourThatIsNotBalanced) {
  TriangleMesh mesh = hinged_tets();
  // the second tet turned inside out: its two triangles at the edge still run both ways, so take one alone
  std::swap(mesh.triangles[5][0], mesh.triangles[5][1]);
  const std::string message = message_for(mesh);
  EXPECT_TRUE(testing::contains(message, "has the same direction in triangles")) << message;
}

TEST(SurfaceCheck, RefusesAnEdgeOfThree) {
  TriangleMesh mesh = surface_of_tet();
  mesh.points.push_back({1, 1, -1});
  mesh.triangles.push_back({1, 2, 4});
  const std::string message = message_for(mesh);
  EXPECT_TRUE(testing::contains(message, "belongs to 3 triangles, the first is triangle 0; an even number is needed"))
      << message;
}

// Counted twice, a surface would press twice.
TEST(SurfaceCheck, RefusesATriangleThatIsThereTwice) {
  TriangleMesh mesh = surface_of_tet();
  mesh.triangles.push_back({1, 0, 2});
  EXPECT_EQ(message_for(mesh), "m: triangle 4 (vertices 1 0 2) is a duplicate of triangle 0; remove one");
  mesh = surface_of_tet();
  const std::vector<Triangle> once = mesh.triangles;
  mesh.triangles.insert(mesh.triangles.end(), once.begin(), once.end());
  EXPECT_TRUE(testing::contains(message_for(mesh), "is a duplicate of triangle 0"));
}

TEST(SurfaceCheck, TakesOutTrianglesThatLieBackToBack) {
  for (const Triangle& back : {Triangle{1, 2, 4}, Triangle{2, 4, 1}, Triangle{4, 1, 2}}) {
    TriangleMesh mesh = surface_of_tet();
    mesh.points.push_back({1, 1, -1});
    mesh.triangles.insert(mesh.triangles.begin() + 2, {4, 2, 1});
    mesh.triangles.push_back(back);
    const Geometry geometry = make_surface_mesh("m", mesh);
    EXPECT_EQ(geometry.surface, surface_of_tet().triangles);
    EXPECT_EQ(geometry.report.duplicate_triangles, 2);
    EXPECT_EQ(geometry.report.nonmanifold_edges, 0);
    EXPECT_EQ(geometry.warnings,
              std::vector<std::string>{"m: 2 triangles lie back to back in pairs and were left out"});
  }
}

TEST(SurfaceCheck, NamesTheElementAndTheValue) {
  TriangleMesh mesh = surface_of_tet();
  mesh.triangles[2][1] = 7;
  EXPECT_EQ(message_for(mesh), "m: triangle 2 (vertices 0 7 2) has index 7; it must lie in [0, 3]");
  mesh = surface_of_tet();
  mesh.triangles[3][0] = -1;
  EXPECT_EQ(message_for(mesh), "m: triangle 3 (vertices -1 2 3) has index -1; it must lie in [0, 3]");
  mesh = surface_of_tet();
  mesh.triangles = {{0, 1, 0}};
  EXPECT_EQ(message_for(mesh), "m: no triangle has three corners; a closed surface is needed");
  mesh = surface_of_tet();
  mesh.points[3][2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_for(mesh), "m: point 3 is (0, 0, inf); coordinates must be finite");
  EXPECT_EQ(message_for({}), "m: the mesh has no triangles; a closed surface is needed");
}

// A T-junction closed by a triangle whose corners lie on a line.
TEST(SurfaceCheck, TakesOutTrianglesWithoutArea) {
  TriangleMesh mesh = surface_of_tet();
  mesh.points.push_back({0.5, 0, 0});  // on the edge 0-1; only the side 0 1 3 is cut there
  mesh.triangles = {{0, 2, 1}, {0, 4, 3}, {4, 1, 3}, {0, 1, 4}, {0, 3, 2}, {1, 2, 3}};
  const Geometry geometry = make_surface_mesh("m", mesh);
  EXPECT_EQ(geometry.report.flat_triangles, 1);
  EXPECT_EQ(geometry.surface.size(), 5U);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 1.0 / 6);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_EQ(geometry.warnings[0], "m: 1 triangles have no area and were left out");

  mesh.triangles.push_back({2, 3, 2});  // a corner twice
  mesh.triangles.push_back({3, 3, 3});
  EXPECT_EQ(make_surface_mesh("m", mesh).warnings[0], "m: 3 triangles have no area and were left out");
}

TEST(SurfaceCheck, RefusesASurfaceThatEnclosesNothing) {
  // a square of two triangles and its back, cut along the other diagonal
  const TriangleMesh flat{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}, {1, 0, 3}, {1, 3, 2}}};
  EXPECT_EQ(message_for(flat), "m: the surface encloses a volume of 0 m^3; a body with an inside is needed");
}

TEST(SurfaceCheck, IsForRigidBodiesOnly) {
  SceneDescription scene;
  scene.geometries = {make_surface_mesh("rock", surface_of_tet()), make_half_space("ground", 1)};
  scene.bodies.resize(2);
  scene.bodies[0].name = "rock";
  scene.bodies[1].geometry = 1;
  EXPECT_EQ(error_of([&] { Scene{scene}; }),
            "scene: body 'rock': geometry 'rock': a surface mesh has no inside to press on; use a tet mesh, or make "
            "'rock' rigid");
  scene.bodies[0].rigid = true;
  EXPECT_EQ(Scene(scene).num_bodies(), 2);
}

}  // namespace
}  // namespace isopatch
