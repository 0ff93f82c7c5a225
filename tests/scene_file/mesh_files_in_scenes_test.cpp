// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isopatch/error.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

const std::string kTests = source_path("tests");

SceneDescription scene_of(const std::string& geometry, const std::string& body = R"("rigid": true)") {
  return parse_scene(R"({"isopatch": 1, "geometries": {"m": {)" + geometry + R"(}, "ground": {"type": "half_space"}},
    "bodies": [{"name": "m", "geometry": "m", )" +
                         body + R"(}, {"name": "ground", "geometry": "ground"}]})",
                     kTests, "s.json");
}

TEST(MeshFilesInScenes, ASurfaceMeshIsScaled) {
  const SceneDescription scene = scene_of(R"("type": "surface_mesh", "file": "scenes/cube.obj", "scale": 2)");
  const Geometry& cube = scene.geometries.at(0);
  EXPECT_EQ(cube.name, "m");
  EXPECT_TRUE(cube.is_surface_mesh());
  EXPECT_NEAR(cube.report.volume, 0.008, 1e-15);
  EXPECT_EQ(Scene(scene).num_pairs(), 1);
}

TEST(MeshFilesInScenes, ATetMeshOfEveryFormatGivesTheSameGeometry) {
  const std::string field = R"(", "scale": 0.5, "field": {"point_data": "extent"})";
  const auto read = [&](const std::string& file) {
    return scene_of(R"("type": "tet_mesh", "file": ")" + file + field, R"("modulus": 1e6)").geometries.at(0);
  };
  const std::vector<Point3> points = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0.5, 0.5}};
  for (const char* file :
       {"fuzz/corpus/msh/ascii_2_2.msh", "fuzz/corpus/msh/binary_2_2.msh", "fuzz/corpus/msh/ascii_4_1.msh",
        "fuzz/corpus/msh/binary_4_1_big.msh", "fuzz/corpus/vtu/ascii.vtu", "fuzz/corpus/vtu/base64.vtu",
        "fuzz/corpus/vtu/base64_zlib.vtu", "fuzz/corpus/vtu/appended_raw.vtu", "fuzz/corpus/vtu/appended_base64.vtu"}) {
    const Geometry found = read(file);
    EXPECT_EQ(found.mesh.points, points) << file;
    EXPECT_EQ(found.mesh.tets.size(), 2U) << file;
    EXPECT_EQ(found.extent, (std::vector<double>{0, 0, 0, 0, 1})) << file;
  }
}

TEST(MeshFilesInScenes, AnErrorNamesThePlaceTheFileAndTheElement) {
  try {
    scene_of(R"("type": "surface_mesh", "file": "broken/meshes/same_corner.obj")");
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "s.json: geometries.m: " + kTests +
                                "/broken/meshes/same_corner.obj: the edge from point 0 (0, 0, 0) to point 2 (0, 1, 0) "
                                "belongs to triangle 0 only, one of 3 open edges around 1 hole; the surface must be "
                                "closed: fill the hole, in MeshLab or by PyVista's fill_holes()");
  }
}

}  // namespace
}  // namespace isopatch
