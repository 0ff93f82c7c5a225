// SPDX-License-Identifier: Apache-2.0
//
// Sums of doubles in one order for every machine: lane l of 32 adds up terms l, l + 32, ... and a tree adds up the
// lanes. A warp of one lane does the work of all 32.
#pragma once

#include "isopatch/detail/math/vec.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

inline constexpr int kSumLanes = 32;

/// Adds to three sums.
template <class T>
ISOPATCH_HD void add_to(T* sums, Vec3<T> v) {
  sums[0] = sums[0] + v.x;
  sums[1] = sums[1] + v.y;
  sums[2] = sums[2] + v.z;
}

/// Adds up the first `count` sums of the lanes, each with `size`, into lane 0. Lanes from `used` on are 0, and are not
/// read.
template <int count, int size>
ISOPATCH_HD void add_up_lanes(double (&lanes)[kSumLanes][size], int used) {
  int left = used;
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int l = 0; l + half < left; ++l) {
      for (int k = 0; k < count; ++k) lanes[l][k] += lanes[l + half][k];
    }
    left = min(left, half);
  }
  if (used == kSumLanes) return;
  for (int k = 0; k < count; ++k) lanes[0][k] += 0.0;  // a sum of zeros has the sign that it has with all lanes
}

/// The sum over i < count of the terms that add(i, sums) adds to `sums`, in every lane. Called by all lanes. Teams, of
/// which each may have a `count` of its own, do it with memory that they share.
template <int size, class Warp, class Add>
ISOPATCH_HD void lane_sums(Warp& warp, int count, const Add& add, double (&sums)[size]) {
  if constexpr (requires { warp.lane_sums(count, add, sums); }) {
    warp.lane_sums(count, add, sums);
  } else if constexpr (Warp::kSize == kSumLanes) {
    ISOPATCH_UNROLL
    for (double& sum : sums) sum = 0;
    for (int i = warp.lane(); i < count; i += kSumLanes) add(i, sums);
    ISOPATCH_UNROLL
    for (double& sum : sums) sum = warp.tree_sum(sum);
  } else {
    static_assert(Warp::kSize == 1);
    double lanes[kSumLanes][size];
    const int used = min(count, kSumLanes);
    for (double& sum : lanes[0]) sum = 0;
    for (int l = 0; l < used; ++l) {
      double(&own)[size] = lanes[l];
      for (double& sum : own) sum = 0;
      for (int i = l; i < count; i += kSumLanes) add(i, own);
    }
    add_up_lanes<size>(lanes, used);
    for (int k = 0; k < size; ++k) sums[k] = lanes[0][k];
  }
}

/// The same of terms that come in pieces. Each thread keeps so many of the lanes: with the threads of its warp all that
/// there are.
template <int lanes, int size>
class LaneSums {
 public:
  ISOPATCH_HD LaneSums() { clear(); }

  ISOPATCH_HD void clear() {
    used_ = 0;
    ISOPATCH_UNROLL
    for (int k = 0; k < padded(size); ++k) lane_[0][k] = 0;
  }

  /// Calls add(i, sums) for the terms first + i that are of this thread's lanes, i in [0, count).
  template <class Warp, class Add>
  ISOPATCH_HD void add(Warp& warp, int first, int count, const Add& add) {
    static_assert(lanes == 1 || Warp::kSize == 1);
    constexpr int kAll = lanes == 1 ? Warp::kSize : lanes;
    if constexpr (lanes == 1) {
      for (int i = (warp.lane() - first) & (kAll - 1); i < count; i += kAll) add(i, lane_[0]);
    } else {
      for (const int now = min(first + count, lanes); used_ < now; ++used_) {
        for (double& sum : lane_[used_]) sum = 0;
      }
      for (int i = 0; i < count; ++i) add(i, lane_[(first + i) & (kAll - 1)]);
    }
  }

  /// The first `count` sums of all terms, in every thread. Called by all of the warp.
  template <int count = size, class Warp>
  ISOPATCH_HD void finish(Warp& warp, double (&sums)[size]) {
    if constexpr (lanes > 1) add_up_lanes<padded(count)>(lane_, used_);
    ISOPATCH_UNROLL
    for (int k = 0; k < count; ++k) {
      if constexpr (Warp::kSize > 1) {
        sums[k] = warp.tree_sum(lane_[0][k]);
      } else {
        sums[k] = lane_[0][k];
      }
    }
  }

 private:
  /// A thread that keeps several lanes adds up whole vectors.
  ISOPATCH_HD static constexpr int padded(int count) { return lanes > 1 ? (count + 3) / 4 * 4 : count; }

  double lane_[lanes][padded(size)];  // the first, and those that were used
  int used_;
};

}  // namespace isopatch::detail
