// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: what a warp does.
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/contact/record_rows.h"
#include "isopatch/detail/pair/part_pairs.h"
#include "isopatch/detail/pressure_field/cells/node_test.h"
#include "isopatch/detail/pressure_field/enclosure.h"
#include "isopatch/detail/pressure_field/outputs/contact_output.h"
#include "isopatch/detail/pressure_field/outputs/pair_result.h"
#include "isopatch/detail/pressure_field/outputs/patch_contacts.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// What the lanes of one warp share.
template <int size>
struct Workspace {
  PairMemory pair;
  StoredSums sums[2];  // of bodies of several parts, by frame
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
template <bool compact, int most_lines = kMaxLines, class T, class Cells, class SideLoop = SidesInPlace>
ISOPATCH_HD MaskOf<T> contribution_of(const PairContext& f, const Cells& m, const Cells& s,
                                      const PolygonBounds<FloatOf<T>>& bounds, ContactPlane<T>& plane,
                                      Segments<T>& segments, Contribution<T>& contribution,
                                      const SideLoop& parts = {}) {
  MaskOf<T> found = make_contact_plane<compact>(f, m, s, bounds, plane);
  if (!any(found)) return found;
  const int count = compact ? plane.num_lines : most_lines;
  found = found && clip(plane.line, count, segments);
  if (!any(found)) return found;
  return found && integrate(f, m, s, plane, segments, count, contribution, parts);
}

/// Clips, integrates and sums. T is the scalar of the evaluation.
template <class T, Outputs outputs, bool brute_force, class Warp, class Packed>
struct WrenchVisitor {
  using Accepted = AcceptedCells;

  Warp& warp;
  const PairContext& context;
  const FixedPointScales<T> scales;
  const Results& results;
  std::int64_t environment;
  int pair;
  WrenchSums<T, outputs != Outputs::kWrench>& sums;
  const Packed& packed;  // where rows of all environments go

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
      if (counts && context.pass == Pass::kFirst) append(at, plane, segments, contribution);
    }
  }

 private:
  ISOPATCH_HD void append(const AcceptedCells& at, const ContactPlane<T>& plane, const Segments<T>& segments,
                          const Contribution<T>& contribution) {
    const int count = Warp::kCompactLines ? plane.num_lines : kMaxLines;
    const RowKey key = RowKey::make(context, pair, at.m, at.s);
    if constexpr (requires { packed.elastic; }) {
      if (ElasticPolygon* const to = packed.elastic.append(warp, environment, key)) {
        *to = make_elastic_polygon(context, plane, segments, count);
      }
    }
    append_row<Polygon>(warp, environment_polygons(results), packed.polygons, environment, key,
                        [&](Polygon& to) { make_polygon(context, pair, plane, segments, count, contribution, to); });
    const EnvironmentRows<DiscreteContact> contacts = environment_contacts(results);
    if ((contacts.is_wanted() || packed.contacts.is_wanted()) && resists(context, plane)) {
      append_row<DiscreteContact>(warp, contacts, packed.contacts, environment, key, [&](DiscreteContact& to) {
        make_contact(context, pair, cell_of_M(context, at.m), cell_of_S(context, at.s), plane, segments, count,
                     contribution, to);
      });
    }
  }
};

/// What is left to do of a pair: nothing; to see whether bodies without a polygon overlap; everything; or, if positive,
/// to widen the scales by this power of two, because sums may have wrapped.
enum Open : int { kNothing = 0, kOverlap = -1, kEverything = -2 };

