// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/mesh.h"

namespace isopatch::detail {

/// Appends the triangles of a polygon that need not be quite plane: of a quad by the shorter diagonal, of more corners
/// by the first fan, in both with all triangles on the side to which the polygon faces where that is possible.
/// Returns false, and appends nothing, for five or more corners that no single one can see.
bool append_fan(const std::vector<Point3>& points, const std::vector<std::int32_t>& corners,
                std::vector<Triangle>& triangles);

/// Vertices of convex polygons, each in cyclic order.
using Polygons = std::vector<std::vector<std::int32_t>>;

/// Appends the tets of a convex polyhedron: from its vertex `apex` to the triangles of each polygon's fan about its
/// first vertex. The apex is first in every polygon that has it.
void append_cone(TetMesh& mesh, std::int32_t apex, const Polygons& polygons);

}  // namespace isopatch::detail
