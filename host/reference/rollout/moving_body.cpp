// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/moving_body.h"

#include <algorithm>
#include <cmath>

#include "isopatch/scene/mass_properties.h"

namespace isopatch::reference {
namespace {

constexpr Real kSameTime = 1e-9L;  // s; a row of forces counts from its time less this

MassiveBody mass_of(const SceneDescription& scene, const Body& body) {
  const MassProperties given = body_mass(scene, body);
  MassiveBody mass;
  mass.mass = given.mass;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    mass.center[row] = given.center[i];
    for (std::size_t k = 0; k < 3; ++k) mass.inertia(row, static_cast<Eigen::Index>(k)) = given.inertia[i][k];
  }
  return mass;
}

/// The last row that counts at `time`, the first one before it too.
Real held(const std::vector<TimedValue>& rows, Real time) {
  Real value = rows.empty() ? 0 : rows.front().value;
  for (const TimedValue& row : rows) {
    if (row.time <= time + kSameTime) value = row.value;
  }
  return value;
}

Real interpolated(const std::vector<TimedValue>& rows, Real time) {
  if (rows.empty()) return 0;
  if (time <= rows.front().time) return rows.front().value;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (time > rows[i + 1].time) continue;
    const Real fraction = (time - rows[i].time) / (Real{rows[i + 1].time} - rows[i].time);
    return (1 - fraction) * rows[i].value + fraction * rows[i + 1].value;
  }
  return rows.back().value;
}

Vector3 as_vector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

}  // namespace

Real JointForce::of_stop(Real rate) const {
  return stop * (std::max(lowest - rate, Real{0}) - std::max(rate - highest, Real{0}));
}

Real JointForce::force(Real rate) const {
  const Real own = drag - damping * rate - friction * rate / std::hypot(rate, slip);
  return std::clamp(at_rest - slope * rate, -limit, limit) + own + of_stop(rate);
}

Real JointForce::fall(Real rate) const {
  const bool is_cut = std::abs(at_rest - slope * rate) >= limit, stopped = rate < lowest || rate > highest;
  const Real root = std::hypot(rate, slip);
  return (is_cut ? 0 : slope) + damping + friction * slip * slip / (root * root * root) + (stopped ? stop : 0);
}

MovingBody::MovingBody(const SceneDescription& scene, const Body& body) : body_(body) {
  if (num_dofs() > 0) mass_ = mass_of(scene, body);
  for (const auto& pose : body.motion.path.poses) path_.push_back(pose_of(pose));
  if (!is_joint()) return;

  const Pose parent_pose = parent() < 0 ? Pose{} : pose_of(scene.bodies[static_cast<std::size_t>(parent())].pose);
  const Transform to_parent = parent_pose.transform().inverse();
  axis_ = to_parent.rotation * as_vector(body.motion.axis).normalized();
  if (body.motion.anchor) anchor_ = to_parent * as_vector(*body.motion.anchor);
  at_zero_ = {to_parent * initial_pose().position, parent_pose.orientation.conjugate() * initial_pose().orientation};
}

Vector6 MovingBody::twist_of(const Pose& pose, const Vector6& momentum) const {
  if (!is_planar()) return mass_.spatial_inertia(pose).inverse() * momentum;
  Vector6 twist = Vector6::Zero();
  twist.head<2>() = momentum.head<2>() / mass_.mass;
  twist[5] = momentum[5] / mass_.inertia_in_world(pose)(2, 2);
  return twist;
}

Pose MovingBody::moved_on(const Pose& pose, const Vector6& momentum, Real duration) const {
  if (!is_planar()) return mass_.moved_freely(pose, momentum, duration);
  const Pose center = moved({pose.position + mass_.arm(pose), pose.orientation}, twist_of(pose, momentum), duration);
  return {center.position - mass_.arm(center), center.orientation};
}

