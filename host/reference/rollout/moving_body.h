// SPDX-License-Identifier: Apache-2.0
//
// How each body of a scene moves.
#pragma once

#include <vector>

#include "host/reference/rollout/rigid_body.h"
#include "isopatch/scene/scene.h"

namespace isopatch::reference {

/// Position and rate of a joint, m or rad and m/s or rad/s.
struct JointState {
  Real position = 0, rate = 0;
};

/// The force of a drive over a step, as a function of the rate at its end.
struct DriveForce {
  Real step, at_rest, slope, limit;  // s, N, N s/m, N; or of torques and angles

  Real force(Real rate) const;
  bool is_cut(Real rate) const;  // by the limit
};

class MovingBody {
 public:
  MovingBody(const SceneDescription& scene, const Body& body);

  bool is_free() const { return !body_.fixed && body_.motion.type == MotionType::kFree; }
  bool is_prescribed() const { return !body_.fixed && body_.motion.type == MotionType::kPrescribed; }
  bool has_path() const { return is_prescribed() && !path_.empty(); }
  bool is_joint() const { return is_revolute() || is_prismatic(); }
  int num_dofs() const { return is_free() ? 6 : is_joint() ? 1 : 0; }
  int parent() const { return body_.motion.parent.value_or(-1); }

  const MassiveBody& mass() const { return mass_; }
  Pose initial_pose() const { return pose_of(body_.pose); }
  JointState initial_joint() const { return {body_.motion.position, body_.motion.velocity}; }

  /// The twist of the origin; of a body without a joint.
  Vector6 initial_twist() const;

  /// Of a body with a path: linear in the position, at a constant rate in the rotation between two rows.
  Pose path_pose(Real time) const;

  /// Of a body on a joint, in its parent's frame.
  Pose joint_pose(Real position) const;

  /// Of a point of a body on a joint with a rate of 1, with its parent at rest; all in the parent's frame.
  Vector6 joint_twist(const Vector3& point) const;

  /// Over a step of `step` seconds that ends at `time`.
  DriveForce drive_force(Real position, Real step, Real time) const;

  /// The same by the theta method: the joint stands in the middle of the step, with the rate that it had before, and
  /// moves a mass [kg or kg m^2]; what is given counts at `time`.
  DriveForce drive_between(const JointState& before, Real step, Real time, Real mass) const;

 private:
  bool is_revolute() const { return !body_.fixed && body_.motion.type == MotionType::kRevolute; }
  bool is_prismatic() const { return !body_.fixed && body_.motion.type == MotionType::kPrismatic; }

  Body body_;
  MassiveBody mass_;                                           // of a body with degrees of freedom
  std::vector<Pose> path_;                                     // one for each time
  Vector3 axis_ = Vector3::Zero(), anchor_ = Vector3::Zero();  // of a joint, parent's frame
  Pose at_zero_;                                               // on a joint at position 0, in the parent's frame
};

}  // namespace isopatch::reference
