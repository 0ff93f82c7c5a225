// SPDX-License-Identifier: Apache-2.0
//
// What the threads of a warp find in a sweep over the polygons of a pair: sums in the order of lane_sums.h, and one
// polygon. Neither depends on how many threads there are.
#pragma once

#include <limits>

#include "isopatch/detail/simt/lane_sums.h"

namespace isopatch::detail {

/// What a thread of a warp adds up in a sweep, in so many lanes of the sums.
template <int lanes>
struct SweepSums {
  static constexpr int kSums = 7;
  LaneSums<lanes, kSums> sums;

  // of the next cluster: of its polygons the one with the largest weight, the first one if there are several
  double weight = 0;  // 0: none
  int index = 0;      // in the order of the pair's polygons
  Vec3d normal = {0, 0, 0};

  /// Begins a sweep.
  ISOPATCH_HD void clear() {
    sums.clear();
    weight = 0;
  }

  ISOPATCH_HD void take(double w, int i, Vec3d n) {
    if (!(w > weight || (w == weight && w > 0 && i < index))) return;
    weight = w;
    index = i;
    normal = n;
  }

  /// Whether no other thread has a polygon that comes before this one's.
  template <class Warp>
  ISOPATCH_HD bool is_first(Warp& warp) const {
    if constexpr (Warp::kSize == 1) {
      return weight > 0;
    } else {
      const double most = warp.from_lane(warp.max(weight), 0);
      const bool has_most = weight > 0 && weight == most;
      const double place = has_most ? -static_cast<double>(index) : -std::numeric_limits<double>::max();
      const double first = warp.from_lane(warp.max(place), 0);
      return has_most && place == first;
    }
  }
};

}  // namespace isopatch::detail
