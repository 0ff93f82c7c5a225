// SPDX-License-Identifier: Apache-2.0
//
// How each body of a scene moves.
#pragma once

#include <limits>
#include <vector>

#include "host/reference/rollout/rigid_body.h"
#include "isopatch/scene/scene.h"

namespace isopatch::reference {

/// Position and rate of a joint, m or rad and m/s or rad/s.
struct JointState {
  Real position = 0, rate = 0;
};

/// The force of what acts on a joint over a step, as a function of the rate at its end.
struct JointForce {
  // of the drive
  Real step, at_rest, slope, limit;  // s, N, N s/m, N; or of torques and angles

  // of the joint
  Real drag = 0, damping = 0;   // damping takes the rate, and has `drag` at a rate of 0
  Real friction = 0, slip = 1;  // friction is less below the rate `slip`
  Real stop = 0;                // N s/m: by how much the force of a stop grows
  Real lowest = -std::numeric_limits<Real>::infinity(), highest = -lowest;  // rates between which nothing stops it

  Real force(Real rate) const;
  Real of_stop(Real rate) const;
  Real fall(Real rate) const;  // how much less it is for each unit of the rate more
};

class MovingBody {
 public:
  MovingBody(const SceneDescription& scene, const Body& body);

  bool is_free() const { return !body_.fixed && body_.motion.type == MotionType::kFree; }
  bool is_planar() const { return !body_.fixed && body_.motion.type == MotionType::kPlanar; }
  bool moves_freely() const { return is_free() || is_planar(); }
  bool is_prescribed() const { return !body_.fixed && body_.motion.type == MotionType::kPrescribed; }
  bool has_path() const { return is_prescribed() && !path_.empty(); }
  bool is_joint() const { return is_revolute() || is_prismatic(); }
  int num_dofs() const { return is_free() ? 6 : is_planar() ? 3 : is_joint() ? 1 : 0; }
  int parent() const { return body_.motion.parent.value_or(-1); }

  const MassiveBody& mass() const { return mass_; }
  Pose initial_pose() const { return pose_of(body_.pose); }
  JointState initial_joint() const { return {body_.motion.position, body_.motion.velocity}; }

  /// The twist of the center of a body that moves freely, with this momentum.
  Vector6 twist_of(const Pose& pose, const Vector6& momentum) const;

  /// Its pose after `duration` seconds with this momentum.
  Pose moved_on(const Pose& pose, const Vector6& momentum, Real duration) const;

  /// The twist of the origin; of a body without a joint.
  Vector6 initial_twist() const;

  /// Of a body with a path: linear in the position, at a constant rate in the rotation between two rows.
  Pose path_pose(Real time) const;

  /// Of a body on a joint, in its parent's frame.
  Pose joint_pose(Real position) const;

  /// Of a point of a body on a joint with a rate of 1, with its parent at rest; all in the parent's frame.
  Vector6 joint_twist(const Vector3& point) const;

  /// Index of the body whose joint this one's follows; -1: none.
  int leader() const { return body_.motion.mimic ? body_.motion.mimic->body : -1; }
  Real ratio() const { return body_.motion.mimic ? Real{body_.motion.mimic->ratio} : 1; }
  JointState following(const JointState& leader) const {
    return {ratio() * leader.position + body_.motion.mimic->offset, ratio() * leader.rate};
  }
  int own_dofs() const { return leader() >= 0 ? 0 : num_dofs(); }
  Real armature() const { return body_.motion.armature; }

  /// A position; of one beyond a stop that of the stop.
  Real within_stops(Real position) const;

  /// Where a joint is after `ahead` seconds, up to a stop and not through it.
  Real position_in_middle(const JointState& begin, Real ahead) const;

  /// Over a step, at a position of the joint, with the rate that it had before, that moves a mass [kg or kg m^2]. What
  /// a scene gives counts at `time`. In the middle of a step damping and drive are those of the theta method.
  /// `begin` is the joint's position where the step begins.
  JointForce joint_force(const JointState& before, Real step, Real time, Real mass, bool middle, Real begin,
                         Real slip) const;

 private:
  bool is_revolute() const { return !body_.fixed && body_.motion.type == MotionType::kRevolute; }
  bool is_prismatic() const { return !body_.fixed && body_.motion.type == MotionType::kPrismatic; }

  Body body_;
  MassiveBody mass_;                                           // of a body with degrees of freedom
  std::vector<Pose> path_;                                     // one for each time
  Vector3 axis_ = Vector3::Zero(), anchor_ = Vector3::Zero();  // of a joint, parent's frame
  Pose at_zero_;                                               // on a joint at position 0, in the parent's frame
};

/// How a body can move over a stage: its center of mass has the twist known + freedom v.
struct StageMotion {
  Matrix6 inertia = Matrix6::Zero();
  Vector6 known = Vector6::Zero();
  Vector6 inertial_force = Vector6::Zero();  // the force that turning with the parent takes
  Vector3 center = Vector3::Zero();          // of a body without degrees of freedom the origin
  Eigen::Matrix<Real, 6, Eigen::Dynamic> freedom;
};

}  // namespace isopatch::reference
