// SPDX-License-Identifier: Apache-2.0
//
// Primitives and fields in scene files.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "host/scene_file/scene_geometries.h"
#include "isopatch/error.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"
#include "tests/support/paths/paths.h"
#include "tests/support/temporary_folder.h"

namespace isopatch {

using namespace detail;

namespace {

Geometry geometry_of(const std::string& json, const std::string& directory = ".") {
  const std::string text = R"({"isopatch": 1, "geometries": {"shape": )" + json +
                           R"(, "ground": {"type": "half_space"}}, "bodies": [{"name": "b", "geometry": "shape"},
                              {"name": "g", "geometry": "ground"}]})";
  return parse_scene(text, directory, "test.json").geometries.at(0);
}

std::string geometry_error(const std::string& json, const std::string& directory = ".") {
  try {
    geometry_of(json, directory);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_same(const Geometry& a, const Geometry& b) {
  EXPECT_EQ(a.mesh.points, b.mesh.points);
  EXPECT_EQ(a.mesh.tets, b.mesh.tets);
  EXPECT_EQ(a.extent, b.extent);
}

TEST(SceneGeometries, PrimitivesAreThoseOfTheInterface) {
  expect_same(geometry_of(R"({"type": "ellipsoid", "semi_axes": [0.1, 0.2, 0.3]})"),
              make_ellipsoid("e", {0.1, 0.2, 0.3}, 2));
  expect_same(geometry_of(R"({"type": "ellipsoid", "semi_axes": [0.1, 0.2, 0.3], "subdivisions": 1})"),
              make_ellipsoid("e", {0.1, 0.2, 0.3}, 1));
  expect_same(geometry_of(R"({"type": "cylinder", "radius": 0.1, "height": 0.2})"), make_cylinder("c", 0.1, 0.2, 32));
  expect_same(geometry_of(R"({"type": "cylinder", "radius": 0.1, "height": 0.3, "segments": 8})"),
              make_cylinder("c", 0.1, 0.3, 8));
  expect_same(geometry_of(R"({"type": "capsule", "radius": 0.1, "length": 0.2})"), make_capsule("c", 0.1, 0.2, 32));
  expect_same(
      geometry_of(
          R"({"type": "convex_hull", "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]], "scale": 0.5})"),
      make_convex_hull("h", {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}));
}

TEST(SceneGeometries, RefinementIsThatOfTheInterface) {
  expect_same(geometry_of(R"({"type": "box", "size": [0.1, 0.2, 0.3], "refinement": 2})"),
              refine(make_box("b", {0.1, 0.2, 0.3}), 2));
  expect_same(geometry_of(R"({"type": "nut", "refinement": 1})"), refine(make_nut("n"), 1));
  EXPECT_EQ(geometry_error(R"({"type": "box", "size": [1, 1, 1], "refinement": 7})"),
            "test.json: geometries.shape.refinement: must be an integer from 0 to 6, found 7");
  EXPECT_EQ(geometry_error(R"({"type": "nut", "surface_only": true, "refinement": 1})"),
            "test.json: geometries.shape.refinement: shape: only a geometry with tets can be refined");
  EXPECT_TRUE(contains(geometry_error(R"({"type": "half_space", "refinement": 1})"), "refinement"));
}

TEST(SceneGeometries, BoltsAndNutsAreThoseOfTheInterface) {
  Bolt bolt = metric_bolt(0.008);
  expect_same(geometry_of(R"({"type": "bolt", "diameter": 0.008})"), make_bolt("b", bolt));
  bolt = {{0.01, 0.001, 2e-5}, 0.025, 0, 0.017, 24};
  expect_same(geometry_of(R"({"type": "bolt", "diameter": 0.01, "pitch": 0.001, "clearance": 2e-5, "length": 0.025,
                              "head_height": 0, "across_flats": 0.017, "segments": 24})"),
              make_bolt("b", bolt));
  expect_same(geometry_of(R"({"type": "nut"})"), make_nut("n", {}));
  const Nut nut = {{0.01, 0.001, 2e-5}, 0.008, 0.017, 72};  // pi 0.01 / 72 is the longest edge below 5e-4
  expect_same(geometry_of(R"({"type": "nut", "diameter": 0.01, "pitch": 0.001, "clearance": 2e-5, "height": 0.008,
                              "across_flats": 0.017, "edge_length": 5e-4})"),
              make_nut("n", nut));
}

