// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: what a warp does.
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/pressure_field/contact_output.h"
#include "isopatch/detail/pressure_field/enclosure.h"
#include "isopatch/detail/pressure_field/node_test.h"
#include "isopatch/detail/pressure_field/wrench_sums.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// What the lanes of one warp share.
template <int size>
struct Workspace {
  PairContext context;
  TraversalMemory<AcceptedCells, size> traversal;
};

/// The hierarchies to traverse: of tets or triangles, as the bodies are compliant or rigid.
ISOPATCH_HD HierarchyPair hierarchies_of(const PairContext& f) {
  return {f.M.hierarchy.nodes, f.S.half_space ? nullptr : f.S.hierarchy.nodes};
}

/// Whether two cells pass the gate, and where their polygon can be.
template <bool checked = false>
ISOPATCH_HD bool test_cells(const PairContext& f, AcceptedCells& cells) {
  const std::int32_t m = cells.m, s = cells.s;
  const CoarseRef coarse_M = {f.M.hierarchy.coarse_cells + m};
  const CoarseRef coarse_S = {s < 0 ? nullptr : f.S.hierarchy.coarse_cells + s};
  const auto exactly = [&](PolygonBounds<float>& to) {
    return test_cells_exactly(f, cell_of_M(f, m), cell_of_S(f, s), to);
  };
  return test_cells<checked>(f, coarse_M, coarse_S, true, exactly, cells.bounds);
}

/// The contribution of the polygon of two cells that passed the gate. False if they have none after all. Where lines
/// are not compact, the first `most_lines` are clipped.
template <bool compact, int most_lines = kMaxLines, class T, class Cells>
ISOPATCH_HD MaskOf<T> contribution_of(const PairContext& f, const Cells& m, const Cells& s,
                                      const PolygonBounds<FloatOf<T>>& bounds, ContactPlane<T>& plane,
                                      Segments<T>& segments, Contribution<T>& contribution) {
  MaskOf<T> found = make_contact_plane<compact>(f, m, s, bounds, plane);
  if (!any(found)) return found;
  const int count = compact ? plane.num_lines : most_lines;
  found = found && clip(plane.line, count, segments);
  if (!any(found)) return found;
  return found && integrate(f, plane, segments, count, contribution);
}

template <class Warp>
ISOPATCH_HD void set_status(Warp& warp, const Results& results, std::int64_t environment, std::uint32_t bits) {
  if (results.status.data != nullptr) warp.set_bits(&element(results.status, environment), bits);
}

/// Clips, integrates and sums. T is the scalar of the evaluation.
template <class T, Outputs outputs, bool brute_force, class Warp>
struct WrenchVisitor {
  using Accepted = AcceptedCells;
  static constexpr bool kPatch = outputs != Outputs::kWrench;

  Warp& warp;
  const PairContext& context;
  const FixedPointScales<T> scales;
  const Results& results;
  std::int64_t environment;
  int pair;
  WrenchSums<T, kPatch> sums = {};

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const { return may_meet(context, box_of(m), box_of(s)); }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const { return test_cells<brute_force>(context, cells); }

  ISOPATCH_HD void visit(bool active, const AcceptedCells& at) {
    const CellRef m = cell_of_M(context, at.m), s = cell_of_S(context, at.s);
    ContactPlane<T> plane;
    Segments<T> segments;
    Contribution<T> contribution;
    if (!active || !contribution_of<Warp::kCompactLines>(context, m, s, at.bounds, plane, segments, contribution))
      return;
    const bool counts = sums.add(true, contribution, scales);
    if constexpr (outputs == Outputs::kPolygons) {
      if (counts && context.pass == Pass::kFirst) append(plane, segments, contribution);
    }
  }

 private:
  ISOPATCH_HD void append(const ContactPlane<T>& plane, const Segments<T>& segments,
                          const Contribution<T>& contribution) {
    const int count = Warp::kCompactLines ? plane.num_lines : kMaxLines;
    if (results.polygons_needed.data != nullptr) {
      append(results.polygons, results.polygons_needed, results.polygon_capacity, kPolygonCapacity,
             [&] { return make_polygon(context, pair, plane, segments, count, contribution); });
    }
    if (results.contacts_needed.data != nullptr && resists(context, plane)) {
      append(results.contacts, results.contacts_needed, results.contact_capacity, kContactCapacity,
             [&] { return make_contact(context, pair, plane, segments, count, contribution); });
    }
  }

