// SPDX-License-Identifier: Apache-2.0
//
// The stage that finds the pairs of cells of a part pair that may have a polygon.
#pragma once

#include "isopatch/detail/cells/search.h"
#include "isopatch/detail/pressure_field/stages/begin.h"
#include "isopatch/detail/pressure_field/stages/candidates.h"

namespace isopatch::detail {

/// Whether two cells may pass in any pose of S in which no point of its mesh is farther than the margin (m) from where
/// it is.
ISOPATCH_HD bool may_pass_within(const PairContext& f, std::int32_t m, std::int32_t s, float margin) {
  return filter_cells(f, coarse_cell_of_M(f, m), coarse_cell_of_S(f, s), WithinMargin{margin}).possible;
}

/// What the lanes of one warp share while they search.
template <int size>
struct SearchMemory {
  PairContext context;
  CandidateList* found;  // the candidates that are kept of the traversal; null: none are
  float margin;          // within which they are found, m
  TraversalMemory<AcceptedCells, size> traversal;
};

/// Lists what passes the tests.
template <class Warp>
struct ListingVisitor : CellSearch<PairContext> {
  Warp& warp;
  const SharedList<CellWork>& list;
  std::int32_t part_pair;
  bool complete = true;

  ISOPATCH_HD void visit(bool active, const AcceptedCells& cells) {
    if (complete) complete = list.append(warp, active, {part_pair, cells});  // otherwise evaluate_pair() does it all
  }
};

/// Finds candidates by tests with a margin, and keeps them. If there is no room for more, or if none are to be kept,
/// the rest is tested without a margin and listed at once.
template <class Warp, int size>
struct KeepingVisitor {
  using Accepted = AcceptedCells;

  ListingVisitor<Warp>& listing;
  const SearchMemory<size>& memory;
  bool keeps;
  int near = 0, far = 0;  // candidates that are kept

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const {
    return may_meet(memory.context, widened_box(m, memory.margin), box_of(s));
  }

  ISOPATCH_HD bool accepts(const AcceptedCells& cells) const {
    return !keeps || may_pass_within(memory.context, cells.m, cells.s, memory.margin);
  }

  ISOPATCH_HD void visit(bool active, AcceptedCells cells) {
    if (keeps && near + far + size <= kMaxCandidates) return keep(active, {cells.m, cells.s});
    keeps = false;
    const bool pass = active && listing.accepts(cells);
    listing.visit(pass, cells);
  }

 private:
  ISOPATCH_HD void keep(bool active, CellPair cells) {
    const bool is_near = active && may_pass_within(memory.context, cells.m, cells.s, kNearShare * memory.margin);
    const std::uint32_t near_ones = listing.warp.ballot(is_near);
    const std::uint32_t others = listing.warp.ballot(active && !is_near);
    const int before = rank_in(is_near ? near_ones : others, listing.warp.lane());
    if (active) memory.found->cells[is_near ? near + before : kMaxCandidates - 1 - (far + before)] = cells;
    near += count_bits(near_ones);
    far += count_bits(others);
  }
};

/// Tests the first `count` candidates, and lists those that pass. Called by all lanes.
template <class Warp, int size>
ISOPATCH_HD void test_candidates(Warp& warp, SearchMemory<size>& memory, const CandidateList& candidates, int count,
                                 ListingVisitor<Warp>& listing) {
  Queue<AcceptedCells, size> accepted = {memory.traversal.accepted};
  for (int left = count; left > 0 || accepted.waiting > 0;) {
    if (left <= 0 || accepted.fills_a_round()) {
      visit(warp, accepted, listing);
      continue;
    }
    left -= size;
    const int at = left + warp.lane();
    AcceptedCells item = {0, 0, {}};
    if (at >= 0) {
      const CellPair cells = candidates[at];
      item.m = cells.m;
      item.s = cells.s;
    }
    const bool pass = at >= 0 && listing.accepts(item);
    accepted.add(warp, pass, item);
  }
}

/// Searches a part pair from its candidates in `list` if they hold; else others are found, and kept with a margin as
/// the rule says. Called by all lanes.
template <class Warp, int size>
ISOPATCH_HD void search_keeping(Warp& warp, SearchMemory<size>& memory, const HierarchyPair& hierarchies,
                                CandidateList& list, CandidateMargin rule, ListingVisitor<Warp>& listing) {
  const float motion = motion_since(list, memory.context, hierarchies);
  const bool known = hold_after(list, motion);
  int count = 0;
  if (!known || list.state == CandidateList::kTooMany) {
    warp.sync();  // before it changes
    if (warp.lane() == 0) {
      memory.margin = known ? 0.0f : begin(list, memory.context, hierarchies, motion, rule);
      memory.found = memory.margin > 0 ? &list : nullptr;
    }
    warp.sync();
    KeepingVisitor<Warp, size> keeping = {listing, memory, memory.found != nullptr};
    traverse(warp, memory.traversal, hierarchies, keeping);
    count = keeping.near;  // the parts have not moved yet
    if (memory.found != nullptr && warp.lane() == 0) {
      list.near = keeping.near;
      list.far = keeping.far;
      list.state = keeping.keeps ? CandidateList::kFound : CandidateList::kTooMany;
    }
    warp.sync();
  } else {
    count = motion <= kNearShare * list.margin ? list.near : list.near + list.far;
    warp.sync();  // before it changes
    if (warp.lane() == 0) {
      list.state = CandidateList::kUsed;
      ++list.searches;
    }
  }
  test_candidates(warp, memory, list, count, listing);
}

/// Leaves a pair to evaluate_pair(), by its part pair. Called by one lane.
template <class Warp>
ISOPATCH_HD void leave_pair_of(Warp& warp, const StagedPairs& staged, std::int32_t part_pair) {
  warp.set_bits(&staged.pairs[staged.part_pairs.items[part_pair].pair].incomplete, 1);
}

/// Searches a part pair, or a share of it. With `keep`, all of it, and from the candidates in `cache` or to keep them
/// there. Called by all lanes.
template <bool keep, class Warp, int size>
ISOPATCH_HD void search_staged_pair(Warp& warp, SearchMemory<size>& memory, const StagedPairs& staged,
                                    std::int32_t index, WorkSlice share = {}, CandidateList* cache = nullptr,
                                    CandidateMargin margin = {}) {
  const StagedPartPair& part_pair = staged.part_pairs.items[index];
  using Word = std::int64_t;
  static_assert(sizeof(PairContext) % sizeof(Word) == 0);
  const auto* from = reinterpret_cast<const Word*>(&part_pair.context);
  auto* to = reinterpret_cast<Word*>(&memory.context);
  for (int i = warp.lane(); i < static_cast<int>(sizeof(PairContext) / sizeof(Word)); i += Warp::kSize) to[i] = from[i];
  warp.sync();

  const HierarchyPair hierarchies = hierarchies_of(memory.context);
  ListingVisitor<Warp> visitor = {{memory.context}, warp, staged.cells, index};
  if constexpr (keep) {
    search_keeping(warp, memory, hierarchies, cache[part_pair.candidates], margin, visitor);
  } else {
    traverse(warp, memory.traversal, hierarchies, visitor, share);
  }
  if (!visitor.complete && warp.lane() == 0) leave_pair_of(warp, staged, index);
  warp.sync();  // the memory may be used again
}

}  // namespace isopatch::detail