Vector6 MovingBody::initial_twist() const {
  Vector6 twist = Vector6::Zero();
  if (body_.fixed) return twist;
  if (!has_path()) {
    for (std::size_t i = 0; i < 6; ++i) twist[static_cast<Eigen::Index>(i)] = body_.velocity[i];
    return twist;
  }
  const std::vector<double>& times = body_.motion.path.times;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (times[i] <= 0 && times[i + 1] > 0) return twist_between(path_[i], path_[i + 1], Real{times[i + 1]} - times[i]);
  }
  return twist;
}

Pose MovingBody::path_pose(Real time) const {
  const std::vector<double>& times = body_.motion.path.times;
  if (time <= times.front()) return path_.front();
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (time > times[i + 1]) continue;
    return moved(path_[i], twist_between(path_[i], path_[i + 1], Real{times[i + 1]} - times[i]), time - times[i]);
  }
  return path_.back();
}

Pose MovingBody::joint_pose(Real position) const {
  if (is_prismatic()) return {at_zero_.position + position * axis_, at_zero_.orientation};
  const Quaternion turn = rotation_by(position * axis_);
  return {anchor_ + turn * (at_zero_.position - anchor_), turn * at_zero_.orientation};
}

Vector6 MovingBody::joint_twist(const Vector3& point) const {
  Vector6 twist;
  if (is_prismatic()) {
    twist << axis_, Vector3::Zero();
  } else {
    twist << axis_.cross(point - anchor_), axis_;
  }
  return twist;
}

Real MovingBody::position_in_middle(const JointState& begin, Real ahead) const {
  return within_stops(begin.position + ahead * begin.rate);
}

Real MovingBody::within_stops(Real position) const {
  const Motion& motion = body_.motion;
  if (motion.upper) position = std::min(position, Real{*motion.upper});
  if (motion.lower) position = std::max(position, Real{*motion.lower});
  return position;
}

JointForce MovingBody::joint_force(const JointState& before, Real step, Real time, Real mass, bool middle, Real begin,
                                   Real slip) const {
  const Motion& motion = body_.motion;
  const Drive& drive = motion.drive;
  const auto part_at_end = [&](Real damping) {
    const Real relative = step * damping / mass;
    return middle ? (1 + relative / (1 + relative)) / 2 : Real{1};
  };
  const Real theta = part_at_end(drive.damping), stiff = step * step * drive.stiffness / mass;
  JointForce f = {};
  f.step = step;
  f.at_rest = held(drive.force, time) + drive.stiffness * (interpolated(drive.target, time) - before.position) -
              (1 - theta) * drive.damping * before.rate;
  f.slope = theta * drive.damping + (middle ? 2 * stiff / (1 + stiff) : 1) * step * drive.stiffness;
  f.limit = drive.force_limit ? Real{*drive.force_limit} : std::numeric_limits<Real>::infinity();

  const Real own_theta = part_at_end(motion.damping);
  f.damping = own_theta * motion.damping;
  f.drag = -(1 - own_theta) * motion.damping * before.rate;
  f.friction = motion.friction;
  f.slip = slip;
  f.lowest = -std::numeric_limits<Real>::infinity();
  f.highest = -f.lowest;
  constexpr Real kSlow = 1e-2L;
  f.stop = motion.lower || motion.upper ? 1e6L * mass / step : 0;
  const Real ahead = before.position + step * before.rate;
  if (motion.lower) {
    f.lowest = (*motion.lower - before.position) / step;
    if (motion.bounce > 0 && begin >= *motion.lower && ahead < *motion.lower && before.rate < -kSlow)
      f.lowest = -motion.bounce * before.rate;
  }
  if (motion.upper) {
    f.highest = (*motion.upper - before.position) / step;
    if (motion.bounce > 0 && begin <= *motion.upper && ahead > *motion.upper && before.rate > kSlow)
      f.highest = -motion.bounce * before.rate;
  }
  return f;
}

}  // namespace isopatch::reference
