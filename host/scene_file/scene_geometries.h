// SPDX-License-Identifier: Apache-2.0
//
// The part of a scene file that describes geometries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/scene_file/json_value.h"
#include "isopatch/error.h"
#include "isopatch/geometry/geometry.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch::detail {

/// Counts the tets of all primitives of a scene; above a limit it throws, with the location.
class TetBudget {
 public:
  void take(const JsonValue& location, std::int64_t tets);

  /// Fails if there is no room for so many more.
  void require(const JsonValue& location, std::int64_t tets) const;

 private:
  std::int64_t taken_ = 0;
};

/// Calls `make`; puts the location in the file before the message that it throws.
template <typename Make>
auto with_location(const JsonValue& location, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    location.fail(error);
  }
}

/// Throws for a value that has both keys.
void refuse_both(const JsonValue& value, const char* a, const char* b);

/// The sources of the meshes that a scene names: in memory, or else in files.
class MeshSource {
 public:
  /// Files are found relative to `directory`. Refers to `meshes`.
  MeshSource(std::filesystem::path directory, const SceneMeshes& meshes)
      : directory_(std::move(directory)), meshes_(meshes) {}

  /// How messages call what a scene names `file`.
  std::string shown(const std::string& file) const;

  TetMesh tet_mesh(const std::string& file) const;
  TriangleMesh surface(const std::string& file) const;

  /// The points of a mesh of either kind.
  std::vector<Point3> points(const std::string& file) const;

  /// The geometry of the type `given` with this name.
  Geometry given(const JsonValue& location, const std::string& name) const;

 private:
  std::filesystem::path directory_;
  const SceneMeshes& meshes_;
};

/// All geometries of a scene. Convex hulls whose name is in `without_tets` have none, unless they are refined or
/// strained.
std::vector<Geometry> parse_geometries(const JsonValue& value, const MeshSource& meshes,
                                       const std::set<std::string>& without_tets = {});

Geometry parse_sphere(const std::string& name, const JsonValue& value, TetBudget& budget);
Geometry parse_ellipsoid(const std::string& name, const JsonValue& value, TetBudget& budget);
Geometry parse_cylinder(const std::string& name, const JsonValue& value, TetBudget& budget);
Geometry parse_capsule(const std::string& name, const JsonValue& value, TetBudget& budget);
Geometry parse_polygon(const std::string& name, const JsonValue& value);
Geometry parse_convex_hull(const std::string& name, const JsonValue& value, const MeshSource& meshes, bool has_tets);
Geometry parse_bolt(const std::string& name, const JsonValue& value, TetBudget& budget);
Geometry parse_nut(const std::string& name, const JsonValue& value, TetBudget& budget);

/// What the coordinates in a mesh file are multiplied by.
struct FileScale {
  Point3 factors = {1, 1, 1};
  bool is_stated = false;  // by `scale` or `units`
};

/// The `scale` or `units` of a geometry.
FileScale parse_scale(const JsonValue& geometry);

/// Throws, with the reason, if a half space has `scale` or `units`.
void refuse_scale_of_half_space(const JsonValue& geometry);

/// Adds a warning to a geometry of so unlikely a size that its file may be in other units than metres, unless the scene
/// states them.
void warn_of_units(Geometry& geometry, const std::string& file, const FileScale& scale);

/// The `field` and `all_boundary_tets` of a tet mesh.
FieldOptions parse_field(const JsonValue& geometry);

/// A geometry's `strain`.
StrainMap parse_strain(const JsonValue& value);

}  // namespace isopatch::detail
