// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

/// Puts rows in the order of their keys, by merging runs that get twice as long each time: a row's place follows from
/// its own in its run, and from how many of the other run come before it. Returns where they are, `rows` or `other`.
/// Called by all threads of a group, which has the members kSize, lane() and sync() of a warp.
template <class Row, class Group>
ISOPATCH_HD const Row* sort_rows(Group& group, Row* rows, Row* other, std::int64_t count) {
  for (std::int64_t length = 1; length < count; length *= 2) {
    for (std::int64_t i = group.lane(); i < count; i += Group::kSize) {
      const Row row = rows[i];
      const std::int64_t run = i & ~(length - 1), pair = run & ~length;
      const std::int64_t other_run = run ^ length;
      std::int64_t low = other_run < count ? other_run : count;
      std::int64_t high = other_run + length < count ? other_run + length : count;
      const std::int64_t begin = low;
      while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (rows[middle].key < row.key) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      other[pair + (i - run) + (low - begin)] = row;
    }
    group.sync();
    Row* const before = rows;
    rows = other;
    other = before;
  }
  return rows;
}

}  // namespace isopatch::detail
