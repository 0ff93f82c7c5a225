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

/// Adds up the lanes, each with `size` sums, into lane 0. Lanes from `used` on are 0, and are not read.
template <int size>
ISOPATCH_HD void add_up_lanes(double (&lanes)[kSumLanes][size], int used) {
  int left = used;
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int l = 0; l + half < left; ++l) {
      for (int k = 0; k < size; ++k) lanes[l][k] += lanes[l + half][k];
    }
    left = min(left, half);
  }
  if (used == kSumLanes) return;
  for (double& sum : lanes[0]) sum += 0.0;  // a sum of zeros has the sign that it has with all lanes
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
    add_up_lanes(lanes, used);
    for (int k = 0; k < size; ++k) sums[k] = lanes[0][k];
  }
}

}  // namespace isopatch::detail