/// Writes what a pair's polygons add up to, and its bits of the status; returns what is Open. sum_frame_of(frame) and
/// sums_of(frame) are of what was computed in the frame of body a (0) or b (1). Called by one lane.
template <class T, bool with_patch, Parts parts, class Warp, class FrameOf, class SumsOf>
ISOPATCH_HD int finish_pass(Warp& warp, Pass pass, const PairBounds& bounds, const SceneView& scene,
                            const Results& results, std::int64_t environment, int pair, const FrameOf& sum_frame_of,
                            const SumsOf& sums_of) {
  const PairView& view = scene.pairs[pair];
  bool holds = true;
  int widening = 0;
  const auto result_in = [&](int frame) {
    const WrenchSums<T, with_patch>& sums = sums_of(frame);
    if (!sums.bound.template holds<T>()) {
      holds = false;
      widening = max(widening, sums.bound.widening());
    }
    return result_of(sum_frame_of(frame), bounds, sums);
  };
  PairResult result = result_in(0);
  if (!has_one_part_pair<parts>(view)) result.add(result_in(1));
  if (pass == Pass::kFirst && !holds) return widening;
  if (pass != Pass::kUnfiltered) {
    write_pair(results, environment, pair, result);
    if (has_one_part_pair<parts>(view)) write_part_pair(results, environment, view.rows_begin, result);
    if (!holds) set_status(warp, results, environment, kSumOverflow);
    if (holds && result.far_side > 0) set_status(warp, results, environment, kFarSide);
  }
  return result.polygons == 0 && results.status.data != nullptr ? kOverlap : kNothing;
}

/// Whether in a pair without a polygon one of the part pairs overlaps. Called by all lanes.
template <Parts parts, class Warp>
ISOPATCH_HD bool overlaps(Warp& warp, PairMemory& memory, const SceneView& scene, const State& state,
                          std::int64_t environment, int pair) {
  bool enclosed = false;
  for (int frame = 0; frame < num_frames<parts>(scene.pairs[pair]); ++frame) {
    for_each_part_pair<parts>(warp, memory, scene, state, environment, pair, frame,
                              [&](int) { enclosed = enclosed || is_enclosed(warp, memory.context); });
  }
  return enclosed;
}

/// Makes ready for what is Open; false where that needs no other pass. A pair without a polygon whose bodies overlap
/// sets a bit; what the gradient filter dropped is a surface too, so that is asked again without it. Called by all
/// lanes.
template <Parts parts, class Warp>
ISOPATCH_HD bool prepare_pass(Warp& warp, PairMemory& memory, const SceneView& scene, const State& state,
                              const Results& results, std::int64_t environment, int pair, int open) {
  if (open == kNothing) return false;
  if (open != kOverlap) {
    begin_pass(warp, memory, {Pass::kWider, open});
    return true;
  }
  if (!overlaps<parts>(warp, memory, scene, state, environment, pair)) return false;
  if (memory.pass.pass != Pass::kUnfiltered && scene.contact.gradient_filter) {
    begin_pass(warp, memory, {Pass::kUnfiltered, memory.pass.widening});
    return true;
  }
  if (warp.lane() == 0) warp.set_bits(&element(results.status, environment), kNoContactSurface);
  return false;
}

/// Evaluates one pair of a valid environment and writes its results; or one share of it, and the last to finish writes.
/// sum_part_pair(context, share, sums) adds the polygons of a part pair to a lane's sums. `open` is what others left.
template <class T, bool with_patch, bool brute_force = false, Parts parts = Parts::kSeveral, class Warp,
          class SumPartPair>
