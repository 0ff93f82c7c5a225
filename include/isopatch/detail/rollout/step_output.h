// SPDX-License-Identifier: Apache-2.0
//
// The outputs of a step, of one environment.
#pragma once

#include "isopatch/detail/rollout/motion/loop_gap.h"
#include "isopatch/detail/simt/lane_sums.h"

namespace isopatch::detail {

/// The outputs that an evaluation of the state after the step writes.
inline Results evaluated_results(const RolloutOutput& output) {
  Results results;
  results.energy = output.elastic_energy;
  results.area = output.area;
  results.center_of_pressure = output.center_of_pressure;
  results.mean_normal = output.mean_normal;
  results.max_pressure = output.max_pressure;
  results.polygon_count = output.polygon_count;
  results.separation = output.separation;
  results.overlap = output.overlap;
  return results;
}

/// The wrenches of a call without steps, which an evaluation of the state writes, with its velocities and the slip
/// tolerance of steps. `pairs` has room for those of pairs, which bodies' add up, where these are not wanted.
inline Results present_wrenches(const RolloutOutput& output, const OutputArray& pairs) {
  Results results;
  results.body_wrench = output.body_wrench;
  results.pair_wrench =
      output.pair_wrench.data == nullptr && output.body_wrench.data != nullptr ? pairs : output.pair_wrench;
  return results;
}

/// The mean of the pairs' wrenches is then the same.
inline Results present_mean(const RolloutOutput& output) {
  Results results;
  results.pair_wrench = output.pair_wrench_mean;
  return results;
}

/// The state that such a call tells of, from the one in which steps find contact.
inline State present_state(const RolloutState& state, const State& contact, int num_bodies) {
  State present = contact;
  present.velocities.data = state.velocities;
  present.velocities.stride = std::int64_t{num_bodies} * kVelocitySize;
  return present;
}

inline bool is_wanted(const Results& results) {
  bool wanted = false;
  for_each_output([&](const ArrayInfo&, const auto& array) { wanted = wanted || array.data != nullptr; }, results);
  return wanted;
}

/// Calls evaluate(state, results) for what evaluations of the state after a call of `num_steps` write; see
/// present_wrenches().
template <class Evaluate>
void for_each_evaluation(const RolloutOutput& output, int num_steps, const RolloutState& state, const State& contact,
                         int num_bodies, const OutputArray& pairs, const Evaluate& evaluate) {
  const auto if_wanted = [&](const State& at, const Results& results) {
    if (is_wanted(results)) evaluate(at, results);
  };
  if_wanted(contact, evaluated_results(output));
  if (num_steps > 0) return;
  const State present = present_state(state, contact, num_bodies);
  if_wanted(present, present_wrenches(output, pairs));
  if_wanted(present, present_mean(output));
}

/// What a step counted.
struct StepCounts {
  std::int32_t iterations, polygons, polygons_needed;
  std::int32_t contacts, relations, traps;  // of rigid convex parts
};

/// Writes the wrenches of pairs, which are contiguous in `pairs`, and what they add up to on each body. Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD void write_wrenches(Warp& warp, const SceneView& scene, const double* pairs, const double* poses,
                                const RolloutOutput& output, std::int64_t environment) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * scene.num_pairs && output.pair_wrench.data != nullptr; i += Warp::kSize) {
    write(output.pair_wrench, environment, i, pairs[i]);
  }
  ISOPATCH_NO_UNROLL
  for (int body = warp.lane(); body < scene.num_bodies && output.body_wrench.data != nullptr; body += Warp::kSize) {
    Vec3d force = {0, 0, 0}, torque = {0, 0, 0};
    for (std::int32_t k = scene.body_pairs_begin[body]; k < scene.body_pairs_begin[body + 1]; ++k) {
      const std::int32_t pair = scene.body_pairs[k];
      const double* w = pairs + 6 * pair;
      const PairView& view = scene.pairs[pair];
      const Vec3d on_a = {w[0], w[1], w[2]}, torque_on_a = {w[3], w[4], w[5]};
      if (view.a == body) {
        force = force + on_a;
        torque = torque + torque_on_a;
      } else {
        const Vec3d arm = load_pose(poses, view.a).position - load_pose(poses, view.b).position;
        force = force - on_a;
        torque = torque - (torque_on_a + cross(arm, on_a));
      }
    }
    write(output.body_wrench, environment, 6 * body, force);
    write(output.body_wrench, environment, 6 * body + 3, torque);
  }
}

/// Writes the forces of the stops and of the drives of joints. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_joint_forces(Warp& warp, int num_joints, const double* stops, const double* drives,
                                    const RolloutOutput& output, std::int64_t environment) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_joints; i += Warp::kSize) {
    write(output.joint_limit_force, environment, i, stops[i]);
    write(output.joints_at_limit, environment, i, stops[i] > 0 ? -1 : stops[i] < 0 ? 1 : 0);
    write(output.joint_drive_force, environment, i, drives[i]);
  }
}

