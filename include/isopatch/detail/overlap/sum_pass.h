// SPDX-License-Identifier: Apache-2.0
//
// A pass by a warp, whose lanes test and clip cells of their own.
#pragma once

#include "isopatch/detail/overlap/part_overlap.h"
#include "isopatch/detail/pair/stored_sums.h"

namespace isopatch::detail {

template <class Warp, bool with_rates, bool checked>
struct PassVisitor : SurfaceSearch<OverlapPass, checked> {
  OverlapSums<double, with_rates>& sums;

  ISOPATCH_HD void visit(bool active, const AcceptedCells& cells) {
    const OverlapPass& f = this->context;
    const CellRef m = cell_of_M(f, cells.m), s = cell_of_S(f, cells.s);
    CutPlane<double> plane;
    Segments<double> polygon;
    const LinesInPlace<Warp::kCompactLines> lines = {};
    if (!active || !make_surface_plane(f, m, s, cells.bounds, lines, plane)) return;
    if (!lines.clip(plane.line, plane.num_lines, polygon)) return;
    const AreaMoments<double> moments = area_moments(lines.sides(polygon, plane.num_lines));
    const double weight = weight_of(m, cells.bounds.positive, has_cones(f));
    double terms[kNumbersOf<with_rates>];
    make_overlap_terms<with_rates>(f, plane, polygon.middle_x, polygon.middle_y, moments, weight, terms);
    sums.add(f.scales, true, terms);
  }
};

/// Adds up a share of a pass; lane 0 ends with the sums. With `brute_force`, every cell is tested with every cell, and
/// there is one share. Called by all lanes.
template <bool with_rates, bool brute_force, class Warp, int size>
ISOPATCH_HD OverlapSums<double, with_rates> sum_share(Warp& warp, TraversalMemory<AcceptedCells, size>& memory,
                                                      const OverlapPass& f, WorkSlice share) {
  OverlapSums<double, with_rates> sums;
  PassVisitor<Warp, with_rates, brute_force> visitor = {{{f}}, sums};
  if constexpr (brute_force) {
    visit_all<size>(warp, f.M.hierarchy.num_cells, f.S.half_space ? 0 : f.S.hierarchy.num_cells, visitor);
  } else {
    traverse(warp, memory, hierarchies_of(f), visitor, share);
  }
  reduce_lanes(warp, sums);
  return sums;
}

/// Adds up a pass. Called by all lanes.
template <bool with_rates, bool brute_force, class Warp, int size>
ISOPATCH_HD PassTotal sum_pass(Warp& warp, TraversalMemory<AcceptedCells, size>& memory, const OverlapPass& f) {
  return total_of<with_rates>(f, sum_share<with_rates, brute_force>(warp, memory, f, {}));
}

}  // namespace isopatch::detail
