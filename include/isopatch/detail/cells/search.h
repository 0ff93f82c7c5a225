// SPDX-License-Identifier: Apache-2.0
//
// The pairs of cells of two meshes that may have a polygon: the tests of a traversal (bvh/traverse.h).
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/cells/node_test.h"
#include "isopatch/detail/cells/tet_filter.h"

namespace isopatch::detail {

/// The hierarchies to traverse: of tets or triangles, as the bodies are compliant or rigid.
ISOPATCH_HD HierarchyPair hierarchies_of(const MeshPair& f) {
  return {f.M.hierarchy.nodes, f.S.half_space ? nullptr : f.S.hierarchy.nodes};
}

ISOPATCH_HD CoarseRef coarse_cell_of_M(const MeshPair& f, std::int32_t m) { return {f.M.hierarchy.coarse_cells + m}; }
ISOPATCH_HD CoarseRef coarse_cell_of_S(const MeshPair& f, std::int32_t s) {
  return {s < 0 ? nullptr : f.S.hierarchy.coarse_cells + s};
}

/// Whether two cells pass the gate, and where their polygon can be.
template <bool checked = false>
ISOPATCH_HD bool test_cells(const MeshPair& f, AcceptedCells& cells) {
  const std::int32_t m = cells.m, s = cells.s;
  const auto exactly = [&](PolygonBounds<float>& to) {
    return test_cells_exactly(f, cell_of_M(f, m), cell_of_S(f, s), to);
  };
  return test_cells<checked>(f, coarse_cell_of_M(f, m), coarse_cell_of_S(f, s), true, exactly, cells.bounds);
}

/// The tests of a visitor of traverse(), which has the pair in its context. With `checked`, all cells are decided in
/// double.
template <class Context, bool checked = false>
struct CellSearch {
  using Accepted = AcceptedCells;

  const Context& context;

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const { return may_meet(context, box_of(m), box_of(s)); }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const { return test_cells<checked>(context, cells); }
};

}  // namespace isopatch::detail
