// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: what a warp does.
#pragma once

#include "isopatch/detail/begin_environment.h"
#include "isopatch/detail/polygon_output.h"
#include "isopatch/detail/traverse.h"
#include "isopatch/detail/wrench_sums.h"

namespace isopatch::detail {

/// Below two nodes whose boxes overlap, cells may have polygons.
ISOPATCH_HD bool may_have_polygons(const PairFrame& f, const Node& m, const Node* s, const NodeOverlap& overlap) {
  return f.rigid_M || f.rigid_S || levels_may_meet(f, m, s, overlap);
}

/// The decision on two cells (`s` is negative for a half space). Both the hierarchy and brute force make it with this
/// function, so they see the same cells.
ISOPATCH_HD bool may_have_polygon(const PairFrame& f, std::int32_t m, std::int32_t s, CellPair& accepted) {
  const Cell& cell_M = cell_of_M(f, m);
  const Cell* cell_S = cell_of_S(f, s);
  Gate gate;
  if (!pass_gate(f, cell_M, cell_S, gate)) return false;
  accepted = {m, s, gate.positive_M | gate.positive_S << 4, polygon_overlap(f, cell_M, cell_S, gate)};
  return accepted.overlap.meets;
}

/// Clips, integrates and sums. T is the scalar of the evaluation.
template <class T, Outputs outputs, class Warp>
struct WrenchVisitor {
  static constexpr bool kPatch = outputs != Outputs::kWrench;

  Warp& warp;
  const PairFrame& frame;
  const Grids<T> grids;
  const Results& results;
  std::int64_t environment;
  int pair;
  WrenchSums<T, kPatch> sums = {};

  ISOPATCH_HD bool wants(const Node& m, const Node* s, const NodeOverlap& overlap) const {
    return may_have_polygons(frame, m, s, overlap);
  }

  ISOPATCH_HD bool accepts(std::int32_t m, std::int32_t s, CellPair& accepted) const {
    return may_have_polygon(frame, m, s, accepted);
  }

  ISOPATCH_HD void visit(bool active, const CellPair& cells) {
    if (!active) return;
    const Cell& m = cell_of_M(frame, cells.m);
    const Cell* s = cell_of_S(frame, cells.s);
    ContactPlane<T> plane;
    if (!make_contact_plane<Warp::kPacked>(frame, m, s, cells.gate & 15u, cells.gate >> 4, cells.overlap, plane))
      return;
    const int count = Warp::kPacked ? plane.num_lines : kMaxLines;
    Segments<T> segments;
    if (!clip(plane.line, count, segments)) return;
    Contribution<T> contribution;
    if (!integrate(frame, plane, segments, count, contribution)) return;
    sums.add(contribution, grids);
    if constexpr (outputs == Outputs::kPolygons) append(plane, segments, count, contribution);
  }

 private:
  ISOPATCH_HD void append(const ContactPlane<T>& plane, const Segments<T>& segments, int count,
                          const Contribution<T>& contribution) {
    if (results.polygons != nullptr) {
      put(results.polygons, results.polygons_needed, results.polygon_capacity, kPolygonCapacity,
          [&] { return make_polygon(frame, pair, plane, segments, count, contribution); });
    }
    if (results.contacts != nullptr && resists(frame, plane)) {
      put(results.contacts, results.contacts_needed, results.contact_capacity, kContactCapacity,
          [&] { return make_contact(frame, pair, plane, segments, count, contribution); });
    }
  }

  /// Appends to the environment's segment, or says that it is full.
  template <class Item, class Make>
  ISOPATCH_HD void put(Item* items, std::int32_t* needed, std::int32_t capacity, std::uint32_t full, const Make& make) {
    const int at = warp.reserve(needed + environment, 1);
    if (at < capacity) {
      items[environment * capacity + at] = make();
    } else if (results.status != nullptr) {
      warp.set_bits(results.status + environment, full);
    }
  }
};

/// Evaluates one pair of a sound environment and writes its results; or one share of it, and the last to finish writes.
template <class T, Outputs outputs, bool brute_force = false, class Warp, int size>
ISOPATCH_HD void evaluate_pair(Warp& warp, Workspace<size>& work, const SceneView& scene, const State& state,
                               const Results& results, std::int64_t environment, int pair, Share share = {},
                               SharedSums* shared = nullptr) {
  if (warp.lane() == 0) work.frame = make_pair_frame(scene, state, environment, pair);
  warp.sync();
  const PairFrame& frame = work.frame;
  WrenchVisitor<T, outputs, Warp> visitor = {warp, frame, Grids<T>::make(frame), results, environment, pair};
  if constexpr (brute_force) {
    visit_all(warp, work, visitor);
  } else {
    traverse(warp, work, visitor, share);
  }
  auto& sums = visitor.sums;
  sums.reduce(warp);

  if (warp.lane() == 0 && (share.count == 1 || sums.combine(warp, share.count, *shared))) {
    write_pair(results, environment, pair, scene.num_pairs, frame, sums);
    const bool overflow = sums.misfits > 0 || sums.area.value(visitor.grids.area) > frame.area_bound;
    if (overflow && results.status != nullptr) warp.set_bits(results.status + environment, kSumOverflow);
  }
  warp.sync();  // the workspace may be used again
}

}  // namespace isopatch::detail
