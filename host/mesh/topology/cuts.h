// SPDX-License-Identifier: Apache-2.0
//
// Cuts that leave the shape of a mesh as it is: the layer split, a vertex in the middle of everything that crosses a
// tet mesh from surface to surface; cuts of tets along the levels of a field that is linear in each; and smaller
// triangles for the same surface.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

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

/// Cuts every tet of a mesh of positively oriented tets along all `levels` that `values` crosses in it, so that
/// afterwards each lies between two neighbouring levels. Levels ascend; no value is below the first or above the last.
/// The cuts of neighbours fit together: new vertices lie on edges alone, and each face is divided by the indices of its
/// vertices. Old vertices close to a level count as on it if a cut beside them would leave slivers. Point data is
/// interpolated. Returns for each new point its level's index. Throws Error, naming `source` and the tet, if one is
/// too flat for it, and if there would be more elements than can be indexed.
std::vector<std::size_t> cut_at_levels(TetMesh& mesh, const std::vector<double>& values,
                                       const std::vector<double>& levels, const std::string& source);

/// Bisects the longest edge of a checked surface, with all triangles at it, until none is longer than `edge_length`
/// [m]. The shape stays as it is up to rounding, and no angle is less than half the smallest of the triangle that it
/// was cut from (I. Rosenberg, F. Stenger: A lower bound on the angles of triangles constructed by bisecting the
/// longest side, Mathematics of Computation, 1975). Throws Error, naming `source`, if that takes more than ten
/// million triangles.
void refine(TriangleMesh& mesh, double edge_length, const std::string& source);

}  // namespace isopatch::detail
