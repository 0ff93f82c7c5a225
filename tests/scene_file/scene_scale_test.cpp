// SPDX-License-Identifier: Apache-2.0
//
// The size of geometries whose coordinates come from files: `scale`, `units`, and the warnings that suggest them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"
#include "tests/support/scenes.h"
#include "tests/support/temporary_folder.h"

namespace isopatch {
namespace {

const std::string kTests = source_path("tests");

SceneDescription scene_of(const std::string& geometry, const std::string& rigid, const std::string& directory) {
  return parse_scene(R"({"isopatch": 1, "geometries": {"m": {)" + geometry + R"(}},
                         "bodies": [{"name": "m", "geometry": "m", "rigid": )" +
                         rigid + "}]}",
                     directory, "s.json");
}

Geometry geometry_of(const std::string& geometry, const std::string& directory = kTests) {
  return scene_of(geometry, "true", directory).geometries.at(0);
}

std::string error_of(const std::string& geometry) {
  try {
    geometry_of(geometry);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_same(const Geometry& a, const Geometry& b) {
  EXPECT_EQ(a.mesh.points, b.mesh.points);
  EXPECT_EQ(a.mesh.tets, b.mesh.tets);
  EXPECT_EQ(a.surface, b.surface);
  EXPECT_EQ(a.extent, b.extent);
}

std::vector<Point3> multiplied(std::vector<Point3> points, const Point3& factors) {
  for (Point3& p : points) p = {p[0] * factors[0], p[1] * factors[1], p[2] * factors[2]};
  return points;
}

struct Size {
  std::string keys;
  Point3 factors;
};
const Size kSizes[] = {{R"("units": "m")", {1, 1, 1}},
                       {R"("units": "cm")", {0.01, 0.01, 0.01}},
                       {R"("units": "mm")", {0.001, 0.001, 0.001}},
                       {R"("scale": 0.001)", {0.001, 0.001, 0.001}},
                       {R"("units": "in")", {0.0254, 0.0254, 0.0254}},
                       {R"("scale": [0.5, 2, 3])", {0.5, 2, 3}}};

TEST(SceneScale, IsThatOfTheMultipliedPoints) {
  TetMesh tets = read_tet_mesh(kTests + "/fuzz/corpus/vtk/cube.vtk");
  TriangleMesh triangles = read_triangle_mesh(kTests + "/scenes/cube.obj");
  const std::vector<Point3> tet_points = tets.points, triangle_points = triangles.points;
  for (const auto& [keys, factors] : kSizes) {
    tets.points = multiplied(tet_points, factors);
    expect_same(geometry_of(R"("type": "tet_mesh", "file": "fuzz/corpus/vtk/cube.vtk", )" + keys),
                make_tet_mesh("m", tets));
    triangles.points = multiplied(triangle_points, factors);
    expect_same(geometry_of(R"("type": "surface_mesh", "file": "scenes/cube.obj", )" + keys),
                make_surface_mesh("m", triangles));
    expect_same(geometry_of(R"("type": "convex_hull", "file": "scenes/cube.obj", )" + keys),
                make_convex_hull("m", triangles.points));
  }
}

TEST(SceneScale, HoldsForThePointsOfAHull) {
  for (const auto& [keys, factors] : kSizes) {
    expect_same(geometry_of(R"("type": "convex_hull", "points": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]], )" + keys),
                make_convex_hull("m", multiplied({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, factors)));
  }
}

// Values from a file are dimensionless, the depth of a core is in metres.
TEST(SceneScale, KeepsTheValuesOfPointData) {
  const std::string tet = R"("type": "tet_mesh", "file": "scenes/oracle6_a.vtk", "field": {"point_data": "extent"}, )";
  EXPECT_EQ(geometry_of(tet + R"("scale": [-1, 2, 3])").extent, (std::vector<double>{1, 0.5, 0.5, 0}));

  const std::string cube = R"("type": "tet_mesh", "file": "fuzz/corpus/vtk/cube.vtk", "units": "cm", )";
  EXPECT_NO_THROW(geometry_of(cube + R"("field": {"laplace": {"depth": 4e-4}})"));
  EXPECT_THROW(geometry_of(cube + R"("field": {"laplace": {"depth": 0.04}})"), Error);
}

TEST(SceneScale, MirrorsWithThreeFactors) {
  const std::string keys = R"("type": "tet_mesh", "file": "scenes/oracle6_a.vtk", "field": {"point_data": "extent"})";
  const Geometry as_it_is = geometry_of(keys), mirrored = geometry_of(keys + R"(, "scale": [-2, 2, 2])");
  EXPECT_EQ(mirrored.mesh.points, multiplied(as_it_is.mesh.points, {-2, 2, 2}));
  EXPECT_EQ(mirrored.report.inverted_tets, as_it_is.report.inverted_tets);
  EXPECT_DOUBLE_EQ(mirrored.report.volume, 8 * as_it_is.report.volume);

  const Geometry prism = geometry_of(R"("type": "surface_mesh", "file": "fuzz/corpus/obj/prism.obj",
                                        "scale": [1, 1, -1])");
  EXPECT_EQ(prism.report.flipped_triangles, 0);
  EXPECT_DOUBLE_EQ(prism.report.volume, 3);
  EXPECT_TRUE(prism.warnings.empty());
}

/// A tet with a field that is not symmetric on an L, both moving; the x axis of meshes and states times `sign`.
SceneDescription tet_on_prism(int sign) {
  const std::string x = sign < 0 ? "-" : "";
  SceneDescription scene = parse_scene(R"({"isopatch": 1, "geometries": {
      "tet": {"type": "tet_mesh", "file": "scenes/oracle6_a.vtk", "field": {"point_data": "extent"},
              "scale": [)" + x + R"(0.02, 0.03, 0.05]},
      "prism": {"type": "surface_mesh", "file": "fuzz/corpus/obj/prism.obj", "scale": [)" +
                                           x + R"(0.03, 0.03, 0.03]}},
    "bodies": [
      {"name": "tet", "geometry": "tet", "modulus": 1e5, "dissipation": 0.3, "friction": 0.5,
       "linear_velocity": [0.1, 0.2, -0.3], "angular_velocity": [1, 2, 3]},
      {"name": "prism", "geometry": "prism", "rigid": true, "friction": 0.4, "position": [-0.02, -0.03, 0.01],
       "orientation": [1, 0.1, 0.2, -0.3], "angular_velocity": [0.3, -0.2, 0.1]} ],
    "contact": {"quadrature": "centroid"}})",
                                       kTests, "s.json");
  for (Body& body : scene.bodies) {
    for (const std::size_t i : {0, 5, 6}) body.pose[i] *= sign;
    for (const std::size_t i : {0, 4, 5}) body.velocity[i] *= sign;
  }
  return scene;
}

TEST(SceneScale, OfAMirrorMirrorsTheWrench) {
  const auto wrench_of = [](const SceneDescription& description) {
    const Scene scene(description);
    test::Batch batch(scene, 1);
    for (const Body& body : description.bodies) {
      batch.poses.insert(batch.poses.end(), body.pose.begin(), body.pose.end());
      batch.velocities.insert(batch.velocities.end(), body.velocity.begin(), body.velocity.end());
    }
    return test::evaluate(scene, batch, {.precision = Precision::kDouble}).pair_wrench;
  };
  const std::vector<double> wrench = wrench_of(tet_on_prism(1)), mirrored = wrench_of(tet_on_prism(-1));
  const double sign[] = {-1, 1, 1, 1, -1, -1};  // a torque is an axial vector
  double largest = 0;
  for (const double value : wrench) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_GT(std::fabs(wrench[i]), 1e-6 * largest) << i << ": a component of 0 would show nothing";
    EXPECT_NEAR(mirrored[i], sign[i] * wrench[i], 1e-12 * largest) << i;  // the order of vertices changes rounding
  }
}

TEST(SceneScale, BeyondTheLimitsIsTheErrorOfTheMesh) {
  const std::string mesh = R"("type": "surface_mesh", "file": "scenes/cube.obj", "scale": )";
  EXPECT_EQ(error_of(mesh + "1e12"), "s.json: geometries.m: " + kTests +
                                         "/scenes/cube.obj: point 0 is (-50000000000, -50000000000, -50000000000); "
                                         "coordinates must be within 1000000000 m, give the mesh in metres");
  EXPECT_NE(error_of(mesh + "[1e308, 1, 1e309]").find("not valid JSON"), std::string::npos);
  EXPECT_NE(error_of(mesh + "1e-12").find("/scenes/cube.obj: "), std::string::npos);
}

/// A box in a file of its own, which is removed in the end.
class BoxFile {
 public:
  explicit BoxFile(const Point3& size) { write_vtk(make_box_mesh(size), path()); }

  std::string path() const { return folder_.path("box.vtk"); }
  std::vector<std::string> warnings(const std::string& type, const std::string& rest = "") const {
    return geometry_of(R"("type": ")" + type + R"(", "file": "box.vtk")" + rest, folder_.folder().string()).warnings;
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST(SceneScale, OfAFileThatIsHugeInMetresMayBeInMillimetres) {
  const BoxFile file({3, 97.2, 10});
  const std::vector<std::string> expected = {
      file.path() + R"( is 97 m long. In millimetres? Say "units": "mm"; "units": "m" silences this)"};
  for (const char* type : {"tet_mesh", "convex_hull"}) {
    EXPECT_EQ(file.warnings(type), expected) << type;
    for (const char* silent : {R"(, "units": "m")", R"(, "units": "mm")", R"(, "scale": 1)", R"(, "scale": [1, 1, 1])"})
      EXPECT_TRUE(file.warnings(type, silent).empty()) << type << silent;
  }
}

TEST(SceneScale, OfAFileThatIsTinyInMetresMayHaveBeenScaledTwice) {
  const BoxFile file({1e-5, 2e-5, 1.25e-4});
  const std::vector<std::string> expected = {
      file.path() + R"( is 0.12 mm long. Turned into metres twice? Say "scale": 1000; "units": "m" silences this)"};
  EXPECT_EQ(file.warnings("tet_mesh"), expected);
  EXPECT_TRUE(file.warnings("tet_mesh", R"(, "units": "m")").empty());
}

TEST(SceneScale, IsNotDoubtedFromTwoMillimetresToFiveMetres) {
  for (const double length : {0.002, 0.1, 5.0}) {
    const BoxFile file({length / 2, length / 4, length});
    EXPECT_TRUE(file.warnings("tet_mesh").empty()) << length;
  }
  const BoxFile longer({1, 1, 5.5});
  EXPECT_EQ(longer.warnings("tet_mesh").size(), 1U);
}

TEST(SceneScale, OfNumbersInTheSceneIsNotDoubted) {
  EXPECT_TRUE(geometry_of(R"("type": "sphere", "radius": 50)").warnings.empty());
  EXPECT_TRUE(geometry_of(R"("type": "convex_hull", "points": [[0,0,0], [9,0,0], [0,9,0], [0,0,9]])").warnings.empty());
}

}  // namespace
}  // namespace isopatch
