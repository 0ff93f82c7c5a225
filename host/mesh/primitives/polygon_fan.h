// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Appends the triangles of a polygon that need not be exactly plane: a quad is cut along its shorter diagonal, a
/// polygon of more corners into its first fan, if possible one whose triangles all face the same way as the polygon.
/// Returns false, and appends nothing, for five or more corners without a corner that sees all others.
bool append_fan(const std::vector<Point3>& points, const std::vector<std::int32_t>& corners,
                std::vector<Triangle>& triangles);

/// Drops corners that equal the one before them, as long as three are left.
void drop_repeated_corners(std::vector<std::int32_t>& corners);

/// Vertices of convex polygons, each in cyclic order.
using Polygons = std::vector<std::vector<std::int32_t>>;

/// Appends the tets of a convex polyhedron: from its vertex `apex` to the triangles of each polygon's fan about its
/// first vertex. The apex is first in every polygon that has it.
void append_cone(TetMesh& mesh, std::int32_t apex, const Polygons& polygons);

}  // namespace isopatch::detail
