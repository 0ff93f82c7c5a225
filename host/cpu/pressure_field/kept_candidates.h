// SPDX-License-Identifier: Apache-2.0
//
// The candidates of part pairs on the CPU, which are kept from one search to the next (stages/candidates.h), and when
// that pays. The margin is as far as the parts move in a few searches. The first search of a part pair keeps nothing,
// since how fast it moves is not known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/cpu/pressure_field/simd_kernels.h"
#include "host/evaluation/candidate_memory.h"
#include "isopatch/detail/pressure_field/stages/search.h"

namespace isopatch::detail {

/// The candidates of some part pairs in some environments.
class CandidateStore {
 public:
  /// Lists with room for `most_candidates`, or less if no mesh has more than `most_cells` cells. No margin is above
  /// `limit`, m.
  CandidateStore(std::int64_t num_environments, std::int32_t num_part_pairs, std::int64_t most_cells,
                 std::int64_t most_candidates, double limit)
      : num_part_pairs_(static_cast<std::size_t>(num_part_pairs)),
        capacity_(static_cast<std::int32_t>(std::min(4 * most_cells + 64, most_candidates))),
        limit_(static_cast<float>(limit)),
        lists_(static_cast<std::size_t>(num_environments) * num_part_pairs_),
        cells_(2 * lists_.size() * row_size()) {}

  std::size_t bytes() const { return lists_.size() * sizeof(KeptList) + cells_.size() * sizeof(std::int32_t); }

  /// How often lists were found, all together.
  std::int64_t times_found() const {
    std::int64_t times = 0;
    for (const KeptList& list : lists_) times += list.times_found;
    return times;
  }

  /// Forgets all lists.
  void reset() { ++era_; }

  /// Forgets the lists of the environments in which the mask is not 0.
  void reset(const std::uint8_t* mask) {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      if (mask[i / num_part_pairs_] != 0) lists_[i].state = KeptList::kNone;
    }
  }

  /// Decides what a search in this context does, and begins a list that is to be found. `index` is environment *
  /// num_part_pairs + part pair.
  KeptSearch begin_search(std::int64_t index, const PairContext& f) {
    const auto at = static_cast<std::size_t>(index);
    KeptList& list = lists_[at];
    std::int32_t* const cells = cells_.data() + 2 * at * row_size();
    KeptSearch search = {&list, KeptSearch::kKnown, cells, cells + row_size(), capacity_};

    const HierarchyPair hierarchies = hierarchies_of(f);
    const bool seen = list.state != KeptList::kNone && list.era == era_ && list.origin.is_of(f, hierarchies);
    if (seen && list.state == KeptList::kFound && motion_bound(f, list.origin.X_MS) <= list.margin) {
      ++list.searches;
      list.last = f.X_MS;
      return search;
    }

    if (!seen) list.pause = 0;
    if (seen && list.state == KeptList::kFound && list.searches < kFewestSearches) list.pause = KeptList::kPause;
    bool keep = seen && list.pause == 0;
    if (list.pause > 0) --list.pause;
    if (keep) {
      const float speed = motion_bound(f, float_copy(list.last)), most = largest_margin(f);  // m a search
      search.X_MS = motion_ahead(list.last, f.X_MS, std::min(kSearchesAhead, most / speed));
      list.margin = 1.05f * motion_bound(f, float_copy(search.X_MS)) + 16 * f.coarse.slack;
      keep = speed <= most && list.margin <= most;
    }
    list.origin.set(f, hierarchies);
    list.origin.X_MS = float_copy(keep ? search.X_MS : f.X_MS);
    list.last = f.X_MS;
    list.era = era_;
    list.state = KeptList::kSeen;  // until they are found
    list.searches = list.count = 0;
    if (keep) ++list.times_found;
    search.kind = keep ? KeptSearch::kWithMargin : KeptSearch::kPlain;
    return search;
  }

 private:
  /// A list is found for the pose that the parts reach after so many searches if they go on as they do, and so holds
  /// for about twice as many.
  static constexpr float kSearchesAhead = 3.5f;
  static constexpr int kFewestSearches = 2;                                    // fewer do not pay
  static constexpr float kLargestMargin = 0.05f;                               // over the smaller part's radius
  static constexpr std::size_t kPadding = 2 * SimdTraversalMemory::kMaxLanes;  // which vectors write and read too many

  float largest_margin(const PairContext& f) const {
    const double radius_S = f.S.half_space ? f.M.geometry->radius : f.S.geometry->radius;
    return std::min(limit_, kLargestMargin * static_cast<float>(std::min(f.M.geometry->radius, radius_S)));
  }

  /// Where a frame is after it has moved on by `factor` times its last motion.
  static Transform<double> motion_ahead(const Transform<double>& before, const Transform<double>& now, double factor) {
    const Transform<double> turn = product(now, inverse_rotation(before));
    const double share = 0.25 * factor;  // half of half the difference of two elements is about half the angle
    const double x = share * (turn.row[2].y - turn.row[1].z), y = share * (turn.row[0].z - turn.row[2].x),
                 z = share * (turn.row[1].x - turn.row[0].y);
    const double scale = 1 / std::sqrt(1 + x * x + y * y + z * z);
    Transform<double> ahead = product(rotation_of(scale, scale * x, scale * y, scale * z), now);
    ahead.translation = fma(factor, now.translation - before.translation, now.translation);
    return ahead;
  }
  static Transform<double> inverse_rotation(const Transform<double>& X) {
    const auto column = [&](double Vec3d::*axis) { return Vec3d{X.row[0].*axis, X.row[1].*axis, X.row[2].*axis}; };
    return {{column(&Vec3d::x), column(&Vec3d::y), column(&Vec3d::z)}, {0, 0, 0}};
  }

  std::size_t row_size() const { return static_cast<std::size_t>(capacity_) + kPadding; }

  std::size_t num_part_pairs_;
  std::int32_t capacity_;
  float limit_;
  std::int64_t era_ = 0;
  std::vector<KeptList> lists_;
  std::vector<std::int32_t> cells_;  // of each list a row of M's and one of S's
};

/// What a CandidateCache holds for an evaluator on the CPU.
class CpuCandidates final : public CandidateCache::Implementation {
 public:
  CpuCandidates(const Evaluator::Implementation& owner, std::int64_t num_environments, double margin,
                CandidateStore memory)
      : Implementation(owner, num_environments, margin), store(std::move(memory)) {}

  std::size_t bytes() const override { return store.bytes(); }
  std::int64_t times_found() const override { return store.times_found(); }
  void reset(const std::uint8_t* mask, void* /*stream*/) override {
    mask != nullptr ? store.reset(mask) : store.reset();
  }

  CandidateStore store;
};

}  // namespace isopatch::detail
