// SPDX-License-Identifier: Apache-2.0
//
// Lists that lanes share: of work that waits, in a warp, and of what all warps append to it, in global memory.
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

/// Items that wait until there is one for every lane.
template <class Item, int size>
struct Queue {
  Item* items;  // 2 * size, shared by the lanes
  int waiting = 0;

  ISOPATCH_HD bool fills_a_round() const { return waiting >= size; }

  /// Adds this lane's item, if it has one.
  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, bool has, const Item& item) {
    const std::uint32_t ballot = warp.ballot(has);
    if (has) items[waiting + rank_in(ballot, warp.lane())] = item;
    waiting += count_bits(ballot);
    warp.sync();
  }

  /// Takes an item for each lane; false for lanes that get none.
  template <class Warp>
  ISOPATCH_HD bool take(Warp& warp, Item& item) {
    const int round = waiting < size ? waiting : size;
    const bool active = warp.lane() < round;
    if (active) item = items[waiting - round + warp.lane()];
    waiting -= round;
    warp.sync();
    return active;
  }
};

}  // namespace isopatch::detail
