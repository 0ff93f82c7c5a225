// SPDX-License-Identifier: Apache-2.0
//
// The layer split: a vertex in the middle of everything that crosses a tet mesh from surface to surface.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// An edge, a face or a tet: its vertices, ascending, with kNoVertex in front of fewer than four.
using Simplex = std::array<std::int32_t, 4>;

inline constexpr std::int32_t kNoVertex = -1;

inline bool is_edge(const Simplex& simplex) { return simplex[1] == kNoVertex; }

/// The smallest simplices that cross the mesh: all their vertices lie on the surface, they do not, and no smaller
/// crossing simplex is in them. An extent that is 0 on the surface is 0 throughout them. Ascending. `boundary` is that
/// of boundary_triangles(); all indices are in range.
std::vector<Simplex> crossing_simplices(const TetMesh& mesh, const std::vector<Triangle>& boundary);

/// Gives every crossing simplex a vertex in its middle and cuts the tets around it. Then every edge, face or tet with
/// all vertices on the surface lies in the surface, which is thus a full subcomplex of the mesh: a wall of one layer of
/// tets has got a layer of vertices inside. The surface stays as it is, the mesh conforming, and point data is
/// interpolated. `crossing` is what crossing_simplices() returns. Returns the number of tets that were cut; the pieces
/// of each take its place.
///
/// Edges are bisected first, the longest first, then faces, then tets get a vertex. Vertices and tets are the same, to
/// the bit, for any order of the mesh's tets, and for any order of its points if no two are in the same place.
///
/// Throws Error, naming `source`, for a tet that is too flat to be cut, and for more tets than can be indexed; the mesh
/// is then undefined.
std::int64_t split_layers(TetMesh& mesh, const std::vector<Simplex>& crossing, const std::string& source);

}  // namespace isopatch::detail
