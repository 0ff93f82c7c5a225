// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of many pairs in four stages, each over all of them, instead of evaluate_pair() for one after another:
//
//   begin      a thread a pair, or a warp where bodies have several parts: makes contexts
//   search     a warp a part pair: traverses and tests, and lists the cells that passed
//   integrate  a lane for each listed cells: clips and integrates, and adds to the sums of their pair
//   finish     a thread a pair: writes results
//
// Each stage needs half the registers of the whole, and the lanes of `integrate` are full even where a pair has only a
// few polygons. Sums do not depend on their order, so every bit is that of evaluate_pair(). What the stages cannot
// finish is left to it: what did not fit their lists, sums that may have wrapped, and the question whether bodies
// without a polygon overlap.
#pragma once

#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/pressure_field/stages/candidate_list.h"
#include "isopatch/detail/simt/shared_list.h"

namespace isopatch::detail {

struct StagedPair {
  PairBounds bounds;
  std::int32_t part_pair;    // the index of its StagedPartPair, where it has one part pair
  std::uint32_t incomplete;  // not 0: something did not fit a list
};

struct alignas(16) StagedPartPair {
  PairContext context;
  std::int32_t pair;  // index of its StagedPair
  std::int32_t sums;  // index of its sums
  std::int64_t kept;  // index of its candidates: environment * num_part_pairs + part pair
};

/// Cells that passed the tests of a search.
struct alignas(16) CellWork {
  std::int32_t part_pair;  // index of a StagedPartPair
  AcceptedCells cells;
};

/// A pair that is left to evaluate_pair(), and what is Open of it.
struct UnfinishedPair {
  std::int32_t pair;  // index in the list of near pairs
  std::int32_t open;
};

/// What is kept between the stages, in lists with no particular order.
struct StagedPairs {
  StagedPair* pairs;  // of the first near pairs
  StoredSums* sums;   // one for each of them, or two where bodies have several parts; zero between calls
  SharedList<StagedPartPair> part_pairs;
  SharedList<CellWork> cells;
};

ISOPATCH_HD void clear(StoredSums& sums) {
  for (std::int64_t& word : sums.word) word = 0;
}

/// Begins the pair with this index where all bodies have one part; its part pair has the same index.
ISOPATCH_HD void begin_staged_pair(const StagedPairs& staged, std::int32_t index, const SceneView& scene,
                                   const State& state, std::int64_t environment, int pair) {
  StagedPartPair& part_pair = staged.part_pairs.items[index];
  make_only_context(scene, state, environment, pair, part_pair.context);
  part_pair.pair = part_pair.sums = index;
  part_pair.kept = environment * scene.num_part_pairs + scene.pairs[pair].part_pairs_begin;
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
    out.bounds = several_part_pair_bounds(scene, state, environment, view);
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
    to.kept = environment * scene.num_part_pairs + part_pair;
    if (count == 1) {
      make_only_context(scene, state, environment, pair, to.context);
      out.bounds = to.context.bounds;
      out.part_pair = at;
    } else {
      make_context(scene, state, environment, pair, part_pair, to.context);
      to.context.bounds = out.bounds;
    }
  }
  if (warp.lane() == 0) staged.pairs[index] = out;
}

/// What the lanes of one warp share while they search.
template <int size>
struct SearchMemory {
  PairContext context;
  std::int64_t found;  // index of the candidates that are kept of the traversal; -1: none are
  float margin;        // by which boxes are wider for that, m
  TraversalMemory<AcceptedCells, size> traversal;
};

/// Tests as WrenchVisitor, and lists what passes.
template <class Warp>
struct ListingVisitor {
  using Accepted = AcceptedCells;

  Warp& warp;
  const PairContext& context;
  const SharedList<CellWork>& list;
  std::int32_t part_pair;
  bool complete = true;

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const { return may_meet(context, box_of(m), box_of(s)); }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const { return test_cells(context, cells); }

  ISOPATCH_HD void visit(bool active, const AcceptedCells& cells) {
    if (complete) complete = list.append(warp, active, {part_pair, cells});  // otherwise evaluate_pair() does it all
  }
};

/// Finds candidates with wider boxes and keeps them, as the memory says.
template <class Warp, int size>
struct KeepingVisitor : ListingVisitor<Warp> {
  const SearchMemory<size>& memory;
  CandidateList* all_kept;

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const {
    return may_meet(this->context, widened_box(m, memory.margin), box_of(s));
  }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const {
    if (memory.found >= 0) {
      CandidateList& kept = all_kept[memory.found];
      const int at = this->warp.reserve(&kept.count, 1);
      if (at < kMaxCandidates) kept.cells[at] = {cells.m, cells.s};
    }
    return ListingVisitor<Warp>::accepts(cells);
  }
};

