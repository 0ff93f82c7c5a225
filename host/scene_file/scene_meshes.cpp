// SPDX-License-Identifier: Apache-2.0
//
// The meshes of geometries, from files or from memory.
#include <fmt/format.h>

#include <map>

#include "host/scene_file/scene_geometries.h"

namespace isopatch::detail {
namespace {

/// What is wrong with a mesh that is in none of the maps of its kinds.
template <typename Meshes>
[[noreturn]] void fail_unknown(const JsonValue& key, const Meshes& meshes) {
  std::vector<std::string> names;
  for (const auto& [name, mesh] : meshes) names.push_back(name);
  if (names.empty()) key.fail(R"(no such mesh was given in memory; a file is named by "file")");
  key.fail(fmt::format("no mesh in memory is named {}{}", in_quotes(key.text(), '"'), suggestion(key.text(), names)));
}

template <typename Mesh>
FoundMesh<Mesh> find(const JsonValue& geometry, const MeshSource& source, const std::map<std::string, Mesh>& meshes,
                     Mesh (*read)(const std::string& path)) {
  refuse_both(geometry, "file", "mesh");
  if (const auto key = geometry.optional("mesh")) {
    const auto found = meshes.find(key->text());
    if (found == meshes.end()) fail_unknown(*key, meshes);
    return {found->second, found->first};
  }
  const std::filesystem::path file = source.directory / geometry.required("file").text();
  return with_location(geometry, [&] { return FoundMesh<Mesh>{read(file.string()), file}; });
}

}  // namespace

FoundMesh<TetMesh> find_tet_mesh(const JsonValue& geometry, const MeshSource& source) {
  return find(geometry, source, source.meshes.tet_meshes, read_tet_mesh);
}

FoundMesh<TriangleMesh> find_surface(const JsonValue& geometry, const MeshSource& source) {
  return find(geometry, source, source.meshes.surfaces, read_triangle_mesh);
}

FoundMesh<std::vector<Point3>> find_points(const JsonValue& geometry, const MeshSource& source) {
  const auto file = geometry.optional("file"), key = geometry.optional("mesh");
  const std::string extension = file ? std::filesystem::path(file->text()).extension().string() : "";
  const bool is_surface = extension == ".obj" || extension == ".stl";
  if (is_surface || (key && source.meshes.surfaces.count(key->text()) != 0)) {
    FoundMesh<TriangleMesh> found = find_surface(geometry, source);
    return {std::move(found.mesh.points), found.name};
  }
  FoundMesh<TetMesh> found = find_tet_mesh(geometry, source);
  return {std::move(found.mesh.points), found.name};
}

}  // namespace isopatch::detail
