// SPDX-License-Identifier: Apache-2.0
//
// Chooses the reader by the extension of a file.
#include <filesystem>

#include "host/files/input_file.h"
#include "host/mesh/files/file_cursor.h"
#include "host/text/throw_error.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

std::string extension_of(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

}  // namespace

TetMesh read_tet_mesh(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == ".vtk") return read_vtk(path);
  if (extension == ".vtu") return parse_vtu(read_input_file(path, limits::kMaxMeshBytes), path);
  if (extension == ".msh") return parse_msh(read_input_file(path, limits::kMaxMeshBytes), path);
  throw_error("{}: the extension {} is not one of a tet mesh; .vtk, .vtu and .msh files are read", path,
              in_quotes(extension));
}

TriangleMesh read_triangle_mesh(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension == ".obj") return parse_obj(read_input_file(path, limits::kMaxMeshBytes), path);
  if (extension == ".stl") return parse_stl(read_input_file(path, limits::kMaxMeshBytes), path);
  throw_error("{}: the extension {} is not one of a surface mesh; .obj and .stl files are read", path,
              in_quotes(extension));
}

}  // namespace isopatch
