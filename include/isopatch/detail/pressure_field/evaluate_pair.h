// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in one environment, from poses to wrench: its stages one after another, by one warp.
#pragma once

#include "isopatch/detail/pressure_field/outputs/bristles.h"
#include "isopatch/detail/pressure_field/stages/finish.h"
#include "isopatch/detail/pressure_field/stages/integrate.h"

namespace isopatch::detail {

/// What the lanes of one warp share.
template <int size>
struct Workspace {
  PairMemory<PairContext> pair;
  StoredWrenchSums sums[2];  // of bodies of several parts, by frame
  BristleMoments bristles;   // of the part pair at hand, of pairs with bristles
  TraversalMemory<AcceptedCells, size> traversal;
};

/// Evaluates one pair of a valid environment and writes its results; or one slice of it, and the last to finish writes.
/// sum_part_pair(context, slice, sums) adds the polygons of a part pair to a lane's sums. `remaining` is what others
/// left. `bristles` is null unless the pair has them; then a BristleSink fills it, and a warp evaluates the whole pair.
template <class T, bool with_patch, bool brute_force = false, Parts parts = Parts::kSeveral, class Warp,
          class SumPartPair>
ISOPATCH_HD void evaluate_pair(Warp& warp, PairMemory<PairContext>& memory, StoredWrenchSums* own_sums,
                               BristleMoments* bristles, const SceneView& scene, const State& state,
                               const Results& results, std::int64_t environment, int pair, WorkSlice slice,
                               SharedWrenchSums* shared, Remaining remaining, const SumPartPair& sum_part_pair) {
  const PairView& view = scene.pairs[pair];
  const bool simple = has_one_part_pair<parts>(view);
  const bool write_part_pairs = !simple && (results.part_pair_wrench.data != nullptr || bristles != nullptr);
  if (!simple) {
    for (int i = warp.lane(); i < kWrenchWords; i += Warp::kSize) own_sums[0].word[i] = own_sums[1].word[i] = 0;
  }
  begin_pair<parts>(warp, memory, scene, state, environment, pair);
  AddedFriction friction = {{0, 0, 0}, {0, 0, 0}};  // of bristles, in lane 0
  if (bristles != nullptr) {
    if (warp.lane() == 0) {
      for (std::int64_t& word : bristles->word) word = 0;
      forget_far_part_pairs(scene, state, results, environment, view);
    }
    warp.sync();
  }
  const auto add_bristles = [&](std::int32_t part_pair, const SumFrame& frame, const PairBounds& bounds,
                                PairResult& result) {
    const AddedFriction own =
        end_bristles(scene, state, results, environment, pair, part_pair, frame, bounds, result, *bristles);
    add_friction(own, result);
    return own;
  };

  for (; remaining.kind == Remaining::kEverything ||
         prepare_pass<parts>(warp, memory, scene, state, results, environment, pair, remaining);
       slice = {}) {
    const bool is_shared = slice.count > 1, is_stored = is_shared || !simple;
    WrenchSums<T, with_patch> sums;
    SerialWarp alone;  // own sums are added up by one lane
    const auto reduce = [&](int frame) {
      reduce_lanes(warp, sums);
      if (!is_stored || warp.lane() != 0) return;
      if (is_shared) {
        add_to(warp, sums, shared->of_frame[frame]);
      } else {
        add_to(alone, sums, own_sums[frame]);
      }
    };
    for (int frame = 0; frame < num_frames<parts>(view); ++frame) {
      std::int32_t row = -1, last = -1;  // what the sums are of, where part pairs are written
      const auto end_row = [&](std::int32_t next) {
        if (row >= 0 && row != next) {
          reduce(frame);
          if (bristles != nullptr) warp.sync();
          if (warp.lane() == 0 && memory.pass.pass != Pass::kUnfiltered) {
            PairResult result = result_of(memory.context.frame, memory.context.bounds, sums);
            if (bristles != nullptr) {
              const AddedFriction own = add_bristles(last, memory.context.frame, memory.context.bounds, result);
              friction = {friction.force + own.force, friction.torque + own.torque};
            }
            write_part_pair(results, environment, row, result);
          }
          if (bristles != nullptr) warp.sync();
          sums = {};
        }
        row = next;
      };
      for_each_part_pair<parts, brute_force>(warp, memory, scene, state, environment, pair, frame, [&](int part_pair) {
        if (write_part_pairs) {
          end_row(scene.part_pairs[part_pair].row);
          last = part_pair;
        }
        sum_part_pair(memory.context, slice, sums);
      });
      if (write_part_pairs) end_row(-1);
      reduce(frame);
      if (is_stored) sums = {};
    }

    remaining = Remaining::nothing();
    if (bristles != nullptr) warp.sync();  // their moments are complete
    if (warp.lane() == 0 && (!is_shared || warp.arrive(&shared->arrived) == slice.count - 1)) {
      if (is_shared) shared->arrived = 0;
      const auto sums_of = [&](int frame) -> const WrenchSums<T, with_patch>& {
        if (is_shared) {
          take_from(warp, sums, shared->of_frame[frame]);
        } else if (!simple) {
          take_from(alone, sums, own_sums[frame]);
        }
        return sums;
      };
      const auto sum_frame_of = [&](int frame) {
        return sum_frame<parts>(memory.context.frame, scene, state, environment, view, frame);
      };
      PairBounds bounds = memory.bounds;
      bounds.widen(memory.pass.widening);
      const auto add_to_result = [&](PairResult& result) {
        if (bristles == nullptr) return;
        if (simple) {
          add_bristles(view.part_pairs_begin, sum_frame_of(0), bounds, result);
        } else {
          add_friction(friction, result);
        }
      };
      remaining = finish_pass<T, with_patch, parts>(warp, memory.pass.pass, bounds, scene, results, environment, pair,
                                                    sum_frame_of, sums_of, add_to_result);
      if (bristles != nullptr && remaining.kind == Remaining::kWiderPass) {
        remaining = end_without_wider_pass(warp, scene, results, environment, view);
      }
    }
    remaining = from_first(warp, remaining);
  }
  warp.sync();  // the workspace may be used again
}

/// The same with the traversal of a warp. The sinks take polygons; among them is a BristleSink of `work.bristles` where
/// the pair has a memory.
template <class T, Outputs outputs, bool brute_force = false, Parts parts = Parts::kSeveral, class Warp, int size,
          class Sinks = NoSinks>
ISOPATCH_HD void evaluate_pair(Warp& warp, Workspace<size>& work, const SceneView& scene, const State& state,
                               const Results& results, std::int64_t environment, int pair, WorkSlice slice = {},
                               SharedWrenchSums* shared = nullptr, Remaining remaining = Remaining::everything(),
                               const Sinks& sinks = {}) {
  constexpr bool kPatch = outputs != Outputs::kWrench;
  BristleMoments* const bristles =
      has(outputs, Outputs::kPolygons) && scene.pairs[pair].has_law ? &work.bristles : nullptr;
  evaluate_pair<T, kPatch, brute_force, parts>(
      warp, work.pair, work.sums, bristles, scene, state, results, environment, pair, slice, shared, remaining,
      [&](const PairContext& context, const WorkSlice& part, WrenchSums<T, kPatch>& sums) {
        WrenchVisitor<T, outputs, brute_force, Warp, Sinks> visitor = {{context}, warp, environment, pair, sums, sinks};
        if constexpr (brute_force) {
          visit_all<size>(warp, context.M.hierarchy.num_cells, context.S.half_space ? 0 : context.S.hierarchy.num_cells,
                          visitor);
        } else {
          traverse(warp, work.traversal, hierarchies_of(context), visitor, part);
        }
      });
}

}  // namespace isopatch::detail
