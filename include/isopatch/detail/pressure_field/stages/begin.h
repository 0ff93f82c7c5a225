// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of many pairs in four stages, each over all of them, for any executor: a GPU's warps over long lists,
// a CPU's thread over short ones.
//
//   begin      a thread a pair, or a warp where bodies have several parts: makes contexts           begin.h
//   search     a warp a part pair: traverses and tests, and lists the cells that passed             search.h
//   integrate  a lane for each listed cells: clips and integrates, and adds to the sums of a pair   integrate.h
//   finish     a thread a pair: writes results                                                      finish.h
//
// evaluate_pair() runs them one after another for one pair. On a GPU each stage needs half the registers of the whole,
// and the lanes of `integrate` are full even if a pair has only a few polygons. Sums do not depend on their order, so
// every bit is that of evaluate_pair(). What the stages cannot finish is left to it: what did not fit their lists, sums
// that may have wrapped, and the question whether bodies without a polygon overlap.
#pragma once

#include "isopatch/detail/cells/tet_filter.h"
#include "isopatch/detail/pressure_field/context/pair_bounds.h"
#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"
#include "isopatch/detail/simt/lists.h"

namespace isopatch::detail {

struct StagedPair {
  PairBounds bounds;
  std::int32_t part_pair;    // the index of its StagedPartPair, where it has one part pair
  std::uint32_t incomplete;  // not 0: something did not fit a list
};

struct alignas(16) StagedPartPair {
  PairContext context;
  std::int32_t pair;        // index of its StagedPair
  std::int32_t sums;        // index of its sums
  std::int64_t candidates;  // index of its list: environment * num_part_pairs + part pair
};

/// Cells that passed the tests of a search.
struct alignas(16) CellWork {
  std::int32_t part_pair;  // index of a StagedPartPair
  AcceptedCells cells;
};

/// A pair that is left to evaluate_pair().
struct UnfinishedPair {
  std::int32_t pair;  // index in the list of near pairs
  Remaining remaining;
};

/// What is kept between the stages, in lists with no particular order.
struct StagedPairs {
  StagedPair* pairs;       // of the first near pairs
  StoredWrenchSums* sums;  // one for each of them, or two where bodies have several parts; zero between calls
  SharedList<StagedPartPair> part_pairs;
  SharedList<CellWork> cells;
};

/// Begins the pair with this index where all bodies have one part; its part pair, for the list, has the same index.
ISOPATCH_HD void begin_staged_pair(const StagedPairs& staged, std::int32_t index, const SceneView& scene,
                                   const State& state, std::int64_t environment, int pair, StagedPartPair& part_pair) {
  make_only_context(scene, state, environment, pair, part_pair.context);
  part_pair.pair = part_pair.sums = index;
  part_pair.candidates = environment * scene.num_part_pairs + scene.pairs[pair].part_pairs_begin;
  staged.pairs[index] = {part_pair.context.bounds, index, 0};
}

/// Begins any pair: a lane makes the context of one part pair. Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_staged_pair(Warp& warp, const StagedPairs& staged, std::int32_t index, const SceneView& scene,
                                   const State& state, std::int64_t environment, int pair) {
  const PairView& view = scene.pairs[pair];
  const int count = num_part_pairs(view);
  StagedPair out = {{}, 0, 0};
  Transform<double> X_AB;
  if (count > 1) {
    X_AB = relative(read_pose(state, environment, view.a), read_pose(state, environment, view.b));
    make_bounds(scene, state, environment, view, out.bounds);
  }
  // no more are counted once the list is full, so that 32 bits count those of all pairs; evaluate_pair() does them all
  for (int base = 0; base < count && out.incomplete == 0u; base += Warp::kSize) {
    const int part_pair = view.part_pairs_begin + base + warp.lane();
    const bool exists = part_pair < view.part_pairs_end;
    const bool near =
        exists && (count == 1 || parts_may_touch(scene, state, environment, scene.part_pairs[part_pair], X_AB));
    const std::int32_t at = staged.part_pairs.reserve(warp, near);
    const bool fits = at < staged.part_pairs.capacity;
    if (warp.ballot(near && !fits) != 0u) out.incomplete = 1;
    if (!near || !fits) continue;

    StagedPartPair& to = staged.part_pairs.items[at];
    const bool in_frame_of_b = count > 1 && is_swapped(scene, state, environment, scene.part_pairs[part_pair]);
    to.pair = index;
    to.sums = 2 * index + (in_frame_of_b ? 1 : 0);
    to.candidates = environment * scene.num_part_pairs + part_pair;
    make_context(scene, state, environment, pair, part_pair, to.context);
    if (count == 1) {
      out.bounds = only_bounds(scene, to.context);
      out.part_pair = at;
    }
    to.context.bounds = out.bounds;
  }
  if (warp.lane() == 0) staged.pairs[index] = out;
}

}  // namespace isopatch::detail
