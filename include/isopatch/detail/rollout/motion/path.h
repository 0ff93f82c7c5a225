// SPDX-License-Identifier: Apache-2.0
//
// Values over time, from the rows of a drive, and the pose of a prescribed body.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"
#include "isopatch/detail/rollout/motion/rotation.h"
#include "isopatch/detail/scene/environment.h"
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

/// The pose of a body: its origin, m, and its rotation to the world.
struct Pose {
  Vec3d position;
  Quaternion orientation;  // a unit quaternion
};

struct PathRow {
  double time;  // s
  Pose pose;
  Vec3d rotation;  // from here to the next row, world frame, rad; 0 for the last
};

using PathRows = RowsView<PathRow>;

/// The pose at a time, of at least one row: between two rows the position is linear and the rotation at a constant
/// rate, before the first and after the last nothing moves.
ISOPATCH_HD_CALLED Pose pose_at(const PathRows& path, double time) {
  const auto [before, after, fraction] = neighbors_of(path, time);
  const PathRow& begin = path.rows[before];
  if (before == after) return begin.pose;
  return {fma(fraction, path.rows[after].pose.position - begin.pose.position, begin.pose.position),
          normalized(product(exp(fraction * begin.rotation), begin.pose.orientation))};
}

/// The constant twist that takes a body from one pose to another in `duration` seconds, the shorter way round.
ISOPATCH_HD Twist twist_between(const Pose& from, const Pose& to, double duration) {
  const double per_second = 1 / duration;
  return {per_second * (to.position - from.position),
          per_second * log(product(to.orientation, conjugate(from.orientation)))};
}

/// The pose after `duration` seconds of a constant twist.
ISOPATCH_HD Pose moved(const Pose& pose, const Twist& twist, double duration) {
  return {fma(duration, twist.linear, pose.position),
          normalized(product(exp(duration * twist.angular), pose.orientation))};
}

}  // namespace isopatch::detail
