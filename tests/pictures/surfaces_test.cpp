// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "isopatch/pictures.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::error_of;

/// A half space before a cube with an edge of 2 m.
SceneDescription ground_and_cube() {
  SceneDescription scene;
  scene.geometries = {make_half_space("ground", 1), make_box("cube", {2, 2, 2})};
  scene.bodies.resize(2);
  scene.bodies[1].geometry = 1;
  return scene;
}

TEST(SceneSurfaces, AreMeshesThenSquaresUnderAllOfThem) {
  const SceneDescription scene = ground_and_cube();
  StateArrays states(scene, 2);
  states.poses[14 + 7 + 2] = 3;  // of the cube in environment 1
  const std::vector<PartSurface> surfaces = scene_surfaces(scene, states, 1);
  ASSERT_EQ(surfaces.size(), 2u);
  EXPECT_EQ(surfaces[0].body, 1);
  EXPECT_EQ(surfaces[0].surface.num_faces, 12);
  EXPECT_EQ(surfaces[0].surface.faces.size(), 12u * 4);
  for (const Point3& point : surfaces[0].surface.points) EXPECT_NEAR(point[2], 3, 1);
  EXPECT_FALSE(surfaces[0].half_space);
  EXPECT_TRUE(surfaces[1].half_space);
  EXPECT_EQ(surfaces[1].body, 0);
  EXPECT_EQ(surfaces[1].surface.faces, (std::vector<std::int32_t>{4, 0, 1, 2, 3}));
  EXPECT_EQ(surfaces[1].surface.points, (std::vector<Point3>{{-6, -6, 0}, {6, -6, 0}, {6, 6, 0}, {-6, 6, 0}}));
}

TEST(SceneSurfaces, HaveAPolygonAsOneFace) {
  SceneDescription scene;
  scene.geometries = {make_polygon("tile", {{0, 0}, {2, 0}, {3, 1}, {1, 2}, {0, 1}})};
  scene.bodies.resize(1);
  scene.bodies[0].rigid = true;
  StateArrays states(scene, 1);
  states.poses = {10, 0, 0, std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
  const std::vector<PartSurface> surfaces = scene_surfaces(scene, states, 0);
  ASSERT_EQ(surfaces.size(), 1u);
  const PolygonSurface& surface = surfaces[0].surface;
  EXPECT_EQ(surface.num_faces, 1);
  EXPECT_EQ(surface.faces, (std::vector<std::int32_t>{5, 0, 1, 2, 3, 4}));
  ASSERT_EQ(surface.points.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const Point3& corner = scene.geometries[0].mesh.points[i];
    EXPECT_NEAR(surface.points[i][0], 10 - corner[1], 1e-15);
    EXPECT_NEAR(surface.points[i][1], corner[0], 1e-15);
    EXPECT_EQ(surface.points[i][2], 0);
  }
}

TEST(SceneSurfaces, OfHalfSpacesAloneHaveEdgesOfThreeMetres) {
  SceneDescription scene = ground_and_cube();
  scene.bodies.resize(1);
  const std::vector<PartSurface> surfaces = scene_surfaces(scene, StateArrays(scene, 1), 0);
  ASSERT_EQ(surfaces.size(), 1u);
  EXPECT_EQ(surfaces[0].surface.points[2], (Point3{1.5, 1.5, 0}));
}

TEST(SceneSurfaces, FollowTheGeometryIndexAndLeaveOutAnInvalidOne) {
  const SceneDescription scene = ground_and_cube();
  StateArrays states(scene, 1);
  states.geometry_index = {1, 2};
  const std::vector<PartSurface> surfaces = scene_surfaces(scene, states, 0);
  ASSERT_EQ(surfaces.size(), 1u);
  EXPECT_EQ(surfaces[0].body, 0);
  EXPECT_EQ(surfaces[0].surface.num_faces, 12);
}

TEST(SceneSurfaces, OfAnInvalidPoseLieAtTheOrigin) {
  const SceneDescription scene = ground_and_cube();
  StateArrays states(scene, 1);
  const std::vector<PartSurface> expected = scene_surfaces(scene, states, 0);
  states.poses[7] = 5;
  states.poses[7 + 3] = 0;
  const std::vector<PartSurface> surfaces = scene_surfaces(scene, states, 0);
  EXPECT_EQ(surfaces[0].surface.points, expected[0].surface.points);
}

TEST(SceneSurfaces, RefuseStatesOfAnotherScene) {
  const SceneDescription scene = ground_and_cube();
  StateArrays states(scene, 1);
  EXPECT_NE(error_of([&] { scene_surfaces(scene, states, 1); }).find("there are 1"), std::string::npos);
  states.poses.clear();
  EXPECT_EQ(error_of([&] { scene_surfaces(scene, states, 0); }), "scene_surfaces: the states have no poses");
  states = StateArrays(scene, 1);
  states.num_parts = 3;
  EXPECT_EQ(error_of([&] { scene_surfaces(scene, states, 0); }),
            "scene_surfaces: states of 2 bodies and 3 parts; the scene has 2 and 2");
}

TEST(PatchSurface, HasSeparatePointsForEachPolygon) {
  Polygon triangle = {}, square = {};
  triangle.num_vertices = 3;
  square.num_vertices = 4;
  square.vertices[3][1] = 0.5f;
  const PolygonSurface surface = patch_surface({triangle, square});
  EXPECT_EQ(surface.num_faces, 2);
  EXPECT_EQ(surface.faces, (std::vector<std::int32_t>{3, 0, 1, 2, 4, 3, 4, 5, 6}));
  ASSERT_EQ(surface.points.size(), 7u);
  EXPECT_EQ(surface.points[6], (Point3{0, 0.5, 0}));
  EXPECT_EQ(patch_surface({}).num_faces, 0);
}

TEST(PatchSurface, RefusesAPolygonWithMoreThanEightVertices) {
  Polygon polygon = {};
  polygon.num_vertices = 9;
  EXPECT_EQ(error_of([&] {
              patch_surface({Polygon{}, polygon});
            }),
            "patch_surface: polygon 1 has 9 vertices; the most are 8");
}

TEST(ContactPolygons, AreAllOfTheEnvironment) {
  SceneDescription scene = ground_and_cube();
  scene.geometries[1] = make_sphere("ball", 1, 5);
  scene.bodies[1].pose[2] = 0.5;
  scene.pairs = {{0, 1, {}, {}}};
  const HostEvaluator evaluator{Scene(scene), {.backend = Backend::kCpu}};
  const StateArrays states(scene, 2);
  ResultArrays results(evaluator.scene(), 2, {});
  evaluator.evaluate(states.view(), results.view());
  const std::vector<Polygon> polygons = contact_polygons(evaluator, states, 1);
  EXPECT_GT(polygons.size(), 1024u) << "more than fit at first";
  EXPECT_EQ(static_cast<std::int64_t>(polygons.size()), results.polygon_count[1]);
}

}  // namespace
}  // namespace isopatch
