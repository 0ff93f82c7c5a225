// SPDX-License-Identifier: Apache-2.0
//
// The edges of a triangle surface, sorted so that triangles sharing an edge stand next to each other, and those that
// keep it from being closed.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

/// One triangle's use of an edge.
struct EdgeUse {
  std::int32_t low, high;  // its vertices
  bool ascending;          // whether the triangle runs from low to high
  std::int32_t triangle;
};

/// Every edge of every triangle (3 per triangle), sorted by vertices, then descending uses first, then by triangle.
std::vector<EdgeUse> sorted_edges(const TriangleMesh& mesh);

/// Edges that one triangle has alone.
struct OpenEdges {
  std::int64_t edges = 0;
  std::int64_t holes = 0;  // how many connected groups they form
};

OpenEdges open_edges(const TriangleMesh& mesh);

/// Merges points with the same coordinates, and removes triangles that then have two equal corners.
void weld(TriangleMesh& mesh);

}  // namespace isopatch::detail
