// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: its stages one after another, by one warp.
#pragma once

#include "isopatch/detail/pressure_field/outputs/plate_friction.h"
#include "isopatch/detail/pressure_field/stages/finish.h"
#include "isopatch/detail/pressure_field/stages/integrate.h"

namespace isopatch::detail {

/// What the lanes of one warp share.
template <int size>
struct Workspace {
  PairMemory<PairContext> pair;
  StoredWrenchSums sums[2];  // of bodies of several parts, by frame
  PlateMoments plate;        // of the part pair at hand, of pairs with a law
  TraversalMemory<AcceptedCells, size> traversal;
};

/// What a warp evaluates of a pair: all of it; a slice, of which the last warp to finish writes the results of all; or
/// what others left.
struct PairShare {
  WorkSlice slice = {};
  SharedWrenchSums* shared = nullptr;
  Remaining remaining = Remaining::everything();
};

/// The evaluation of one pair of a valid environment by a warp: run() writes its results. sum_part_pair(context, slice,
/// sums) adds the polygons of a part pair to a lane's sums. All functions are called by all lanes.
template <class T, bool with_patch, bool brute_force, Parts parts, class Warp, class SumPartPair>
class PairEvaluation {
 public:
  using Sums = WrenchSums<T, with_patch>;

  ISOPATCH_HD PairEvaluation(Warp& warp, PairMemory<PairContext>& memory, StoredWrenchSums* own_sums,
                             PlateFriction friction, const PairCall& call, const SumPartPair& sum_part_pair)
      : warp_(warp),
        memory_(memory),
        own_sums_(own_sums),
        friction_(friction),
        call_(call),
        sum_part_pair_(sum_part_pair),
        simple_(has_one_part_pair<parts>(call.view())),
        writes_rows_(!simple_ && (call.results.part_pair_wrench.data != nullptr || friction.exists())) {}

  ISOPATCH_HD void run(PairShare share) {
    if (!simple_) {
      for (int i = warp_.lane(); i < kWrenchWords; i += Warp::kSize) own_sums_[0].word[i] = own_sums_[1].word[i] = 0;
    }
    begin_pair<parts>(warp_, memory_, call_.scene, call_.state, call_.environment, call_.pair);
    friction_.begin(warp_, call_);
    for (Remaining& remaining = share.remaining;
         remaining.kind == Remaining::kEverything || prepare_pass<parts>(warp_, memory_, call_, remaining);
         share.slice = {}) {
      remaining = from_first(warp_, run_pass(share));
    }
    warp_.sync();  // the workspace may be used again
  }

 private:
  /// Returns, in lane 0, what the pass leaves to do.
  ISOPATCH_HD Remaining run_pass(const PairShare& share) {
    const bool is_shared = share.slice.count > 1;
    Sums sums;
    for (int frame = 0; frame < num_frames<parts>(call_.view()); ++frame) add_frame(share, frame, sums);
    friction_.sync(warp_);
    if (warp_.lane() != 0) return Remaining::nothing();
    if (is_shared && warp_.arrive(&share.shared->arrived) != share.slice.count - 1) return Remaining::nothing();
    if (is_shared) share.shared->arrived = 0;
    return finish(share, sums);
  }

  /// Adds the part pairs that are computed in a frame.
  ISOPATCH_HD void add_frame(const PairShare& share, int frame, Sums& sums) {
    std::int32_t last = -1;  // part pair that the sums have, where part pairs are written
    for_each_part_pair<parts, brute_force>(warp_, memory_, call_.scene, call_.state, call_.environment, call_.pair,
                                           frame, [&](std::int32_t part_pair) {
                                             if (writes_rows_) end_row(share, frame, last, part_pair, sums);
                                             sum_part_pair_(memory_.context, share.slice, sums);
                                           });
    if (writes_rows_) end_row(share, frame, last, -1, sums);
    reduce(share, frame, sums);
    if (share.slice.count > 1 || !simple_) sums = {};
  }