  /// Counts one more item of the environment, and writes it if there is a buffer. A full buffer sets a status bit.
  template <class Item, class Make>
  ISOPATCH_HD void append(const TypedArray<Item>& items, const TypedArray<std::int32_t>& needed, std::int32_t capacity,
                          std::uint32_t full, const Make& make) {
    const int at = warp.reserve(&element(needed, environment), 1);
    if (items.data == nullptr) return;
    if (at < capacity) {
      element(items, environment, at) = make();
    } else {
      set_status(warp, results, environment, full);
    }
  }
};

/// What a pass leaves open: nothing; whether bodies without a polygon overlap; or, if positive, sums that may have
/// wrapped, and by which power of two the scales must be wider.
enum Open : int { kNothing = 0, kOverlap = -1 };

/// Writes a pair's sums and its fault bit; returns what is Open. Called by one lane.
template <class T, bool with_patch, class Warp>
ISOPATCH_HD int finish_pass(Warp& warp, const Results& results, std::int64_t environment, int pair,
                            const PairContext& context, const WrenchSums<T, with_patch>& sums) {
  const bool holds = sums.bound.template holds<T>();
  if (context.pass == Pass::kFirst && !holds) return sums.bound.widening();
  if (context.pass != Pass::kUnfiltered) {
    write_pair(results, environment, pair, context, sums);
    if (!holds) set_status(warp, results, environment, kSumOverflow);
  }
  return sums.polygons() == 0 && results.status.data != nullptr ? kOverlap : kNothing;
}

/// Sets the status bit of a pair without a polygon whose bodies overlap. A surface that the gradient filter dropped is
/// a surface too: returns true if the context must be evaluated again to find out. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool report_enclosure(Warp& warp, PairContext& context, std::uint32_t* status) {
  if (!is_enclosed(warp, context)) return false;
  const bool ask_again = context.law.gradient_filter;
  if (!ask_again) {
    if (warp.lane() == 0) warp.set_bits(status, kNoContactSurface);
    return false;
  }
  warp.sync();
  if (warp.lane() == 0) {
    context.law.gradient_filter = false;
    context.pass = Pass::kUnfiltered;
  }
  warp.sync();
  return true;
}

template <class Warp>
ISOPATCH_HD void widen_scales(Warp& warp, PairContext& context, int power) {
  warp.sync();
  if (warp.lane() == 0) context.widen_scales(power);
  warp.sync();
}

/// Prepares the context for another pass over what is Open; false if none is needed. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool prepare_pass(Warp& warp, PairContext& context, int open, const Results& results,
                              std::int64_t environment) {
  if (open == kOverlap) return report_enclosure(warp, context, &element(results.status, environment));
  if (open != kNothing) widen_scales(warp, context, open);
  return open != kNothing;
}

/// Evaluates one pair of a valid environment, or one share of it, and writes its results; of several shares, the last
/// to finish writes them.
template <class T, Outputs outputs, bool brute_force = false, class Warp, int size>
ISOPATCH_HD void evaluate_pair(Warp& warp, Workspace<size>& work, const SceneView& scene, const State& state,
                               const Results& results, std::int64_t environment, int pair, Share share = {},
                               SharedSums* shared = nullptr) {
  if (warp.lane() == 0) work.context = make_pair_context(scene, state, environment, pair);
  warp.sync();
  const PairContext& context = work.context;
  for (bool again = true; again; share = {}) {
    WrenchVisitor<T, outputs, brute_force, Warp> visitor = {warp,    context,     FixedPointScales<T>::make(context),
                                                            results, environment, pair};
    if constexpr (brute_force) {
      visit_all<size>(warp, context.M.hierarchy.num_cells, context.S.half_space ? 0 : context.S.hierarchy.num_cells,
                      visitor);
    } else {
      traverse(warp, work.traversal, hierarchies_of(context), visitor, share);
    }
    auto& sums = visitor.sums;
    sums.reduce(warp);

    int open = kNothing;
    if (warp.lane() == 0 && (share.count == 1 || sums.combine(warp, share.count, *shared))) {
      open = finish_pass(warp, results, environment, pair, context, sums);
    }
    again = prepare_pass(warp, work.context, warp.from_first(open), results, environment);
  }
  warp.sync();  // the workspace may be used again
}

}  // namespace isopatch::detail
