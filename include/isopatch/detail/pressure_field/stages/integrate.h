// SPDX-License-Identifier: Apache-2.0
//
// The stage that clips and integrates the polygons of accepted cells, and adds them to the sums of their pair.
#pragma once

#include "isopatch/detail/contact/sinks.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"
#include "isopatch/detail/pressure_field/stages/search.h"

namespace isopatch::detail {

/// The contribution of the polygon of two cells that passed the gate. False if they have none after all. Where lines
/// are not compact, the first `most_lines` are clipped.
template <bool compact, int most_lines = kMaxLines, class T, class Cells, class SidesOf = LeaveSides>
ISOPATCH_HD MaskOf<T> contribution_of(const PairContext& f, const Cells& m, const Cells& s,
                                      const PolygonBounds<FloatOf<T>>& bounds, ContactPlane<T>& plane,
                                      Segments<T>& segments, Contribution<T>& contribution,
                                      const SidesOf& sides_of = {}) {
  MaskOf<T> found = make_contact_plane<compact>(f, m, s, bounds, plane);
  if (!any(found)) return found;
  const int count = compact ? plane.num_lines : most_lines;
  found = found && clip(plane.line, count, segments);
  if (!any(found)) return found;
  PolygonIntegral<T> integral;
  found = found && integrate(f, m, s, plane, segments, count, integral, sides_of, HardInPlace());
  if (any(found)) contribution = contribution_of(f, plane, integral);
  return found;
}

/// Clips, integrates and sums, and gives what counts as a polygon to the sinks if the set of outputs has polygons. T is
/// the scalar of the evaluation.
template <class T, Outputs outputs, bool checked, class Warp, class Sinks>
struct WrenchVisitor : CellSearch<checked> {
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
    if (!active || !contribution_of<Warp::kCompactLines>(f, m, s, cells.bounds, plane, segments, contribution)) {
      return;
    }
    // scales are made here, rather than kept in registers over the traversal
    const bool counts = sums.add(true, contribution, FixedPointScales<T>::make(f.bounds));
    if constexpr (has(outputs, Outputs::kPolygons)) {
      if (!counts || f.pass != Pass::kFirst) return;
      const int count = Warp::kCompactLines ? plane.num_lines : kMaxLines;
      sinks.add(warp, FoundPolygon<T>{f, environment, pair, cells.m, cells.s, plane, segments, count, contribution});
    }
  }
};

/// What the lanes of one warp share while they integrate: first the sides of their polygons, then their sums.
template <class T, bool with_patch, int size>
union IntegrationMemory {
  using Words = LaneWords<WrenchSums<T, with_patch>, size>;

  BoundarySide<T> sides[SideList<T>::kMax * size];
  Words words;
};

/// Adds the polygon of a listed cell to a lane's sums. False if there is none, or one too small to count.
template <bool compact, class T, bool with_patch, class SidesOf>
ISOPATCH_HD bool integrate_cell(const PairContext& context, const AcceptedCells& cells, const SidesOf& sides_of,
                                ContactPlane<T>& plane, Segments<T>& segments, WrenchSums<T, with_patch>& sums) {
  Contribution<T> contribution;
  return contribution_of<compact>(context, cell_of_M(context, cells.m), cell_of_S(context, cells.s), cells.bounds,
                                  plane, segments, contribution, sides_of) &&
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
    Segments<T> segments;
    const StoreSides<T, size> sides = {memory.sides + warp.lane()};
    found = integrate_cell<Warp::kCompactLines>(part_pair.context, item.cells, sides, plane, segments, sums);
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
