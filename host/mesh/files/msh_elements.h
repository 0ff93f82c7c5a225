// SPDX-License-Identifier: Apache-2.0
//
// The element types of Gmsh.
#pragma once

#include <cstdint>
#include <string>

namespace isopatch::detail {

constexpr std::int64_t kMshTet = 4;

/// The count of nodes of an element; 0 for an unknown type.
int msh_nodes(std::int64_t type);

/// In the plural, for messages: "triangles", "elements of type 29".
std::string msh_name(std::int64_t type);

}  // namespace isopatch::detail
