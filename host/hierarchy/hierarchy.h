// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/scene/cell.h"
#include "isopatch/detail/scene/scene_view.h"
#include "isopatch/geometry/geometry.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Cells and the hierarchy over them, owned.
struct Hierarchy {
  std::vector<Cell> cells;
  std::vector<CoarseCell> coarse_cells;
  std::vector<Node> nodes;  // one cell a leaf
  std::vector<WideNode> wide_nodes;
  std::vector<SmoothedGradient> smoothed_gradients;  // empty, or one for each cell
  int depth = 0;                                     // nodes on the longest path from the root to a leaf

  HierarchyView view() const;
};

/// One cell per tet, with its affine extent.
std::vector<Cell> tet_cells(const Geometry& geometry);

/// The smoothed gradients of its tet_cells().
std::vector<SmoothedGradient> smoothed_gradients(const Geometry& geometry, const std::vector<Cell>& cells);

/// The fluxes of its tets, and where they end; empty where the extent is not 0 on all of the surface. Both fields have
/// no flux through the surface. In each component of the mesh they are those of a tree of tets that share faces,
/// through which the integral of the extent flows from tet to tet to one sink; the field that checks is the difference
/// from the flow along another tree to another sink, with random circulations about the edges inside.
struct CellFluxes {
  std::vector<CellFlux> fluxes;
  std::vector<FluxSink> sinks;
};
CellFluxes cell_fluxes(const Geometry& geometry, const Hierarchy& solid);

/// One tet (cone) per triangle of a surface mesh, with its apex in the middle of the surface, without extent; for the
/// energy. The signed volumes add up to the body's: a cone whose apex is on the outer side of its triangle is
/// inverted and counts as negative.
std::vector<Cell> cone_cells(const Geometry& geometry);

/// One cell per surface triangle.
std::vector<Cell> triangle_cells(const Geometry& geometry);

/// Binary hierarchy by the surface area heuristic (full sweep over the three axes; MacDonald and Booth 1990), falling
/// back to median splits if that would exceed kMaxDepth levels.
Hierarchy build_hierarchy(std::vector<Cell> cells);

/// The nodes of a binary hierarchy as wide nodes; the first holds the root alone.
std::vector<WideNode> wide_nodes(std::span<const Node> nodes);

/// The size of the bounding volume hierarchy that a scene makes for a geometry.
struct HierarchyStatistics {
  int nodes = 0;  // inner nodes and leaves
  int leaves = 0;
  int depth = 0;  // nodes on the longest path from the root to a leaf
};

/// All zero for a half space, which has no hierarchy.
HierarchyStatistics hierarchy_statistics(const Geometry& geometry);

/// Of its tet.
inline double volume_of(const Cell& cell) {
  const auto edge = [&](int i) { return cell.corner[i].vertex - cell.corner[0].vertex; };
  return std::fabs(dot(cross(edge(1), edge(2)), edge(3))) / 6;
}

/// The vertex of the mesh at each corner of a cell, which may have them in another order than the tet.
inline Tet vertices_of(const Cell& cell, const Tet& tet, const std::vector<Point3>& points) {
  Tet out = tet;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3d at = cell.corner[i].vertex;
    for (const std::int32_t vertex : tet) {
      const Point3& p = points[vertex];
      if (p[0] == at.x && p[1] == at.y && p[2] == at.z) out[i] = vertex;
    }
  }
  return out;
}

}  // namespace isopatch::detail
