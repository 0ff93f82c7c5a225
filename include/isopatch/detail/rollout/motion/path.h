// SPDX-License-Identifier: Apache-2.0
//
// The pose of a prescribed body over time.
#pragma once

#include "isopatch/detail/rollout/motion/rotation.h"
#include "isopatch/detail/rollout/motion/timed_values.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

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
