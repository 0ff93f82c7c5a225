// SPDX-License-Identifier: Apache-2.0
//
// Which mesh files are read, by the extensions of their names, which may be in capitals, and what messages advise for
// others and where a file has other cells than tets.
#pragma once

#include <fmt/format.h>

#include <string>

namespace isopatch::detail {

/// The extension of a file's name in lower case, with its dot; empty without one.
std::string extension_of(const std::string& path);

/// Whether the name is one of a file of tets: .vtk, .vtu or .msh.
bool is_tet_mesh_file(const std::string& path);

/// Whether the name is one of a surface that is read.
bool is_surface_file(const std::string& path);

/// For a file of a known format that is not read: what it is, and a command that converts it. Empty for any other name.
std::string advice_for_format(const std::string& path);

/// `extension` is of the file, such as ".vtk".
inline std::string how_to_make_tets(const char* extension) {
  return fmt::format("in Python, pyvista.read('in{}').triangulate().save('out.vtk') cuts them into tets", extension);
}

inline std::string how_to_make_a_surface(const char* extension) {
  return fmt::format(
      "a surface mesh is read from .obj, .stl and other files: in Python, "
      "pyvista.read('in{}').extract_surface().triangulate().save('out.stl') writes one",
      extension);
}

}  // namespace isopatch::detail
