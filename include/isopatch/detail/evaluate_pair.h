// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: what a warp does.
#pragma once

#include "isopatch/detail/begin_environment.h"
#include "isopatch/detail/polygon_output.h"
#include "isopatch/detail/traverse.h"
#include "isopatch/detail/wrench_sums.h"

namespace isopatch::detail {

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

  ISOPATCH_HD const Cell& cell_M(std::int32_t m) const { return frame.hierarchy_M.cells[m]; }
  ISOPATCH_HD const Cell* cell_S(std::int32_t s) const { return s < 0 ? nullptr : frame.hierarchy_S.cells + s; }

  ISOPATCH_HD bool wants(const Node& m, const Node* s, const NodeOverlap& overlap) const {
    return frame.rigid_M || frame.rigid_S || levels_may_meet(frame, m, s, overlap);
  }

  /// Both the hierarchy and brute force decide with this function, so they see the same cells.
  ISOPATCH_HD bool accepts(std::int32_t m, std::int32_t s, CellPair& accepted) const {
    Gate gate;
    if (!pass_gate(frame, cell_M(m), cell_S(s), gate)) return false;
    accepted = {m, s, gate.positive_M | gate.positive_S << 4, polygon_overlap(frame, cell_M(m), cell_S(s), gate)};
    return accepted.overlap.meets;
  }

  ISOPATCH_HD void visit(bool active, const CellPair& cells) {
    if (!active) return;
    const Cell& m = cell_M(cells.m);
    const Cell* s = cell_S(cells.s);
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
      const int at = warp.reserve(results.polygons_needed + environment, 1);
      if (at < results.polygon_capacity) {
        results.polygons[environment * results.polygon_capacity + at] =
            make_polygon(frame, pair, plane, segments, count, contribution);
      } else if (results.status != nullptr) {
        warp.set_bits(results.status + environment, kPolygonCapacity);
      }
    }
    constexpr double kFlat = 1e-9;  // of the steepest slope: zero up to rounding
    const bool resists = (frame.rigid_M || plane.gradient_M > kFlat * frame.modulus_M * frame.M->max_gradient) &&
                         (frame.rigid_S || plane.gradient_S > kFlat * frame.modulus_S * frame.S->max_gradient);
    if (results.contacts != nullptr && resists) {
      const int at = warp.reserve(results.contacts_needed + environment, 1);
      if (at < results.contact_capacity) {
        results.contacts[environment * results.contact_capacity + at] =
            make_contact(frame, pair, plane, segments, count, contribution);
      } else if (results.status != nullptr) {
        warp.set_bits(results.status + environment, kContactCapacity);
      }
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
