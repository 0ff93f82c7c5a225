// SPDX-License-Identifier: Apache-2.0
//
// Scenes whose meshes are in memory.
#include <gtest/gtest.h>

#include <string>

#include "isopatch/error.h"
#include "isopatch/scene.h"

namespace isopatch {
namespace {

NamedMeshes cube_and_sphere() {
  NamedMeshes meshes;
  meshes.tet_meshes["lump"] = make_box_mesh({0.1, 0.2, 0.3});
  const TetMesh sphere = make_sphere_mesh(0.1, 1);
  meshes.surfaces["shell"] = {sphere.points, boundary_triangles(sphere), {}};
  return meshes;
}

SceneDescription scene_with(const std::string& geometry, const NamedMeshes& meshes) {
  const std::string text = R"({"isopatch": 1, "geometries": {"shape": )" + geometry +
                           R"(, "ground": {"type": "half_space"}}, "bodies": [
                              {"name": "b", "geometry": "shape", "rigid": true}, {"name": "g", "geometry": "ground"}]})";
  return parse_scene(text, ISOPATCH_SOURCE_DIR "/tests/scenes", "scene", meshes);
}

std::string error_of(const std::string& geometry, const NamedMeshes& meshes) {
  try {
    scene_with(geometry, meshes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneMeshes, AreTakenFromMemoryLikeFromFiles) {
  const NamedMeshes meshes = cube_and_sphere();
  const Geometry tets = scene_with(R"({"type": "tet_mesh", "mesh": "lump", "scale": 2})", meshes).geometries.at(0);
  EXPECT_EQ(tets.name, "shape");
  EXPECT_EQ(tets.extent, make_tet_mesh("box", make_box_mesh({0.2, 0.4, 0.6})).extent);

  const Geometry shell = scene_with(R"({"type": "surface_mesh", "mesh": "shell"})", meshes).geometries.at(0);
  EXPECT_TRUE(shell.is_surface_mesh());
  EXPECT_EQ(shell.surface, meshes.surfaces.at("shell").triangles);

  for (const char* name : {"lump", "shell"}) {
    const std::string hull = R"({"type": "convex_hull", "mesh": ")" + std::string(name) + R"("})";
    EXPECT_FALSE(scene_with(hull, meshes).geometries.at(0).mesh.tets.empty()) << name;
  }
}

TEST(SceneMeshes, ThatAreNotThereAreErrorsWithWhatThereIs) {
  const NamedMeshes meshes = cube_and_sphere();
  EXPECT_EQ(error_of(R"({"type": "tet_mesh", "mesh": "lunp"})", meshes),
            R"(scene: geometries.shape.mesh: no mesh in memory is named "lunp"; did you mean "lump"?)");
  EXPECT_EQ(error_of(R"({"type": "surface_mesh", "mesh": "lump"})", meshes),
            R"(scene: geometries.shape.mesh: no mesh in memory is named "lump"; known: "shell")");
  EXPECT_EQ(error_of(R"({"type": "tet_mesh", "mesh": "lump"})", {}),
            R"(scene: geometries.shape.mesh: no such mesh was given in memory; a file is named by "file")");
  EXPECT_EQ(error_of(R"({"type": "tet_mesh", "mesh": "lump", "file": "cube.vtk"})", meshes),
            R"(scene: geometries.shape: has "file" and "mesh"; give one)");
  EXPECT_EQ(error_of(R"({"type": "convex_hull", "mesh": "lump", "points": []})", meshes),
            R"(scene: geometries.shape: has "points" and "mesh"; give one)");
}

TEST(SceneMeshes, AreCheckedLikeFilesUnderTheirNames) {
  NamedMeshes meshes = cube_and_sphere();
  meshes.tet_meshes["lump"].tets[0][0] = 1000;
  EXPECT_NE(error_of(R"({"type": "tet_mesh", "mesh": "lump"})", meshes).find("scene: geometries.shape: lump: "),
            std::string::npos)
      << error_of(R"({"type": "tet_mesh", "mesh": "lump"})", meshes);
}

}  // namespace
}  // namespace isopatch
