// SPDX-License-Identifier: Apache-2.0
//
// Sums of doubles in one order for every machine: lane l of 32 adds up terms l, l + 32, ... and a tree adds up the
// lanes. A warp of one lane does the work of all 32.
#pragma once

#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

inline constexpr int kSumLanes = 32;

/// Adds up the lanes, of which those from `lanes` on are 0 and are not read.
ISOPATCH_HD double tree_sum(double (&lane)[kSumLanes], int lanes = kSumLanes) {
  int used = lanes;
  for (int half = kSumLanes / 2; half > 0; half /= 2) {
    for (int l = 0; l + half < used; ++l) lane[l] += lane[l + half];
    used = min(used, half);
  }
  return lanes < kSumLanes ? lane[0] + 0.0 : lane[0];  // a sum of zeros has the sign that it has with all lanes
}

/// The sum over i < count of the terms that add(i, sums) adds to `sums`, in every lane. Called by all lanes.
template <int size, class Warp, class Add>
ISOPATCH_HD void lane_sums(Warp& warp, int count, const Add& add, double (&sums)[size]) {
  if constexpr (Warp::kSize == kSumLanes) {
    ISOPATCH_UNROLL
    for (double& sum : sums) sum = 0;
    for (int i = warp.lane(); i < count; i += kSumLanes) add(i, sums);
    ISOPATCH_UNROLL
    for (double& sum : sums) sum = warp.tree_sum(sum);
  } else {
    static_assert(Warp::kSize == 1);
    double lanes[size][kSumLanes];
    const int used = min(count, kSumLanes);
    for (int l = 0; l < used; ++l) {
      for (double& sum : sums) sum = 0;
      for (int i = l; i < count; i += kSumLanes) add(i, sums);
      for (int k = 0; k < size; ++k) lanes[k][l] = sums[k];
    }
    for (int k = 0; k < size; ++k) sums[k] = used > 0 ? tree_sum(lanes[k], used) : 0.0;
  }
}

}  // namespace isopatch::detail