/// Writes by how much the bodies of loops are apart. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_gaps(Warp& warp, const RolloutView& view, const EnvironmentState& state,
                            const RolloutOutput& output, std::int64_t environment) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < view.num_loops && output.loop_gap.data != nullptr; i += Warp::kSize) {
    const LoopView& loop = view.loops[i];
    const LoopGap gap = gap_of(loop, load_pose(state.poses, loop.a), load_pose(state.poses, loop.b));
    write(output.loop_gap, environment, 6 * i, gap.linear);
    write(output.loop_gap, environment, 6 * i + 3, gap.angular);
  }
}

/// Writes energies and momentum of the state. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_energies(Warp& warp, const RolloutView& view, int num_bodies, const InputView& input,
                                std::int64_t environment, const EnvironmentState& state, const RolloutOutput& output) {
  if (output.kinetic_energy.data == nullptr && output.potential_energy.data == nullptr &&
      output.momentum.data == nullptr) {
    return;
  }
  const Vec3d gravity = input.gravity(view, environment);
  double sums[8];
  lane_sums(
      warp, num_bodies,
      [&](int i, double(&add)[8]) {
        if (view.bodies[i].num_dofs() == 0) return;
        const BodyMass& body = input.mass(view, environment, i);
        const double scale = input.mass_scale(environment, i);
        const Transform<double> X = transform_of(load_pose(state.poses, i));
        const Vec3d arm = rotate(X, body.center), center = X.translation + arm;
        const Twist twist = shifted(state.twist(i), arm);
        const Momentum p = momentum_of(body, scale, X, twist);
        const Vec3d angular = p.angular + cross(center, p.linear);
        add[0] += 0.5 * (dot(p.linear, twist.linear) + dot(p.angular, twist.angular));
        const JointView& joint = view.bodies[i].joint;
        if (view.bodies[i].is_joint() && joint.armature > 0) {
          const double rate = state.joints[2 * joint.index + 1];
          add[0] += 0.5 * joint.armature * rate * rate;
        }
        add[1] -= scale * body.mass * dot(gravity, center);
        add[2] += p.linear.x;
        add[3] += p.linear.y;
        add[4] += p.linear.z;
        add[5] += angular.x;
        add[6] += angular.y;
        add[7] += angular.z;
      },
      sums);
  if (warp.lane() != 0) return;
  write(output.kinetic_energy, environment, 0, sums[0]);
  write(output.potential_energy, environment, 0, sums[1]);
  for (int i = 0; i < 6; ++i) write(output.momentum, environment, i, sums[2 + i]);
}

/// Writes zeros for a frozen environment. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_frozen(Warp& warp, const SceneView& scene, const RolloutView& view, const RolloutOutput& output,
                              std::int64_t environment) {
  const int num_joints = view.num_joints;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * view.num_loops; i += Warp::kSize) write(output.loop_gap, environment, i, 0);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_joints; i += Warp::kSize) {
    write(output.joint_limit_force, environment, i, 0);
    write(output.joints_at_limit, environment, i, 0);
    write(output.joint_drive_force, environment, i, 0);
  }
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * num_joints; i += Warp::kSize) write(output.joint_wrench, environment, i, 0);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * scene.num_pairs; i += Warp::kSize) {
    write(output.pair_wrench, environment, i, 0);
    write(output.pair_wrench_mean, environment, i, 0);
  }
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * scene.num_bodies; i += Warp::kSize) write(output.body_wrench, environment, i, 0);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 3 * scene.num_pairs; i += Warp::kSize) {
    write(output.center_of_pressure, environment, i, 0);
    write(output.mean_normal, environment, i, 0);
  }
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < scene.num_pairs; i += Warp::kSize) {
    write(output.elastic_energy, environment, i, 0);
    write(output.area, environment, i, 0);
    write(output.max_pressure, environment, i, 0);
    write(output.polygon_count, environment, i, 0);
    write(output.separation, environment, i, 0);
    write(output.overlap, environment, i, 0);
  }
  if (warp.lane() != 0) return;
  write(output.kinetic_energy, environment, 0, 0);
  write(output.potential_energy, environment, 0, 0);
  for (int i = 0; i < 6; ++i) write(output.momentum, environment, i, 0);
}

/// Writes the counts; of a frozen environment only how many polygons there were. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_counts(Warp& warp, const StepCounts& counts, bool frozen, const RolloutOutput& output,
                              std::int64_t environment) {
  if (warp.lane() != 0) return;
  write(output.solver_iterations, environment, 0, frozen ? 0 : counts.iterations);
  write(output.num_polygons, environment, 0, frozen ? 0 : counts.polygons);
  write(output.polygons_needed, environment, 0, counts.polygons_needed);
  write(output.num_potential_contacts, environment, 0, frozen ? 0 : counts.contacts);
  write(output.num_relations, environment, 0, frozen ? 0 : counts.relations);
  write(output.num_traps, environment, 0, frozen ? 0 : counts.traps);
}

}  // namespace isopatch::detail
