// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: what a warp does.
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/pressure_field/contact_output.h"
#include "isopatch/detail/pressure_field/enclosure.h"
#include "isopatch/detail/pressure_field/wrench_sums.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// Two cells pass the gate, and where their polygon can be (`s` is negative for a half space). False where they have
/// none.
template <bool checked = false>
ISOPATCH_HD bool test_cells(const PairContext& f, std::int32_t m, std::int32_t s, PolygonBounds<float>& bounds) {
  const CoarseRef coarse_M = {f.hierarchy_M.coarse_cells + m};
  const CoarseRef coarse_S = {s < 0 ? nullptr : f.hierarchy_S.coarse_cells + s};
  const auto exactly = [&](PolygonBounds<float>& to) {
    return test_cells_exactly(f, cell_of_M(f, m), cell_of_S(f, s), to);
  };
  return test_cells<checked>(f, coarse_M, coarse_S, true, exactly, bounds);
}

/// From there to their share of the wrench. False where they have no polygon after all. Where lines are not packed,
/// `most_lines` are looked at.
template <bool packed, int most_lines = kMaxLines, class T, class Cells>
ISOPATCH_HD MaskOf<T> contact_of(const PairContext& f, const Cells& m, const Cells& s,
                                 const PolygonBounds<FloatOf<T>>& bounds, ContactPlane<T>& plane, Segments<T>& segments,
                                 Contribution<T>& contribution) {
  MaskOf<T> found = make_contact_plane<packed>(f, m, s, bounds, plane);
  if (!any(found)) return found;
  const int count = packed ? plane.num_lines : most_lines;
  found = found && clip(plane.line, count, segments);
  if (!any(found)) return found;
  return found && integrate(f, plane, segments, count, contribution);
}

/// Clips, integrates and sums. T is the scalar of the evaluation.
template <class T, Outputs outputs, bool brute_force, class Warp>
struct WrenchVisitor {
  static constexpr bool kPatch = outputs != Outputs::kWrench;

  Warp& warp;
  const PairContext& frame;
  const FixedPointScales<T> scales;
  const Results& results;
  std::int64_t environment;
  int pair;
  WrenchSums<T, kPatch> sums = {};

  ISOPATCH_HD bool wants(const NodeBox<float>& m, const NodeBox<float>& s) const { return may_meet(frame, m, s); }

  ISOPATCH_HD bool accepts(std::int32_t m, std::int32_t s, PolygonBounds<float>& bounds) const {
    return test_cells<brute_force>(frame, m, s, bounds);
  }

  ISOPATCH_HD void visit(bool active, const AcceptedCells& at) {
    const CellRef m = cell_of_M(frame, at.m), s = cell_of_S(frame, at.s);
    ContactPlane<T> plane;
    Segments<T> segments;
    Contribution<T> contribution;
    if (!active || !contact_of<Warp::kCompactLines>(frame, m, s, at.bounds, plane, segments, contribution)) return;
    const bool counts = sums.add(contribution, scales);
    if constexpr (outputs == Outputs::kPolygons) {
      if (counts && frame.pass == Pass::kFirst) append(plane, segments, contribution);
    }
  }

 private:
  ISOPATCH_HD void append(const ContactPlane<T>& plane, const Segments<T>& segments,
                          const Contribution<T>& contribution) {
    const int count = Warp::kCompactLines ? plane.num_lines : kMaxLines;
    if (results.polygons_needed != nullptr) {
      append(results.polygons, results.polygons_needed, results.polygon_capacity, kPolygonCapacity,
             [&] { return make_polygon(frame, pair, plane, segments, count, contribution); });
    }
    if (results.contacts_needed != nullptr && resists(frame, plane)) {
      append(results.contacts, results.contacts_needed, results.contact_capacity, kContactCapacity,
             [&] { return make_contact(frame, pair, plane, segments, count, contribution); });
    }
  }

