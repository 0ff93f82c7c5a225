// SPDX-License-Identifier: Apache-2.0
//
// The layer split: a vertex in the middle of everything that crosses a tet mesh from surface to surface.
#pragma once

#include <string>
#include <vector>

#include "host/mesh/topology/crossing_simplices.h"

namespace isopatch::detail {

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
