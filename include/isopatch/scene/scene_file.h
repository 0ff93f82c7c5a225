// SPDX-License-Identifier: Apache-2.0
//
// Scenes from text, and as text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/scene/scene.h"

namespace isopatch {

/// Reads a scene file (JSON, see README). Relative mesh paths start at `directory`, without one at the scene file's.
/// Throws Error naming the file, the field and the value.
SceneDescription read_scene(const std::string& path, const std::optional<std::string>& directory = {});

/// The same from memory; relative mesh paths start at `directory`, `source` names the text in errors.
SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source);

/// What the text of a scene can name instead of files.
struct SceneMeshes {
  /// What a geometry `{"type": "given"}` is: the one of its name.
  std::vector<Geometry> geometries = {};

  std::map<std::string, TetMesh> tet_meshes = {};     ///< by the `file` of a `tet_mesh` or a `convex_hull`
  std::map<std::string, TriangleMesh> surfaces = {};  ///< by the `file` of a `surface_mesh` or a `convex_hull`
};

/// The same with meshes in memory: a name that is not among them is a file's. `scale`, `units`, `field` and so on hold
/// for them as for files. Throws Error also for a given geometry that is missing or there twice; that it is as a make_
/// function leaves it is checked by Scene.
SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source,
                             const SceneMeshes& meshes);

/// The text of a scene file in which all geometries are given: with them, parse_scene(to_json(scene), "", "",
/// {scene.description().geometries}) makes a Scene of the same bits, and the same text again. Equal scenes have equal
/// texts and equal geometries. Numbers are written so that they read as the same double. Values that no part uses, such
/// as a rigid body's modulus, may be left out. Throws Error for names of bodies or geometries that are empty, repeated
/// or no valid UTF-8, which a scene file cannot have.
std::string to_json(const Scene& scene);

}  // namespace isopatch
