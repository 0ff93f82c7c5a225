// SPDX-License-Identifier: Apache-2.0
//
// The stage that turns the sums of a pair into results, and what follows if they are not all.
#pragma once

#include "isopatch/detail/pair/pair_call.h"
#include "isopatch/detail/pressure_field/outputs/pair_result.h"
#include "isopatch/detail/pressure_field/stages/begin.h"
#include "isopatch/detail/pressure_field/stages/enclosure.h"

namespace isopatch::detail {

struct NothingAdded {
  ISOPATCH_HD void operator()(PairResult&) const {}
};

/// Writes what a pair's polygons add up to, and its bits of the status; returns what is left to do. sum_frame_of(frame)
/// and sums_of(frame) are of what was computed in the frame of body a (0) or b (1); add_to(result) adds what is no sum.
/// Called by one lane.
template <class T, bool with_patch, Parts parts, class Warp, class FrameOf, class SumsOf, class AddTo = NothingAdded>
ISOPATCH_HD Remaining finish_pass(Warp& warp, Pass pass, const PairBounds& bounds, const PairCall& call,
                                  const FrameOf& sum_frame_of, const SumsOf& sums_of, const AddTo& add_to = {}) {
  const PairView& view = call.view();
  const Results& results = call.results;
  const std::int64_t environment = call.environment;
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
  if (pass == Pass::kFirst && !holds) return {Remaining::kWiderPass, static_cast<std::int16_t>(widening)};
  if (pass != Pass::kUnfiltered) {
    add_to(result);
    write_pair(results, environment, call.pair, result);
    if (has_one_part_pair<parts>(view)) write_part_pair(results, environment, view.rows_begin, result);
    if (!holds) set_status(warp, results, environment, kSumOverflow);
    if (holds && result.far_side > 0) set_status(warp, results, environment, kFarSide);
  }
  const bool may_overlap = result.polygons == 0 && results.status.data != nullptr;
  return {may_overlap ? Remaining::kOverlapTest : Remaining::kNothing, 0};
}

/// Whether in a pair without a polygon one of the part pairs overlaps. Called by all lanes.
template <Parts parts, class Warp>
ISOPATCH_HD bool overlaps(Warp& warp, PairMemory<PairContext>& memory, const SceneView& scene, const State& state,
                          std::int64_t environment, int pair) {
  bool enclosed = false;
  for (int frame = 0; frame < num_frames<parts>(scene.pairs[pair]); ++frame) {
    for_each_part_pair<parts>(warp, memory, scene, state, environment, pair, frame,
                              [&](int) { enclosed = enclosed || is_enclosed(warp, memory.context); });
  }
  return enclosed;
}

/// Makes ready for what is left to do; false if that needs no other pass. A pair without a polygon whose bodies overlap
/// sets a bit; what the gradient filter dropped is a surface too, so that is asked again without it. Called by all
/// lanes.
template <Parts parts, class Warp>
ISOPATCH_HD bool prepare_pass(Warp& warp, PairMemory<PairContext>& memory, const PairCall& call, Remaining remaining) {
  if (remaining.kind == Remaining::kNothing) return false;
  if (remaining.kind == Remaining::kWiderPass) {
    begin_pass(warp, memory, {Pass::kWider, remaining.widening});
    return true;
  }
  if (!overlaps<parts>(warp, memory, call.scene, call.state, call.environment, call.pair)) return false;
  if (memory.pass.pass != Pass::kUnfiltered && call.scene.contact.gradient_filter) {
    begin_pass(warp, memory, {Pass::kUnfiltered, memory.pass.widening});
    return true;
  }
  if (warp.lane() == 0) warp.set_bits(&element(call.results.status, call.environment), kNoContactSurface);
  return false;
}

/// Writes a pair's results; returns what is left to do. Called by one thread.
template <class T, bool with_patch, Parts parts, class Thread>
ISOPATCH_HD Remaining finish_staged_pair(Thread& thread, const StagedPairs& staged, std::int32_t index,
                                         const PairCall& call) {
  constexpr int kFrames = parts == Parts::kOne ? 1 : 2;
  StoredWrenchSums* own_sums = staged.sums + kFrames * index;
  const StagedPair& begun = staged.pairs[index];
  if (begun.incomplete != 0u) {
    for (int frame = 0; frame < kFrames; ++frame) clear(own_sums[frame]);
    return Remaining::everything();
  }
  WrenchSums<T, with_patch> sums;
  const auto sums_of = [&](int frame) -> const WrenchSums<T, with_patch>& {
    take_from(thread, sums, own_sums[frame]);
    return sums;
  };
  const auto sum_frame_of = [&](int frame) {
    const SumFrame& only = staged.part_pairs.items[begun.part_pair].context.frame;
    return sum_frame<parts>(only, call.scene, call.state, call.environment, call.view(), frame);
  };
  return finish_pass<T, with_patch, parts>(thread, Pass::kFirst, begun.bounds, call, sum_frame_of, sums_of);
}

}  // namespace isopatch::detail
