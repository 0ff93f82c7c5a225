// SPDX-License-Identifier: Apache-2.0
//
// Patch contacts from the stages of pairs (begin.h): the stage that integrates cells lists their polygons under elastic
// pressure too, and a warp sums up those of a pair. The polygons of one pair that a warp integrates together are a run,
// side by side in the list, and each run of a pair knows the one before it.
#pragma once

#include "isopatch/detail/pair/pair_call.h"
#include "isopatch/detail/pressure_field/outputs/elastic_polygons.h"
#include "isopatch/detail/pressure_field/outputs/elastic_rows.h"
#include "isopatch/detail/pressure_field/stages/integrate.h"
#include "isopatch/detail/simt/merge_sort.h"

namespace isopatch::detail {

/// Where a run is in the list, and how long: one word, so that it is exchanged at once.
struct PolygonRun {
  std::uint32_t word;

  static constexpr int kLengthBits = 5;  // of a length of at most 32, less 1
  static constexpr std::int32_t kMaxPolygons = (1 << 26);
  static constexpr std::uint32_t kNone = 0, kLost = ~std::uint32_t{0};

  ISOPATCH_HD static PolygonRun of(std::int32_t first, int length) {
    return {static_cast<std::uint32_t>(first + 1) << kLengthBits | static_cast<std::uint32_t>(length - 1)};
  }
  ISOPATCH_HD bool exists() const { return word != kNone && word != kLost; }
  ISOPATCH_HD std::int32_t first() const { return static_cast<std::int32_t>(word >> kLengthBits) - 1; }
  ISOPATCH_HD int length() const { return static_cast<int>(word & ((1u << kLengthBits) - 1u)) + 1; }
};

/// The polygons of a staged pair. Zero between calls.
struct PolygonsOfPair {
  std::uint32_t last_run;
  std::int32_t count;  // in all runs
};

/// A row of the list; where rows are sorted, one of a pair.
struct alignas(16) PolygonEntry {
  ContactKey key;
  std::uint32_t link;  // of the first polygon of a run: the run before it; where rows are sorted: index in the list
};

/// All polygons, in no particular order.
struct PolygonList {
  PolygonsOfPair* of_pairs;  // one for each staged pair; null: polygons are not listed
  PolygonEntry* rows;
  ElasticPolygons records;
  PolygonEntry *sorted, *other;  // rows by pair
  std::int32_t *count, *num_sorted;
  std::int32_t capacity;  // at most PolygonRun::kMaxPolygons

  /// The index of the first of so many polygons, of which some may not fit. Called by all lanes.
  template <class Warp>
  ISOPATCH_HD std::int32_t reserve(Warp& warp, int polygons) const {
    std::int32_t first = capacity;  // no more are counted once the list is full, so that 32 bits count them
    if (warp.lane() == 0 && *count < capacity) first = warp.reserve(count, polygons);
    return warp.from_first(first);
  }

  /// Adds a run to those of a pair. Called by one lane, for which the room was reserved; its warp has a member
  /// exchange(std::uint32_t*, bits), which writes a word that other warps write too, and returns what it was.
  template <class Warp>
  ISOPATCH_HD void add_run(Warp& warp, std::int32_t pair, std::int32_t first, int length) const {
    PolygonsOfPair& to = of_pairs[pair];
    if (first > capacity - length) {
      warp.exchange(&to.last_run, PolygonRun::kLost);
      return;
    }
    warp.reserve(&to.count, length);
    rows[first].link = warp.exchange(&to.last_run, PolygonRun::of(first, length).word);
  }
};

/// integrate_cells() that also lists the polygons. Called by all lanes.
template <bool with_patch, class T, class Warp, int size>
ISOPATCH_HD void integrate_and_list_cells(Warp& warp, IntegrationMemory<T, with_patch, size>& memory,
                                          const StagedPairs& staged, const PolygonList& list, std::int32_t first,
                                          std::int32_t end) {
  const std::int32_t at = first + warp.lane();
  std::int32_t to = -1, pair = -1;
  WrenchSums<T, with_patch> sums;
  ContactPlane<T> plane;
  StoredPolygon<T, size> polygon;
  bool found = false;
  if (at < end) {
    const CellWork& item = staged.cells.items[at];
    const StagedPartPair& part_pair = staged.part_pairs.items[item.part_pair];
    const LinesInMemory<T, size> lines = {memory.sides + warp.lane()};
    found = integrate_cell(part_pair.context, item.cells, lines, plane, polygon, sums);
    to = part_pair.sums;
    pair = part_pair.pair;
  }
  std::uint32_t left = warp.ballot(found);
  if (left == 0u) return;
  std::int32_t begin = list.reserve(warp, count_bits(left)), own = 0;
  while (left != 0u) {
    const int leader = count_bits(~left & (left - 1u));
    const std::int32_t target = warp.from_lane(to, leader);
    const bool mine = found && to == target;
    add_lanes_to(warp, mine, sums, staged.sums[target]);
    const std::uint32_t run = warp.ballot(mine);
    if (mine) own = begin + rank_in(run, warp.lane());
    if (warp.lane() == leader) list.add_run(warp, pair, begin, count_bits(run));
    begin += count_bits(run);
    left &= ~run;
  }
  if (!found || own >= list.capacity) return;
  const CellWork& item = staged.cells.items[at];
  const PairContext& context = staged.part_pairs.items[item.part_pair].context;
  list.rows[own].key = ContactKey::of_row(0, context.part_a, context.part_b, context.layer, item.cells.m, item.cells.s);
  list.records.put(own, make_elastic_polygon(context, plane, polygon, polygon.moments));
}

/// Writes the patch contacts of the staged pair with this index, from its listed polygons. False if one was not listed.
/// Called by all lanes, after all cells were integrated.
template <class Warp>
ISOPATCH_HD bool write_listed_patch(Warp& warp, PatchContacts& contacts, const StagedPairs& staged,
                                    const PolygonList& list, std::int32_t index, const PairCall& call) {
  const PolygonsOfPair polygons = list.of_pairs[index];
  const bool complete = staged.pairs[index].incomplete == 0u;
  warp.sync();  // before it changes
  if (warp.lane() == 0) list.of_pairs[index] = {PolygonRun::kNone, 0};
  PolygonRun run = {complete ? polygons.last_run : PolygonRun::kLost};
  if (run.word == PolygonRun::kLost) return false;

  // the rows of all runs, which never are more than there are in the list
  const std::int32_t begin = warp.from_first(warp.lane() == 0 ? warp.reserve(list.num_sorted, polygons.count) : 0);
  PolygonEntry *const rows = list.sorted + begin, *const other = list.other + begin;
  std::int32_t filled = 0;
  while (run.exists()) {
    const std::int32_t first = run.first();
    const int length = run.length();
    for (int i = warp.lane(); i < length; i += Warp::kSize) {
      rows[filled + i] = {list.rows[first + i].key, static_cast<std::uint32_t>(first + i)};
    }
    filled += length;
    run.word = list.rows[first].link;
  }
  warp.sync();
  if (run.word == PolygonRun::kLost) return false;
  const PolygonEntry* const sorted = sort_rows(warp, rows, other, polygons.count);
  const ElasticPolygons& records = list.records;
  const Vec3d p_WoA = read_vec3(call.state.poses, call.environment, call.view().a * kPoseSize);
  write_patch_contacts<kSumLanes / Warp::kSize>(
      warp, contacts, call.results, call.environment, call.pair, p_WoA,
      [=](int i) { return records.get(sorted[i].link); }, polygons.count);
  warp.sync();  // the contacts may be used again
  return true;
}

}  // namespace isopatch::detail
