// SPDX-License-Identifier: Apache-2.0
//
// The checks of meshes, and of a geometry before it is evaluated, however it was made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// check_and_repair() of mesh.h, which also finds the boundary triangles.
MeshReport check_and_repair(TetMesh& mesh, const std::string& source, AllBoundaryTets policy,
                            std::vector<Triangle>& boundary);

/// "the surface cuts through itself at 12 triangles, first at ...", of a report that counts some.
std::string self_cuts_text(const TriangleMesh& mesh, const MeshReport& report);

/// The surface of a geometry whose tets were cut, and those numbers of its report that change with it.
void measure_again(Geometry& geometry);

/// Throws Error, naming `source` and the element, unless `geometry` is as a make_ function leaves it. Takes linear
/// time, far less than making its hierarchy.
void check_geometry(const Geometry& geometry, const std::string& source);

/// Throws, naming `source` and the point or tet, unless the extents at the points of a checked mesh are finite and not
/// negative, one of them positive, and they and their gradients are within the limits. `size` is the diagonal of the
/// mesh.
void check_extents(const TetMesh& mesh, const std::vector<double>& extent, double size, const std::string& source);

/// The tets whose vertices all have extent 0: contact there gives no force.
std::int64_t count_tets_without_extent(const TetMesh& mesh, const std::vector<double>& extent);

}  // namespace isopatch::detail
