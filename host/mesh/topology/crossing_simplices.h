// SPDX-License-Identifier: Apache-2.0
//
// The simplices of a tet mesh that cross it from surface to surface.
#pragma once

#include <array>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// An edge, a face or a tet: its vertices, ascending, with kNoVertex in front of fewer than four.
using Simplex = std::array<std::int32_t, 4>;

inline constexpr std::int32_t kNoVertex = -1;

inline bool is_edge(const Simplex& simplex) { return simplex[1] == kNoVertex; }

/// The corners of a tet as sets, one bit for each: its edges, then its faces, then itself.
inline constexpr std::array<unsigned, 11> kCornersOfSimplices = {0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100,
                                                                 0b0111, 0b1011, 0b1101, 0b1110, 0b1111};

/// The simplex of these corners of a tet.
Simplex simplex_of(const Tet& tet, unsigned corners);

/// The smallest simplices that cross the mesh: all their vertices lie on the surface, they do not, and no smaller
/// crossing simplex is in them. An extent that is 0 on the surface is 0 throughout them. Ascending. `boundary` is that
/// of boundary_triangles(); all indices are in range.
std::vector<Simplex> crossing_simplices(const TetMesh& mesh, const std::vector<Triangle>& boundary);

}  // namespace isopatch::detail
