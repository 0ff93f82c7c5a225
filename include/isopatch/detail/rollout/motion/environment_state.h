// SPDX-License-Identifier: Apache-2.0
//
// The arrays of one environment: what acts on it, and its state.
#pragma once

#include "isopatch/detail/rollout/motion/rigid_motion.h"
#include "isopatch/rollout_state.h"

namespace isopatch::detail {

/// What acts on an environment, read from RolloutInput or the scene.
struct InputView {
  RolloutInput input;

  /// With the geometries that the environment's parts have.
  ISOPATCH_HD const BodyMass& mass(const RolloutView& view, std::int64_t environment, int body) const {
    const MovingBody& own = view.bodies[body];
    if (input.geometry_index.data == nullptr || own.masses.first < 0) return own.mass;
    std::int32_t at = own.masses.first;
    for (std::int32_t part = own.masses.parts_begin; part < own.masses.parts_end; ++part) {
      const std::int32_t geometry = element(input.geometry_index, environment, part);
      if (geometry < 0 || geometry >= view.num_geometries) return view.masses[0];
      const std::int32_t step = view.mass_steps[part * view.num_geometries + geometry];
      if (step < 0) return view.masses[0];
      at += step;
    }
    return view.masses[at];
  }
  ISOPATCH_HD double mass_scale(std::int64_t environment, int body) const {
    return input.mass_scale.data == nullptr ? 1.0 : read(input.mass_scale, environment, body);
  }
  ISOPATCH_HD Vec3d gravity(const RolloutView& view, std::int64_t environment) const {
    return input.gravity.data == nullptr ? view.gravity : read_vec3(input.gravity, environment, 0);
  }
  /// Of number i of two for each joint, and of the joint's force.
  ISOPATCH_HD bool drive_is_finite(std::int64_t environment, int i) const {
    const auto is_finite = [&](const InputArray& array, int at) {
      return array.data == nullptr || abs(read(array, environment, at)) < kInfinity;
    };
    return is_finite(input.joint_force, i / 2) && is_finite(input.joint_target, i);
  }
  ISOPATCH_HD Momentum wrench(std::int64_t environment, int body) const {
    if (input.body_wrench.data == nullptr) return {{0, 0, 0}, {0, 0, 0}};
    return {read_vec3(input.body_wrench, environment, 6 * body),
            read_vec3(input.body_wrench, environment, 6 * body + 3)};
  }
};

/// The arrays of RolloutState, of one environment.
struct EnvironmentState {
  double *poses, *velocities, *joints, *joint_rates;

  ISOPATCH_HD static EnvironmentState of(const RolloutState& state, std::int64_t environment, int bodies, int joints) {
    return {state.poses + environment * bodies * kPoseSize, state.velocities + environment * bodies * kVelocitySize,
            state.joints == nullptr ? nullptr : state.joints + environment * joints * 2,
            state.joint_rates == nullptr ? nullptr : state.joint_rates + environment * joints};
  }
  ISOPATCH_HD Twist twist(int body) const {
    const double* v = velocities + body * kVelocitySize;
    return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  }
  ISOPATCH_HD void set_twist(int body, const Twist& twist) const {
    double* v = velocities + body * kVelocitySize;
    v[0] = twist.linear.x, v[1] = twist.linear.y, v[2] = twist.linear.z;
    v[3] = twist.angular.x, v[4] = twist.angular.y, v[5] = twist.angular.z;
  }
};

/// As it was stored.
ISOPATCH_HD Pose stored_pose(const double* poses, int body) {
  const double* p = poses + body * kPoseSize;
  return {{p[0], p[1], p[2]}, {p[3], {p[4], p[5], p[6]}}};
}

ISOPATCH_HD Pose load_pose(const double* poses, int body) {
  const Pose pose = stored_pose(poses, body);
  return {pose.position, normalized(pose.orientation)};
}

ISOPATCH_HD void store_pose(double* poses, int body, const Pose& pose) {
  double* p = poses + body * kPoseSize;
  p[0] = pose.position.x, p[1] = pose.position.y, p[2] = pose.position.z;
  p[3] = pose.orientation.w, p[4] = pose.orientation.v.x, p[5] = pose.orientation.v.y, p[6] = pose.orientation.v.z;
}

}  // namespace isopatch::detail