ISOPATCH_HD void evaluate_pair(Warp& warp, PairMemory& memory, StoredSums* own_sums, const SceneView& scene,
                               const State& state, const Results& results, std::int64_t environment, int pair,
                               WorkSlice share, SharedSums* shared, int open, const SumPartPair& sum_part_pair) {
  const PairView& view = scene.pairs[pair];
  const bool simple = has_one_part_pair<parts>(view);
  const bool write_part_pairs = !simple && results.part_pair_wrench.data != nullptr;
  if (!simple) {
    for (int i = warp.lane(); i < StoredSums::kWords; i += Warp::kSize) own_sums[0].word[i] = own_sums[1].word[i] = 0;
    if (write_part_pairs && warp.lane() == 0) write_no_part_pairs(results, environment, view);
  }
  begin_pair<parts>(warp, memory, scene, state, environment, pair);

  for (; open == kEverything || prepare_pass<parts>(warp, memory, scene, state, results, environment, pair, open);
       share = {}) {
    const bool is_shared = share.count > 1, is_stored = is_shared || !simple;
    WrenchSums<T, with_patch> sums;
    SerialWarp alone;  // own sums are added up by one lane
    const auto reduce = [&](int frame) {
      sums.reduce(warp);
      if (!is_stored || warp.lane() != 0) return;
      if (is_shared) {
        sums.add_to(warp, shared->of_frame[frame]);
      } else {
        sums.add_to(alone, own_sums[frame]);
      }
    };
    for (int frame = 0; frame < num_frames<parts>(view); ++frame) {
      std::int32_t row = -1;  // what the sums are of, where part pairs are written
      const auto end_row = [&](std::int32_t next) {
        if (row >= 0 && row != next) {
          reduce(frame);
          if (warp.lane() == 0 && memory.pass.pass != Pass::kUnfiltered) {
            write_part_pair(results, environment, row, result_of(memory.context.frame, memory.context.bounds, sums));
          }
          sums = {};
        }
        row = next;
      };
      for_each_part_pair<parts, brute_force>(warp, memory, scene, state, environment, pair, frame, [&](int part_pair) {
        if (write_part_pairs) end_row(scene.part_pairs[part_pair].row);
        sum_part_pair(memory.context, share, sums);
      });
      if (write_part_pairs) end_row(-1);
      reduce(frame);
      if (is_stored) sums = {};
    }

    open = kNothing;
    if (warp.lane() == 0 && (!is_shared || warp.arrive(&shared->arrived) == share.count - 1)) {
      if (is_shared) shared->arrived = 0;
      const auto sums_of = [&](int frame) -> const WrenchSums<T, with_patch>& {
        if (is_shared) {
          sums.take_from(warp, shared->of_frame[frame]);
        } else if (!simple) {
          sums.take_from(alone, own_sums[frame]);
        }
        return sums;
      };
      const auto sum_frame_of = [&](int frame) {
        return sum_frame<parts>(memory.context, scene, state, environment, view, frame);
      };
      PairBounds bounds = memory.bounds;
      bounds.widen(memory.pass.widening);
      open = finish_pass<T, with_patch, parts>(warp, memory.pass.pass, bounds, scene, results, environment, pair,
                                               sum_frame_of, sums_of);
    }
    open = warp.from_first(open);
  }
  warp.sync();  // the workspace may be used again
}

/// The same with the traversal of a warp. `packed` is where rows of all environments go.
template <class T, Outputs outputs, bool brute_force = false, Parts parts = Parts::kSeveral, class Warp, int size,
          class Packed = NoRows>
ISOPATCH_HD void evaluate_pair(Warp& warp, Workspace<size>& work, const SceneView& scene, const State& state,
                               const Results& results, std::int64_t environment, int pair, WorkSlice share = {},
                               SharedSums* shared = nullptr, int open = kEverything, const Packed& packed = {}) {
  constexpr bool kPatch = outputs != Outputs::kWrench;
  evaluate_pair<T, kPatch, brute_force, parts>(
      warp, work.pair, work.sums, scene, state, results, environment, pair, share, shared, open,
      [&](const PairContext& context, const WorkSlice& part, WrenchSums<T, kPatch>& sums) {
        WrenchVisitor<T, outputs, brute_force, Warp, Packed> visitor = {
            warp, context, FixedPointScales<T>::make(context.bounds), results, environment, pair, sums, packed};
        if constexpr (brute_force) {
          visit_all<size>(warp, context.M.hierarchy.num_cells, context.S.half_space ? 0 : context.S.hierarchy.num_cells,
                          visitor);
        } else {
          traverse(warp, work.traversal, hierarchies_of(context), visitor, part);
        }
      });
}

}  // namespace isopatch::detail