  /// Writes the row of part pairs whose sums are complete as `next` comes; without one it is -1.
  ISOPATCH_HD void end_row(const PairShare& share, int frame, std::int32_t& last, std::int32_t next, Sums& sums) {
    const auto row_of = [&](std::int32_t part_pair) {
      return part_pair < 0 ? -1 : call_.scene.part_pairs[part_pair].row;
    };
    const std::int32_t row = row_of(last);
    if (row >= 0 && row != row_of(next)) {
      reduce(share, frame, sums);
      friction_.sync(warp_);
      if (warp_.lane() == 0 && memory_.pass.pass != Pass::kUnfiltered) {
        const PairContext& context = memory_.context;
        PairResult result = result_of(context.frame, context.bounds, sums);
        friction_.end_part_pair(call_, last, context.frame, context.bounds, result);
        write_part_pair(call_.results, call_.environment, row, result);
      }
      friction_.sync(warp_);
      sums = {};
    }
    last = next;
  }

  /// Adds the sums of all lanes up; those of a frame are in memory if they are not all of the pair.
  ISOPATCH_HD void reduce(const PairShare& share, int frame, Sums& sums) {
    reduce_lanes(warp_, sums);
    const bool is_shared = share.slice.count > 1;
    if ((!is_shared && simple_) || warp_.lane() != 0) return;
    if (is_shared) {
      add_to(warp_, sums, share.shared->of_frame[frame]);
    } else {
      SerialWarp alone;
      add_to(alone, sums, own_sums_[frame]);
    }
  }

  /// Writes the results from the sums of all that share the pair. Called by one lane.
  ISOPATCH_HD Remaining finish(const PairShare& share, Sums& sums) {
    const auto sums_of = [&](int frame) -> const Sums& {
      SerialWarp alone;
      if (share.slice.count > 1) {
        take_from(warp_, sums, share.shared->of_frame[frame]);
      } else if (!simple_) {
        take_from(alone, sums, own_sums_[frame]);
      }
      return sums;
    };
    const auto sum_frame_of = [&](int frame) {
      return sum_frame<parts>(memory_.context.frame, call_.scene, call_.state, call_.environment, call_.view(), frame);
    };
    PairBounds bounds = memory_.bounds;
    bounds.widen(memory_.pass.widening);
    const auto add_friction_to = [&](PairResult& result) {
      friction_.end_pair(
          call_, simple_, [&] { return sum_frame_of(0); }, bounds, result);
    };
    return friction_.end_pass(warp_, call_,
                              finish_pass<T, with_patch, parts>(warp_, memory_.pass.pass, bounds, call_, sum_frame_of,
                                                                sums_of, add_friction_to));
  }

  Warp& warp_;
  PairMemory<PairContext>& memory_;
  StoredWrenchSums* const own_sums_;
  PlateFriction friction_;
  const PairCall& call_;
  const SumPartPair& sum_part_pair_;
  const bool simple_, writes_rows_;
};

/// Evaluates a share of a pair, with the traversal of a warp. The sinks take polygons; among them is a PlateSink of
/// `work.plate` where the pair has a law.
template <class T, Outputs outputs, bool brute_force = false, Parts parts = Parts::kSeveral, class Warp, int size,
          class Sinks = NoSinks>
ISOPATCH_HD void evaluate_pair(Warp& warp, Workspace<size>& work, const PairCall& call, const PairShare& share = {},
                               const Sinks& sinks = {}) {
  constexpr bool kPatch = outputs != Outputs::kWrench;
  const auto sum_part_pair = [&](const PairContext& context, const WorkSlice& part, WrenchSums<T, kPatch>& sums) {
    WrenchVisitor<T, outputs, brute_force, Warp, Sinks> visitor = {{context}, warp, call.environment,
                                                                   call.pair, sums, sinks};
    if constexpr (brute_force) {
      visit_all<size>(warp, context.M.hierarchy.num_cells, context.S.half_space ? 0 : context.S.hierarchy.num_cells,
                      visitor);
    } else {
      traverse(warp, work.traversal, hierarchies_of(context), visitor, part);
    }
  };
  const PlateFriction friction(has(outputs, Outputs::kPolygons) && call.view().has_law ? &work.plate : nullptr);
  PairEvaluation<T, kPatch, brute_force, parts, Warp, decltype(sum_part_pair)>(warp, work.pair, work.sums, friction,
                                                                               call, sum_part_pair)
      .run(share);
}

}  // namespace isopatch::detail
