// SPDX-License-Identifier: Apache-2.0
//
// The stage that clips and integrates the polygons of accepted cells, and adds them to the sums of their pair.
#pragma once

#include "isopatch/detail/contact/sinks.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"
#include "isopatch/detail/pressure_field/stages/search.h"

namespace isopatch::detail {

/// The contribution of the polygon of two cells that passed the gate. False if they have none after all.
template <class T, class Cells, class Lines, class Polygon>
ISOPATCH_HD MaskOf<T> contribution_of(const PairContext& f, const Cells& m, const Cells& s,
                                      const PolygonBounds<FloatOf<T>>& bounds, const Lines& lines,
                                      ContactPlane<T>& plane, Polygon& polygon, Contribution<T>& contribution) {
  MaskOf<T> found = make_contact_plane(f, m, s, bounds, lines, plane);
  if (!any(found)) return found;
  found = found && lines.clip(plane.line, plane.num_lines, polygon);
  if (!any(found)) return found;
  if constexpr (Lines::kInMemory) renew_axes(plane);
  PolygonIntegral<T> integral;
  const auto& sides = lines.sides(polygon, plane.num_lines);
  found = found && integrate(f, m, s, plane, polygon, sides, integral, HardInPlace());
  if (any(found)) contribution = contribution_of(f, plane, integral);
  return found;
}

/// Clips, integrates and sums, and gives what counts as a polygon to the sinks if the set of outputs has polygons. T is
/// the scalar of the evaluation.
template <class T, Outputs outputs, bool checked, class Warp, class Sinks>
struct WrenchVisitor : CellSearch<PairContext, checked> {
  Warp& warp;
  std::int64_t environment;
  int pair;
  WrenchSums<T, outputs != Outputs::kWrench>& sums;
  const Sinks& sinks;

  ISOPATCH_HD void visit(bool active, const AcceptedCells& cells) {
    const PairContext& f = this->context;
    const CellRef m = cell_of_M(f, cells.m), s = cell_of_S(f, cells.s);
    ContactPlane<T> plane;
    Segments<T> segments;
    Contribution<T> contribution;
    const LinesInPlace<Warp::kCompactLines> lines = {};
    if (!active || !contribution_of(f, m, s, cells.bounds, lines, plane, segments, contribution)) return;
    // scales are made here, rather than kept in registers over the traversal
    const bool counts = sums.add(true, contribution, FixedPointScales<T>::make(f.bounds));
    if constexpr (has(outputs, Outputs::kPolygons)) {
      if (!counts || f.pass != Pass::kFirst) return;
      sinks.add(warp, FoundPolygon<T>{f, environment, pair, cells.m, cells.s, plane,
                                      lines.sides(segments, plane.num_lines), contribution});
    }
  }
};

/// What the lanes of one warp share while they integrate: first the lines and sides of their polygons, then sums.
template <class T, bool with_patch, int size>
union IntegrationMemory {
  using Words = LaneWords<WrenchSums<T, with_patch>, size>;

  BoundarySide<T> sides[SideList<T>::kMax * size];
  Words words;
};

/// Adds the polygon of a listed cell to a lane's sums. False if there is none, or one too small to count.
template <class T, bool with_patch, class Lines, class Polygon>
ISOPATCH_HD bool integrate_cell(const PairContext& context, const AcceptedCells& cells, const Lines& lines,
                                ContactPlane<T>& plane, Polygon& polygon, WrenchSums<T, with_patch>& sums) {
  Contribution<T> contribution;
  return contribution_of(context, cell_of_M(context, cells.m), cell_of_S(context, cells.s), cells.bounds, lines, plane,
                         polygon, contribution) &&
         sums.add(true, contribution, FixedPointScales<T>::make(context.bounds));
}

/// Integrates the listed cells from `first` to `end`, at most one for each lane. Called by all lanes.
template <class T, bool with_patch, class Warp, int size>
ISOPATCH_HD void integrate_cells(Warp& warp, IntegrationMemory<T, with_patch, size>& memory, const StagedPairs& staged,
                                 std::int32_t first, std::int32_t end) {
  const std::int32_t at = first + warp.lane();
  std::int32_t to = -1;
  WrenchSums<T, with_patch> sums;
  bool found = false;
  if (at < end) {
    const CellWork& item = staged.cells.items[at];
    const StagedPartPair& part_pair = staged.part_pairs.items[item.part_pair];
    ContactPlane<T> plane;
    StoredPolygon<T, size> polygon;
    const LinesInMemory<T, size> lines = {memory.sides + warp.lane()};
    found = integrate_cell(part_pair.context, item.cells, lines, plane, polygon, sums);
    to = part_pair.sums;
  }
  if constexpr (IntegrationMemory<T, with_patch, size>::Words::kPays) {
    warp.sync();  // the sides are used up
    add_lanes_to(warp, found ? to : -1, sums, memory.words, staged.sums);
  } else {
    for (std::uint32_t left = warp.ballot(found); left != 0u;) {
      const int target = warp.from_lane(to, count_bits(~left & (left - 1u)));
      const bool mine = found && to == target;
      add_lanes_to(warp, mine, sums, staged.sums[target]);
      left &= ~warp.ballot(mine);
    }
  }
}

}  // namespace isopatch::detail
