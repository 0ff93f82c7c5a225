// SPDX-License-Identifier: Apache-2.0
//
// The search of part pairs with SIMD, from candidates that are kept or in their hierarchies. What passes is listed for
// the stages that follow (polygon_stages.h).
#pragma once

#include <span>

#include "host/cpu/cells/simd_search.h"
#include "host/cpu/pressure_field/simd_kernels.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"

namespace isopatch::detail {
namespace {

/// Keeps the candidates that may have a polygon within a margin.
struct KeepingTest {
  const PairContext& f;
  const KeptSearch& kept;
  std::int32_t at = 0;  // the next one's index in the list

  __attribute__((noinline)) void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) {
    using Int = Simd<std::int32_t, kFloatLanes>;
    const CoarseCell* coarse_S = f.S.half_space ? nullptr : f.S.hierarchy.coarse_cells;
    const auto result = filter_cells(f, SimdCoarseCells(f.M.hierarchy.coarse_cells, m), SimdCoarseCells(coarse_S, s),
                                     WithinMargin{kept.list->margin});
    const Mask<kFloatLanes> keep = active && result.possible;
    const LanesInMask keeping(keep);
    keeping.append(Int::load(m), kept.m + at);
    keeping.append(Int::load(s), kept.s + at);
    kept.list->count += static_cast<std::int32_t>(hn::CountTrue(Tag<float, kFloatLanes>(), keep.m));
    at = kept.list->count < kept.capacity ? kept.list->count : kept.capacity;  // beyond, no more than the padding
  }
};

/// Finds the candidates that are to be kept. False if there are too many to keep.
inline bool find_kept(const PairContext& now, const KeptSearch& kept, SimdWorkspace& work) {
  KeptList& list = *kept.list;
  PairContext f = now;
  f.X_MS = kept.X_MS;
  f.coarse = make_coarse_tests(f, coordinate_bound(f.M) + coordinate_bound(f.S));
  KeepingTest keeping = {f, kept};
  search_hierarchies(f, list.margin, work.traversal, keeping);
  // if there are many more than without a margin, the tests cost what the traversal does
  if (list.count > list.num_without + list.num_without / 2 + kFloatLanes) list.pause = KeptList::kPause;
  if (list.count > kept.capacity) {
    list.pause = KeptList::kLongPause;
    return false;
  }
  for (int i = 0; i < kFloatLanes; ++i) {  // fill up the last vector
    kept.m[list.count + i] = kept.m[0];
    kept.s[list.count + i] = kept.s[0];
  }
  list.state = KeptList::kFound;  // not before, as the search may be cancelled
  return true;
}

/// Tests the candidates of a part pair: those that are kept, or what a search of the hierarchies finds.
template <class Test>
void search_part_pair(const PairContext& f, const KeptSearch& kept, SimdWorkspace& work, Test& cells) {
  const bool known = kept.list != nullptr && (kept.kind == KeptSearch::kKnown ||
                                              (kept.kind == KeptSearch::kWithMargin && find_kept(f, kept, work)));
  if (known) {
    work.traversal.counter.add(kept.list->count);
    for (std::int32_t at = 0; at < kept.list->count; at += kFloatLanes) {
      cells.test(kept.m + at, kept.s + at, first_lanes<kFloatLanes>(kept.list->count - at));
    }
    return;
  }
  search_hierarchies(f, 0, work.traversal, cells);
  if (kept.list != nullptr) kept.list->num_without = cells.num_tested();
}

/// Searches part pairs one after another; the list is given away when it is full and at the end.
inline void search_part_pairs(std::span<const PartPairWork> part_pairs, SimdWorkspace& work, AcceptedList list) {
  for (std::size_t i = 0; i < part_pairs.size(); ++i) {
    const PairContext& f = *part_pairs[i].context;
    list.begin(static_cast<std::int32_t>(i));
    CellTest<EqualPressureGate> cells(f, list);
    search_part_pair(f, part_pairs[i].kept, work, cells);
    cells.finish();
    list.end();
  }
  list.give();
}

}  // namespace
}  // namespace isopatch::detail
