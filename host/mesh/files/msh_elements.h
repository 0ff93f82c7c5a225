// SPDX-License-Identifier: Apache-2.0
//
// The types of elements in Gmsh's files.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace isopatch::detail {

constexpr std::int64_t kMshTet = 4;

/// The count of nodes of an element; 0 for an unknown type.
int msh_nodes(std::int64_t type);

/// Whether it is a tet; of one with more than four nodes the first four are the corners.
bool is_msh_tet(std::int64_t type);

/// Whether it is a volume other than a tet.
bool is_msh_volume(std::int64_t type);

/// In the plural, for messages: "3 triangles, 1 elements of type 29". `elements` has how many there are of each type.
std::string msh_names(const std::map<std::int64_t, std::int64_t>& elements);

}  // namespace isopatch::detail