TEST(SceneGeometries, SurfacesOfBoltsAndNutsAreForRigidBodies) {
  const auto parse = [](const std::string& rigid) {
    return parse_scene(R"({"isopatch": 1, "geometries": {"bolt": {"type": "bolt", "surface_only": true},
                                                         "nut": {"type": "nut"}},
                           "bodies": [{"name": "bolt", "geometry": "bolt", "rigid": )" +
                           rigid + R"(}, {"name": "nut", "geometry": "nut"}]})",
                       ".", "test.json");
  };
  const Geometry bolt = parse("true").geometries.at(0);
  EXPECT_TRUE(bolt.is_surface_mesh());
  EXPECT_EQ(bolt.surface, make_bolt_surface({}).triangles);
  EXPECT_THROW(parse("false"), Error);
}

TEST(SceneGeometries, BadThreadsNameTheirPlace) {
  EXPECT_EQ(geometry_error(R"({"type": "bolt", "pitch": 0.01})"),
            "test.json: geometries.shape: bolt: pitch [m] 0.01; it must be positive and at most a quarter of the "
            "diameter, 0.005");
  EXPECT_TRUE(
      contains(geometry_error(R"({"type": "nut", "segments": 20})"), "segments 20; it must be a multiple of 12"));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "nut", "length": 0.1})"), "geometries.shape.length: unknown field"));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "nut", "segments": 24, "edge_length": 1})"), "give one"));
  EXPECT_TRUE(
      contains(geometry_error(R"({"type": "bolt", "pitch": 1e-9})"), "the limit is 4000000; make them coarser"));
}

TEST(SceneGeometries, EdgeLengthChoosesTheResolution) {
  expect_same(geometry_of(R"({"type": "sphere", "radius": 0.3, "edge_length": 0.1})"),
              make_sphere("s", 0.3, sphere_subdivisions(0.3, 0.1)));
  expect_same(geometry_of(R"({"type": "capsule", "radius": 0.1, "length": 1, "facets": "equal_volume"})"),
              make_capsule("c", 0.1, 1, 32, Facets::kEqualVolume));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "sphere", "radius": 1, "facets": "equal_volumes"})"),
                       R"(facets: unknown value "equal_volumes"; did you mean "equal_volume"?)"));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "sphere", "radius": 1, "edge_length": 0.1, "subdivisions": 2})"),
                       "has \"subdivisions\" and \"edge_length\"; give one"));
  expect_same(geometry_of(R"({"type": "ellipsoid", "semi_axes": [0.1, 0.2, 0.3], "edge_length": 0.1})"),
              make_ellipsoid("e", {0.1, 0.2, 0.3}, sphere_subdivisions(0.3, 0.1)));
  expect_same(geometry_of(R"({"type": "cylinder", "radius": 0.1, "height": 0.3, "edge_length": 0.05})"),
              make_cylinder("c", 0.1, 0.3, 16));
  expect_same(geometry_of(R"({"type": "capsule", "radius": 0.1, "length": 0.3, "edge_length": 0.05})"),
              make_capsule("c", 0.1, 0.3, 16));
}

TEST(SceneGeometries, HullOfTheCornersOfAMeshFile) {
  const std::string file = source_path("tests/scenes/oracle6_a.vtk");
  expect_same(geometry_of(R"({"type": "convex_hull", "file": "oracle6_a.vtk"})", source_path("tests/scenes")),
              make_convex_hull("h", read_vtk(file).points));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "convex_hull", "file": "none.vtk"})"), "none.vtk: no such file"));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "convex_hull", "file": "."})"), "the extension '' is not one"));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "convex_hull"})"), "missing field \"points\""));
  EXPECT_TRUE(contains(geometry_error(R"({"type": "convex_hull", "points": [[0, 0, 0], [1, 0]]})"), "points[1]"));
}

