// SPDX-License-Identifier: Apache-2.0
//
// A list in global memory that all warps append to.
#pragma once

#include <cstdint>

#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// What does not fit is counted and not written.
template <class Item>
struct SharedList {
  Item* items;
  std::int32_t* count;
  std::int32_t capacity;

  /// The number of items that were written.
  ISOPATCH_HD std::int32_t size() const { return *count < capacity ? *count : capacity; }

  /// Reserves an index for each lane that `has` an item, and returns this lane's, which may be beyond the capacity.
  /// Called by all lanes.
  template <class Warp>
  ISOPATCH_HD std::int32_t reserve(Warp& warp, bool has) const {
    const std::uint32_t ballot = warp.ballot(has);
    if (ballot == 0u) return 0;
    const int first = warp.from_first(warp.lane() == 0 ? warp.reserve(count, count_bits(ballot)) : 0);
    return first + rank_in(ballot, warp.lane());
  }

  /// Appends the lanes' items. False if one of them did not fit. Called by all lanes.
  template <class Warp>
  ISOPATCH_HD bool append(Warp& warp, bool has, const Item& item) const {
    const std::int32_t at = reserve(warp, has);
    const bool fits = at < capacity;
    if (has && fits) items[at] = item;
    return warp.ballot(has && !fits) == 0u;
  }
};

}  // namespace isopatch::detail
