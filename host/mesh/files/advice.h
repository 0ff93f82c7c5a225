// SPDX-License-Identifier: Apache-2.0
//
// What messages advise where a file has other cells than tets.
#pragma once

#include <fmt/format.h>

#include <string>

namespace isopatch::detail {

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
