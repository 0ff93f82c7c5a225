// SPDX-License-Identifier: Apache-2.0
//
// The stage that finds the pairs of cells of a part pair that may have a polygon.
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/pressure_field/cells/node_test.h"
#include "isopatch/detail/pressure_field/cells/tet_filter.h"
#include "isopatch/detail/pressure_field/stages/begin.h"
#include "isopatch/detail/pressure_field/stages/candidates.h"

namespace isopatch::detail {

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

/// The tests of a visitor of traverse(). With `checked`, all cells are decided in double.
template <bool checked = false>
struct CellSearch {
  using Accepted = AcceptedCells;

  const PairContext& context;

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const { return may_meet(context, box_of(m), box_of(s)); }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const { return test_cells<checked>(context, cells); }
};

/// What the lanes of one warp share while they search.
template <int size>
struct SearchMemory {
  PairContext context;
  std::int64_t found;  // index of the candidates that are kept of the traversal; -1: none are
  float margin;        // by which boxes are wider for that, m
  TraversalMemory<AcceptedCells, size> traversal;
};

/// Lists what passes the tests.
template <class Warp>
struct ListingVisitor : CellSearch<> {
  Warp& warp;
  const SharedList<CellWork>& list;
  std::int32_t part_pair;
  bool complete = true;

  ISOPATCH_HD void visit(bool active, const AcceptedCells& cells) {
    if (complete) complete = list.append(warp, active, {part_pair, cells});  // otherwise evaluate_pair() does it all
  }
};

/// Finds candidates with wider boxes and keeps them, as the memory says.
template <class Warp, int size>
struct KeepingVisitor : ListingVisitor<Warp> {
  const SearchMemory<size>& memory;
  CandidateList* cache;

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const {
    return may_meet(this->context, widened_box(m, memory.margin), box_of(s));
  }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const {
    if (memory.found >= 0) {
      CandidateList& found = cache[memory.found];
      const int at = this->warp.reserve(&found.count, 1);
      if (at < kMaxCandidates) found.cells[at] = {cells.m, cells.s};
    }
    return ListingVisitor<Warp>::accepts(cells);
  }
};

/// Searches a part pair, or a share of it. With `keep`, all of it, from its candidates in `cache` if they are valid
/// within `margin` (m); else they are found, and kept. Called by all lanes.
template <bool keep, class Warp, int size>
ISOPATCH_HD void search_staged_pair(Warp& warp, SearchMemory<size>& memory, const StagedPairs& staged,
                                    std::int32_t index, WorkSlice share = {}, CandidateList* cache = nullptr,
                                    float margin = 0) {
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
    CandidateList& candidates = cache[part_pair.candidates];
    const bool known = is_valid(candidates, memory.context, hierarchies, margin);
    warp.sync();  // before it changes
    if (warp.lane() == 0) {
      if (!known) begin(candidates, memory.context, hierarchies);
      memory.found = known ? -1 : part_pair.candidates;
      memory.margin = known ? 0.0f : margin;
    }
    warp.sync();
    KeepingVisitor<Warp, size> keeping = {visitor, memory, cache};
    const int count =
        known && candidates.state == CandidateList::kFound ? candidates.count : -1;  // or too many were found
    traverse(warp, memory.traversal, hierarchies, keeping, {}, KnownCandidates{candidates.cells, count});
    visitor.complete = keeping.complete;
    warp.sync();
    if (warp.lane() == 0)
      candidates.state = candidates.count <= kMaxCandidates ? CandidateList::kFound : CandidateList::kTooMany;
  } else {
    traverse(warp, memory.traversal, hierarchies, visitor, share);
  }
  if (!visitor.complete && warp.lane() == 0) warp.set_bits(&staged.pairs[part_pair.pair].incomplete, 1);
  warp.sync();  // the memory may be used again
}

}  // namespace isopatch::detail