/// 327 680 tets at 336 levels.
TEST(SceneGeometries, AStrainMapThatCutsTooManyTetsIsRefusedBeforeAnyIsCut) {
  const std::string error = geometry_error(
      R"({"type": "sphere", "radius": 1, "subdivisions": 7, "strain": {"power": 50, "tolerance": 1e-4}})");
  EXPECT_TRUE(contains(error, "strain: the geometries up to here have")) << error;
  EXPECT_TRUE(contains(error, "the limit is 4000000; make them coarser")) << error;
}

TEST(SceneGeometries, AllPrimitivesTogetherHaveALimit) {
  const JsonValue::Document document = JsonValue::parse("{}", "test.json");
  const JsonValue location(document, "test.json", "geometries.last");
  TetBudget budget;
  budget.take(location, 3'999'999);
  budget.take(location, 1);
  try {
    budget.take(location, 20);
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "test.json: geometries.last: the geometries up to here have 4000020 tets, the limit is 4000000; make "
                 "them coarser");
  }
}

TEST(SceneGeometries, FieldsOfATetMesh) {
  // a ball in two layers of tets: its mesh with one point more in the middle of each tet
  TetMesh mesh = make_sphere_mesh(1, 1);
  std::vector<Tet> tets;
  for (const Tet& tet : mesh.tets) {
    Point3 middle{};
    for (const std::int32_t v : tet)
      for (std::size_t k = 0; k < 3; ++k) middle[k] += mesh.points[static_cast<std::size_t>(v)][k] / 4;
    for (std::size_t i = 0; i < 4; ++i) {
      tets.push_back(tet);
      tets.back()[i] = static_cast<std::int32_t>(mesh.points.size());
    }
    mesh.points.push_back(middle);
  }
  mesh.tets = tets;
  const testing::TemporaryFolder folder;
  write_vtk(mesh, folder.path("ball.vtk"));

  const auto geometry = [&](const std::string& rest) {
    return geometry_of(R"({"type": "tet_mesh", "file": "ball.vtk")" + rest + "}", folder.folder().string());
  };
  FieldOptions options;
  options.kind = FieldOptions::Kind::kLaplace;
  expect_same(geometry(R"(, "field": "laplace")"), make_tet_mesh("b", mesh, options));
  options.core.kind = FieldCore::Kind::kDepth;
  options.core.depth = 0.6;
  expect_same(geometry(R"(, "field": {"laplace": {"depth": 0.6}})"), make_tet_mesh("b", mesh, options));
  options.core.kind = FieldCore::Kind::kBall;
  options.core.center = {0, 0, 0.1};
  options.core.radius = 0.2;
  expect_same(geometry(R"(, "field": {"laplace": {"ball": {"center": [0, 0, 0.1], "radius": 0.2}}})"),
              make_tet_mesh("b", mesh, options));
  options.core.kind = FieldCore::Kind::kVertices;
  options.core.vertices = {42};
  expect_same(geometry(R"(, "field": {"laplace": {"vertices": [42]}})"), make_tet_mesh("b", mesh, options));

  options = {};
  options.strain.kind = StrainMap::Kind::kTrue;
  options.strain.parameter = 0.8;
  expect_same(geometry(R"(, "strain": {"true": 0.8})"), make_tet_mesh("b", mesh, options));
  options.strain.kind = StrainMap::Kind::kPower;
  options.strain.parameter = 1.5;
  expect_same(geometry(R"(, "strain": {"power": 1.5})"), make_tet_mesh("b", mesh, options));
  options.strain.kind = StrainMap::Kind::kTable;
  options.strain.table = {{0, 0}, {0.5, 0.25}, {1, 1}};
  expect_same(geometry(R"(, "strain": {"table": [[0, 0], [0.5, 0.25], [1, 1]]})"), make_tet_mesh("b", mesh, options));
  expect_same(geometry(R"(, "strain": "linear")"), make_tet_mesh("b", mesh));
}

}  // namespace
}  // namespace isopatch
