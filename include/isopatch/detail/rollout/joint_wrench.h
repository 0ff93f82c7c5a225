// SPDX-License-Identifier: Apache-2.0
//
// What joints bear in a step: the wrench of a parent on its child is what the momenta of the child, and of all that it
// carries, change by in the step, less what acts on these bodies from outside. So all kinds of joints have it, whatever
// holds them, and it is what a force sensor in the joint shows. Along the joint it is what acts there.
#pragma once

#include "isopatch/detail/rollout/solver/solve_stage.h"

namespace isopatch::detail {

/// Where the forces of a step stand: six numbers of each pair; of each joint the force of its stops, of its drive
/// and all that acts along it; six of each body; and six of each loop, which it keeps from sub-step to sub-step.
struct ForceLayout {
  int pairs, joints, bodies, loops;

  ISOPATCH_HD int stops() const { return 6 * pairs; }
  ISOPATCH_HD int drives() const { return stops() + joints; }
  ISOPATCH_HD int along() const { return drives() + joints; }
  ISOPATCH_HD int of_bodies() const { return along() + joints; }
  ISOPATCH_HD int of_loops() const { return of_bodies() + (joints > 0 ? 6 * bodies : 0); }
  ISOPATCH_HD int size() const { return of_loops() + 6 * loops; }
};

/// Adds a force, and its torque about the world's origin, to six numbers of a body.
ISOPATCH_HD void add_wrench(double* to, double scale, Vec3d force, Vec3d torque) {
  const double add[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  ISOPATCH_UNROLL
  for (int k = 0; k < 6; ++k) to[k] = fma(scale, add[k], to[k]);
}

/// Adds `scale` times the momenta of bodies as they are in a state. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void add_momenta(Warp& warp, const RolloutView& view, const InputView& input,
                                   std::int64_t environment, const EnvironmentState& state, double scale,
                                   const ForceLayout& layout, double* forces) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < layout.bodies; i += Warp::kSize) {
    const MovingBody& body = view.bodies[i];
    if (!body.is_joint()) continue;
    const BodyMass& mass = input.mass(view, environment, i);
    const Transform<double> X = transform_of(load_pose(state.poses, i));
    const Vec3d arm = rotate(X, mass.center);
    const Momentum p = momentum_of(mass, input.mass_scale(environment, i), X, shifted(state.twist(i), arm));
    add_wrench(forces + layout.of_bodies() + 6 * i, scale, p.linear, p.angular + cross(X.translation + arm, p.linear));
  }
  warp.sync();
}

/// Subtracts what acts on bodies from outside in a stage, in the mean over the step. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void subtract_outside(Warp& warp, const StageInput& in, const SolverStage& stage,
                                        const SolverMemory& m, int num_pairs, const ForceLayout& layout,
                                        double* forces) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < layout.bodies; i += Warp::kSize) {
    if (!in.view.bodies[i].is_joint()) continue;
    double* const to = forces + layout.of_bodies() + 6 * i;
    const SolvedBody& body = m.bodies[i];
    const Momentum outside = force_on(in, i, body.mass);
    add_wrench(to, -stage.weight, outside.linear, outside.angular + cross(body.center, outside.linear));
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < num_pairs; ++k) {
      const SolvedPair& pair = m.pairs[k];
      if (pair.a != i && pair.b != i) continue;
      const auto [force, moment] = pair.impulse();
      const double scale = stage.weight / stage.step;
      add_wrench(to, pair.a == i ? -scale : scale, force, moment + cross(pair.point, force));
    }
  }
  warp.sync();
}

/// Adds what pairs and joints bear in a stage to what they bear in the step. Called by all lanes.
template <class Warp, class Moves>
ISOPATCH_HD void add_forces(Warp& warp, const StageInput& in, const SolverStage& stage, const VelocityProblem& problem,
                            const SolverMemory& solver, const Moves& moves, bool with_wrenches,
                            const ForceLayout& layout, double* forces) {
  const int first = moves.num_first_pairs();
  if (first > 0) add_pair_wrenches(warp, in, stage, solver.pairs, first, forces);
  add_pair_wrenches(warp, in, stage, solver.pairs + first, problem.num_pairs - first, forces);
  if (problem.num_joints > 0) {
    add_joint_forces(warp, in, stage, solver, forces + layout.stops(), forces + layout.drives(),
                     forces + layout.along());
  }
  if (with_wrenches) {
    subtract_outside(warp, in, stage, solver, problem.num_pairs + problem.num_loops, layout, forces);
  }
}

/// Writes the wrenches of joints, with poses in the middle of the step; the forces have all that happened in it. Called
/// by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void write_joint_wrenches(Warp& warp, const RolloutView& view, const double* poses,
                                            const ForceLayout& layout, const double* forces,
                                            const RolloutOutput& output, std::int64_t environment) {
  if (output.joint_wrench.data == nullptr) return;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < layout.bodies; i += Warp::kSize) {
    const MovingBody& body = view.bodies[i];
    if (!body.is_joint()) continue;
    Vec3d force = {0, 0, 0}, torque = {0, 0, 0};
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < layout.bodies; ++k) {  // of all that the joint carries
      int up = k;
      while (up >= 0 && up != i) up = view.bodies[up].is_joint() ? view.bodies[up].joint.parent : -1;
      if (up != i) continue;
      const double* const w = forces + layout.of_bodies() + 6 * k;
      force = force + Vec3d{w[0], w[1], w[2]};
      torque = torque + Vec3d{w[3], w[4], w[5]};
    }
    const WorldAxis axis = axis_of(body.joint, parent_pose(body.joint, poses));
    const bool slides = body.kind == MotionKind::kPrismatic;
    const Vec3d anchor = slides ? load_pose(poses, i).position : axis.anchor;
    torque = torque - cross(anchor, force);
    if (!body.is_follower()) {
      const Vec3d found = slides ? force : torque;
      const double along = forces[layout.along() + body.joint.index] - dot(axis.direction, found);
      const Vec3d borne = fma(along, axis.direction, found);
      force = slides ? borne : force;
      torque = slides ? torque : borne;
    }
    write(output.joint_wrench, environment, 6 * body.joint.index, force);
    write(output.joint_wrench, environment, 6 * body.joint.index + 3, torque);
  }
}

}  // namespace isopatch::detail
