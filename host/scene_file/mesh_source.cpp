// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "host/text/quote.h"

namespace isopatch::detail {

std::string MeshSource::shown(const std::string& file) const {
  const bool in_memory = meshes_.tet_meshes.contains(file) || meshes_.surfaces.contains(file);
  return in_memory ? file : (directory_ / file).string();
}

TetMesh MeshSource::tet_mesh(const std::string& file) const {
  const auto found = meshes_.tet_meshes.find(file);
  return found == meshes_.tet_meshes.end() ? read_tet_mesh((directory_ / file).string()) : found->second;
}

TriangleMesh MeshSource::surface(const std::string& file) const {
  const auto found = meshes_.surfaces.find(file);
  return found == meshes_.surfaces.end() ? read_triangle_mesh((directory_ / file).string()) : found->second;
}

std::vector<Point3> MeshSource::points(const std::string& file) const {
  const std::filesystem::path extension = std::filesystem::path(file).extension();
  if (meshes_.tet_meshes.contains(file)) return tet_mesh(file).points;
  if (meshes_.surfaces.contains(file) || extension == ".obj" || extension == ".stl") return surface(file).points;
  return tet_mesh(file).points;
}

Geometry MeshSource::given(const JsonValue& location, const std::string& name) const {
  const Names names = names_of(meshes_.geometries);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    location.fail(
        fmt::format("is \"given\", but no geometry of this name was given with the text{}", suggestion(name, names)),
        {.wanted = "a given geometry " + in_quotes(name, '"')});
  }
  if (std::count(names.begin(), names.end(), name) > 1) location.fail("is given more than once; give one of each name");
  return meshes_.geometries[found - names.begin()];
}

}  // namespace isopatch::detail