/// Searches a part pair. With `keep`, from its candidates in `all_kept` if they still hold within `margin` (m), and
/// else makes them. Called by all lanes.
template <bool keep, class Warp, int size>
ISOPATCH_HD void search_staged_pair(Warp& warp, SearchMemory<size>& memory, const StagedPairs& staged,
                                    std::int32_t index, CandidateList* all_kept = nullptr, float margin = 0) {
  const StagedPartPair& part_pair = staged.part_pairs.items[index];
  using Word = std::int64_t;
  static_assert(sizeof(PairContext) % sizeof(Word) == 0);
  const auto* from = reinterpret_cast<const Word*>(&part_pair.context);
  auto* to = reinterpret_cast<Word*>(&memory.context);
  for (int i = warp.lane(); i < static_cast<int>(sizeof(PairContext) / sizeof(Word)); i += Warp::kSize) to[i] = from[i];
  warp.sync();

  const HierarchyPair hierarchies = hierarchies_of(memory.context);
  ListingVisitor<Warp> visitor = {warp, memory.context, staged.cells, index};
  if constexpr (keep) {
    CandidateList& kept = all_kept[part_pair.kept];
    const bool known = is_valid(kept, memory.context, hierarchies, margin);
    warp.sync();  // before it changes
    if (warp.lane() == 0) {
      if (!known) begin(kept, memory.context, hierarchies);
      memory.found = known ? -1 : part_pair.kept;
      memory.margin = known ? 0.0f : margin;
    }
    warp.sync();
    KeepingVisitor<Warp, size> keeping = {visitor, memory, all_kept};
    const int count = known && kept.state == CandidateList::kFound ? kept.count : -1;  // or too many were found
    traverse(warp, memory.traversal, hierarchies, keeping, {}, KnownCandidates{kept.cells, count});
    visitor.complete = keeping.complete;
    warp.sync();
    if (warp.lane() == 0) kept.state = kept.count <= kMaxCandidates ? CandidateList::kFound : CandidateList::kTooMany;
  } else {
    traverse(warp, memory.traversal, hierarchies, visitor);
  }
  if (!visitor.complete && warp.lane() == 0) warp.set_bits(&staged.pairs[part_pair.pair].incomplete, 1);
  warp.sync();  // the memory may be used again
}

/// What the lanes of one warp share while they integrate.
template <class T, int size>
struct IntegrationMemory {
  BoundarySide<T> parts[kMaxLines * size];
};

/// Integrates the listed cells from `first` to `end`, at most one for each lane. Called by all lanes.
template <bool with_patch, class T, class Warp, int size>
ISOPATCH_HD void integrate_cells(Warp& warp, IntegrationMemory<T, size>& memory, const StagedPairs& staged,
                                 std::int32_t first, std::int32_t end) {
  const std::int32_t at = first + warp.lane();
  std::int32_t to = -1;
  WrenchSums<T, with_patch> sums;
  bool found = false;
  if (at < end) {
    const CellWork& item = staged.cells.items[at];
    const StagedPartPair& part_pair = staged.part_pairs.items[item.part_pair];
    const PairContext& context = part_pair.context;
    ContactPlane<T> plane;
    Segments<T> segments;
    Contribution<T> contribution;
    found = contribution_of<Warp::kCompactLines>(context, cell_of_M(context, item.cells.m),
                                                 cell_of_S(context, item.cells.s), item.cells.bounds, plane, segments,
                                                 contribution, StoredSides<T, size>{memory.parts + warp.lane()}) &&
            sums.add(true, contribution, FixedPointScales<T>::make(context.bounds));
    to = part_pair.sums;
  }
  for (std::uint32_t left = warp.ballot(found); left != 0u;) {
    const int target = warp.from_lane(to, count_bits(~left & (left - 1u)));
    const bool mine = found && to == target;
    sums.add_lanes_to(warp, mine, staged.sums[target]);
    left &= ~warp.ballot(mine);
  }
}

/// Writes a pair's results; returns what is Open. Called by one thread.
template <class T, bool with_patch, Parts parts, class Thread>
ISOPATCH_HD int finish_staged_pair(Thread& thread, const StagedPairs& staged, std::int32_t index,
                                   const SceneView& scene, const State& state, const Results& results,
                                   std::int64_t environment, int pair) {
  constexpr int kFrames = parts == Parts::kOne ? 1 : 2;
  StoredSums* own_sums = staged.sums + kFrames * index;
  const StagedPair& begun = staged.pairs[index];
  if (begun.incomplete != 0u) {
    for (int frame = 0; frame < kFrames; ++frame) clear(own_sums[frame]);
    return kEverything;
  }
  WrenchSums<T, with_patch> sums;
  const auto sums_of = [&](int frame) -> const WrenchSums<T, with_patch>& {
    sums.take_from(thread, own_sums[frame]);
    return sums;
  };
  const auto sum_frame_of = [&](int frame) {
    const PairContext& context = staged.part_pairs.items[begun.part_pair].context;
    return sum_frame<parts>(context, scene, state, environment, scene.pairs[pair], frame);
  };
  return finish_pass<T, with_patch, parts>(thread, Pass::kFirst, begun.bounds, scene, results, environment, pair,
                                           sum_frame_of, sums_of);
}

}  // namespace isopatch::detail