  /// Counts one more in the environment's segment, and puts it there if there is a buffer. The status says where that
  /// is full.
  template <class Item, class Make>
  ISOPATCH_HD void append(Item* items, std::int32_t* needed, std::int32_t capacity, std::uint32_t full,
                          const Make& make) {
    const int at = warp.reserve(needed + environment, 1);
    if (items == nullptr) return;
    if (at < capacity) {
      items[environment * capacity + at] = make();
    } else if (results.status != nullptr) {
      warp.set_bits(results.status + environment, full);
    }
  }
};

/// What a pass leaves open: nothing, whether bodies without a polygon overlap, or, if positive, sums that may have
/// wrapped; then it is the power of two by which the scales are to be wider.
enum Open : int { kNothing = 0, kOverlap = -1 };

/// Writes what a pair's polygons add up to, and its fault; returns what is Open. Called by one lane.
template <class T, bool with_patch, class Warp>
ISOPATCH_HD int finish_pass(Warp& warp, const Results& results, std::int64_t environment, int pair, int num_pairs,
                            const PairContext& frame, const WrenchSums<T, with_patch>& sums) {
  const bool holds = sums.bound.template holds<T>();
  if (frame.pass == Pass::kFirst && !holds) return sums.bound.widening();
  if (frame.pass != Pass::kUnfiltered) {
    write_pair(results, environment, pair, num_pairs, frame, sums);
    if (!holds && results.status != nullptr) warp.set_bits(results.status + environment, kSumOverflow);
  }
  return sums.polygons() == 0 && results.status != nullptr ? kOverlap : kNothing;
}

/// Sets the bit of a pair without a polygon whose bodies overlap. What the gradient filter dropped is a surface too:
/// true where that remains to be asked, by evaluating the frame again. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool report_enclosure(Warp& warp, PairContext& frame, std::uint32_t* status) {
  if (!is_enclosed(warp, frame)) return false;
  const bool ask_again = frame.gradient_filter;
  if (!ask_again) {
    if (warp.lane() == 0) warp.set_bits(status, kNoContactSurface);
    return false;
  }
  warp.sync();
  if (warp.lane() == 0) {
    frame.gradient_filter = false;
    frame.pass = Pass::kUnfiltered;
  }
  warp.sync();
  return true;
}

template <class Warp>
ISOPATCH_HD void widen_grids(Warp& warp, PairContext& frame, int power) {
  warp.sync();
  if (warp.lane() == 0) frame.widen_grids(power);
  warp.sync();
}

/// Makes the frame ready for what is Open; false where that needs no other pass. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool prepare_pass(Warp& warp, PairContext& frame, int open, const Results& results,
                              std::int64_t environment) {
  if (open == kOverlap) return report_enclosure(warp, frame, results.status + environment);
  if (open != kNothing) widen_grids(warp, frame, open);
  return open != kNothing;
}

/// Evaluates one pair of a sound environment and writes its results; or one share of it, and the last to finish writes.
template <class T, Outputs outputs, bool brute_force = false, class Warp, int size>
ISOPATCH_HD void evaluate_pair(Warp& warp, Workspace<size>& work, const SceneView& scene, const State& state,
                               const Results& results, std::int64_t environment, int pair, Share share = {},
                               SharedSums* shared = nullptr) {
  if (warp.lane() == 0) work.frame = make_pair_context(scene, state, environment, pair);
  warp.sync();
  const PairContext& frame = work.frame;
  for (bool again = true; again; share = {}) {
    WrenchVisitor<T, outputs, brute_force, Warp> visitor = {warp,    frame,       FixedPointScales<T>::make(frame),
                                                            results, environment, pair};
    if constexpr (brute_force) {
      visit_all(warp, work, visitor);
    } else {
      traverse(warp, work, visitor, share);
    }
    auto& sums = visitor.sums;
    sums.reduce(warp);

    int open = kNothing;
    if (warp.lane() == 0 && (share.count == 1 || sums.combine(warp, share.count, *shared))) {
      open = finish_pass(warp, results, environment, pair, scene.num_pairs, frame, sums);
    }
    again = prepare_pass(warp, work.frame, warp.from_first(open), results, environment);
  }
  warp.sync();  // the workspace may be used again
}

}  // namespace isopatch::detail
