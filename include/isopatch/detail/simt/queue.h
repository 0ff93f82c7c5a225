// SPDX-License-Identifier: Apache-2.0
//
// Work lists that the lanes of one warp share.
#pragma once

#include <cstdint>

#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

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
