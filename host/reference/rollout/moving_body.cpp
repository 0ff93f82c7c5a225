// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/moving_body.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

Vector3 vector_of(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

}  // namespace

Real DriveForce::force(Real rate) const { return std::clamp(at_rest - slope * rate, -limit, limit); }

bool DriveForce::is_cut(Real rate) const { return std::abs(at_rest - slope * rate) >= limit; }

MovingBody::MovingBody(const SceneDescription& scene, const Body& body) : body_(body) {
  if (num_dofs() > 0) mass_ = mass_of(scene, body);
  for (const auto& pose : body.motion.path.poses) path_.push_back(pose_of(pose));
  if (!is_joint()) return;

  const Pose parent_pose = parent() < 0 ? Pose{} : pose_of(scene.bodies[static_cast<std::size_t>(parent())].pose);
  const Transform to_parent = parent_pose.transform().inverse();
  axis_ = to_parent.rotation * vector_of(body.motion.axis).normalized();
  if (body.motion.anchor) anchor_ = to_parent * vector_of(*body.motion.anchor);
  at_zero_ = {to_parent * initial_pose().position, parent_pose.orientation.conjugate() * initial_pose().orientation};
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

DriveForce MovingBody::drive_force(Real position, Real step, Real time) const {
  const Drive& drive = body_.motion.drive;
  const Real pull = held(drive.force, time) + drive.stiffness * (interpolated(drive.target, time) - position);
  const Real limit = drive.limit ? Real{*drive.limit} : std::numeric_limits<Real>::infinity();
  return {step, pull, drive.damping + step * drive.stiffness, limit};
}

DriveForce MovingBody::drive_between(const JointState& before, Real step, Real time, Real mass) const {
  const Drive& drive = body_.motion.drive;
  const Real stiff = step * step * drive.stiffness / mass, damped = step * drive.damping / mass;
  const Real theta = (1 + damped / (1 + damped)) / 2;
  DriveForce force = drive_force(before.position, step, time);
  force.at_rest -= (1 - theta) * drive.damping * before.rate;
  force.slope = theta * drive.damping + 2 * stiff / (1 + stiff) * step * drive.stiffness;
  return force;
}

}  // namespace isopatch::reference
