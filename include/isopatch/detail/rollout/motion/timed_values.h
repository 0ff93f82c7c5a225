// SPDX-License-Identifier: Apache-2.0
//
// Values over time, from the rows of a drive.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"
#include "isopatch/scene/motion.h"

namespace isopatch::detail {

/// Times that differ by less are the same: a step ends at a sum or product of time steps, a little off a row's time.
inline constexpr double kSameTime = 1e-9;  // s

/// Rows in the order of their times, in memory that something else owns.
template <class Row>
struct RowsView {
  const Row* rows;
  std::int32_t count;
};

using TimedValues = RowsView<TimedValue>;

/// How many rows have a time of at most `time`.
template <class Row>
ISOPATCH_HD std::int32_t rows_until(const RowsView<Row>& view, double time) {
  std::int32_t low = 0, high = view.count;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (view.rows[middle].time <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The rows before and after a time, and how far from one to the other it is, 0 to 1. Before the first row and after
/// the last both are the same row.
struct Neighbors {
  std::int32_t before, after;
  double fraction;
};

/// Requires at least one row.
template <class Row>
ISOPATCH_HD Neighbors neighbors_of(const RowsView<Row>& view, double time) {
  const std::int32_t until = rows_until(view, time);
  const std::int32_t before = max(until - 1, 0), after = min(until, view.count - 1);
  if (before == after) return {before, after, 0};
  const double begin = view.rows[before].time;
  return {before, after, (time - begin) / (view.rows[after].time - begin)};
}

/// Each row holds from its time, less kSameTime, up to the next one, the first also before its time. 0 without rows.
ISOPATCH_HD double held_value(const TimedValues& view, double time) {
  if (view.count == 0) return 0;
  return view.rows[max(rows_until(view, time + kSameTime) - 1, 0)].value;
}

/// Linear between rows, constant before and after them. 0 without rows.
ISOPATCH_HD double linear_value(const TimedValues& view, double time) {
  if (view.count == 0) return 0;
  const auto [before, after, fraction] = neighbors_of(view, time);
  const double begin = view.rows[before].value;
  return fma(fraction, view.rows[after].value - begin, begin);
}

}  // namespace isopatch::detail
