// SPDX-License-Identifier: Apache-2.0
//
// The patch contacts of one pair, by one warp: it lists the pair's polygons, puts them in order and sums them up. Where
// there are more than it has room for, it sums up those in a range of keys, then those in the next, and evaluates the
// pair again for each; nothing is lost, and the order of the sums is the same.
#pragma once

#include "isopatch/detail/contact/packed_row_list.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/pressure_field/outputs/elastic_polygons.h"
#include "isopatch/detail/pressure_field/outputs/elastic_rows.h"
#include "isopatch/detail/simt/merge_sort.h"

namespace isopatch::detail {

/// The keys after one and up to another.
struct KeyRange {
  ContactKey after, last;

  ISOPATCH_HD static ContactKey end() {
    constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
    return {kMax, kMax, kMax};
  }
  ISOPATCH_HD static KeyRange behind(const ContactKey& key) { return {key, end()}; }
  ISOPATCH_HD static KeyRange all() { return behind({-1, 0, 0}); }

  ISOPATCH_HD bool has(const ContactKey& key) const { return after < key && !(last < key); }
  ISOPATCH_HD bool is_last() const { return last == end(); }
  friend ISOPATCH_HD bool operator==(const KeyRange& x, const KeyRange& y) {
    return x.after == y.after && x.last == y.last;
  }
};

/// Room for polygons of one pair, in global memory.
struct PolygonWindow {
  PackedRowEntry* rows;   // in order of arrival
  PackedRowEntry* other;  // to sort them
  ElasticPolygons records;
  std::int64_t capacity;  // 2 or more
};

/// What the lanes of one warp share. All but `pair` is here to leave registers to the evaluation of the pair.
template <int size>
struct PatchWorkspace {
  Workspace<size> pair;
  KeyRange range;  // of the polygons in the window
  PatchContacts contacts;
};

/// Lists the polygons of a range, and counts them in every lane.
template <class T, class Warp>
struct WindowVisitor : CellSearch<PairContext> {
  Warp& warp;
  const PolygonWindow& window;
  const KeyRange& range;
  int pair;
  std::int64_t& found;

  ISOPATCH_HD ContactKey key_of(const AcceptedCells& cells) const {
    return ContactKey::of_row(pair, context.part_a, context.part_b, context.layer, cells.m, cells.s);
  }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const {
    return range.has(key_of(cells)) && CellSearch<PairContext>::accepts(cells);
  }

  ISOPATCH_HD void visit(bool active, const AcceptedCells& at) {
    ContactPlane<T> plane;
    Segments<T> segments;
    WrenchSums<T, false> none;  // which say whether it is too small to count
    const LinesInPlace<Warp::kCompactLines> lines = {};
    const bool counts = active && integrate_cell(context, at, lines, plane, segments, none);
    const std::uint32_t ballot = warp.ballot(counts);
    const std::int64_t to = found + rank_in(ballot, warp.lane());
    found += count_bits(ballot);
    if (!counts || to >= window.capacity) return;
    window.rows[to] = {key_of(at), static_cast<std::int32_t>(to)};
    window.records.put(
        to, make_elastic_polygon(context, plane, segments, area_moments(lines.sides(segments, plane.num_lines))));
  }
};

/// Lists the polygons of the range, as many as fit; returns how many there are. Called by all lanes.
template <class T, Parts parts, class Warp, int size>
ISOPATCH_HD std::int64_t list_polygons(Warp& warp, PatchWorkspace<size>& work, const PolygonWindow& window,
                                       const SceneView& scene, const State& state, std::int64_t environment, int pair) {
  std::int64_t found = 0;
  for (int frame = 0; frame < num_frames<parts>(scene.pairs[pair]); ++frame) {
    for_each_part_pair<parts>(warp, work.pair.pair, scene, state, environment, pair, frame, [&](int) {
      const PairContext& context = work.pair.pair.context;
      WindowVisitor<T, Warp> visitor = {{context}, warp, window, work.range, pair, found};
      traverse(warp, work.pair.traversal, hierarchies_of(context), visitor);
    });
  }
  warp.sync();
  return found;
}

/// The range that follows in the sweep, or in the next one. Called by all lanes.
template <class Warp>
ISOPATCH_HD void set_range(Warp& warp, KeyRange& range, const KeyRange& to) {
  warp.sync();  // the range and the window may be in use
  if (warp.lane() == 0) range = to;
  warp.sync();
}

/// Writes the patch contacts of a pair of a valid environment, in a window that no other warp has. Called by all lanes.
template <class T, Parts parts, class Warp, int size>
ISOPATCH_HD void write_patch_contacts(Warp& warp, PatchWorkspace<size>& work, const PolygonWindow& window,
                                      const SceneView& scene, const State& state, const Results& results,
                                      std::int64_t environment, int pair) {
  constexpr int kLanes = kSumLanes / Warp::kSize;
  begin_pair<parts>(warp, work.pair.pair, scene, state, environment, pair);
  if (warp.lane() == 0) work.contacts.begin(results.max_clusters);
  set_range(warp, work.range, KeyRange::all());

  SweepSums<kLanes> own;
  const PackedRowEntry* rows = nullptr;
  int first = 0, count = 0;  // of the window's polygons, in the order of the pair's
  bool has_all = false;      // the window has all polygons of the pair
  for (bool more = true; more;) {
    if (!has_all) {
      const std::int64_t found = list_polygons<T, parts>(warp, work, window, scene, state, environment, pair);
      const std::int64_t listed = found < window.capacity ? found : window.capacity;
      rows = sort_rows(warp, window.rows, window.other, listed);
      if (found > listed) {  // a shorter range, with half as many as fit if those that were listed are like the others
        set_range(warp, work.range, {work.range.after, rows[listed * (listed / 2) / found].key});
        continue;
      }
      count = static_cast<int>(listed);
      has_all = work.range == KeyRange::all();
    }
    const ElasticPolygons records = window.records;
    work.contacts.add(
        warp, own, [=](int i) { return records.get(rows[i].record); }, first, count);
    first += count;
    const bool is_last = work.range.is_last();
    if (is_last) {
      const Vec3d p_WoA = read_vec3(state.poses, environment, scene.pairs[pair].a * kPoseSize);
      more = work.contacts.finish_sweep(warp, own, results, environment, pair, p_WoA);
      first = 0;
    }
    if (!has_all) set_range(warp, work.range, is_last ? KeyRange::all() : KeyRange::behind(work.range.last));
  }
  warp.sync();  // the workspace may be used again
}

}  // namespace isopatch::detail
