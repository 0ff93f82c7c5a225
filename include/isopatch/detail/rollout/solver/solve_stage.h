// SPDX-License-Identifier: Apache-2.0
//
// One stage of a step, of one environment: from its problem to the velocities, and to the poses of the bodies.
#pragma once

#include "isopatch/detail/rollout/solver/begin_problem.h"
#include "isopatch/detail/rollout/solver/solve_velocities.h"

namespace isopatch::detail {

/// Finds the velocities of a stage, after begin_points(), if it `is_solved`. They are in m.vectors.velocity, the
/// impulses in m.pairs. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD SolveResult solve_stage(Warp& warp, const PointSums& points, const StageInput& in, const SolverStage& stage,
                                    const VelocityProblem& p, const SolverMemory& m, bool is_solved) {
  const SolverVectors& v = m.vectors;

  // begins at the known velocities or at the velocities without contact, where the potential is lower
  double potentials[2];
  find_potentials<Warp, PointSums>(warp, p, m, potentials);
  const double* const start = potentials[0] < potentials[1] ? v.previous : v.free_velocity;
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < p.num_dofs; k += Warp::kSize) v.velocity[k] = start[k];
  warp.sync();
  return solve_velocities(warp, points, p, m, SolverLimits::of(in.view, stage.integrator, stage.step), is_solved);
}

/// Whether every body's velocity is finite and within the limit. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool velocities_hold(Warp& warp, const StageInput& in, const SolverMemory& m) {
  bool holds = true;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    if (m.bodies[i].num_dofs == 0) continue;
    const Twist twist = twist_of_center(m.bodies, i, m.vectors.velocity);
    const auto is_slow = [&](Vec3d v) { return dot(v, v) <= in.view.speed_limit * in.view.speed_limit; };
    holds = holds && is_slow(twist.linear) && is_slow(twist.angular);
  }
  return warp.ballot(!holds) == 0u;
}

/// Adds the contact forces of a stage to the forces of the step, six numbers for each pair: on body a, with the torque
/// about its origin. Called by all lanes.
template <class Warp>
ISOPATCH_HD void add_pair_wrenches(Warp& warp, const StageInput& in, const SolverStage& stage, const SolvedPair* pairs,
                                   int num_pairs, double* wrenches) {
  const double scale = stage.weight / stage.step;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_pairs; i += Warp::kSize) {
    const SolvedPair& pair = pairs[i];
    const auto [force, moment] = pair.impulse();
    const Vec3d torque = moment + cross(pair.point - load_pose(in.poses(), pair.a).position, force);
    double* to = wrenches + 6 * pair.pair;
    const double add[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    ISOPATCH_UNROLL
    for (int k = 0; k < 6; ++k) to[k] = fma(scale, add[k], to[k]);
  }
  warp.sync();
}

/// Whether a joint is stopped at the velocities that were found.
ISOPATCH_HD bool is_stopped(const VelocityProblem& p, const SolverMemory& m) {
  bool stopped = false;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_joints; ++i) {
    stopped = stopped || m.joints[i].stop_impulse(m.vectors.velocity[m.joint_dofs[i]]) != 0;
  }
  return stopped;
}

/// Adds the forces of joints in a stage to the step's: of stops, of drives, and all that acts along each. Called
/// by all lanes.
template <class Warp>
ISOPATCH_HD void add_joint_forces(Warp& warp, const StageInput& in, const SolverStage& stage, const SolverMemory& m,
                                  double* stops, double* drives, double* along) {
  const double scale = stage.weight / stage.step;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    if (!body.is_joint() || body.is_follower()) continue;
    const StepJoint& joint = m.joints[body.joint.slot];
    const double rate = m.vectors.velocity[m.bodies[i].first_dof];
    double &stop = stops[body.joint.index], &drive = drives[body.joint.index], &all = along[body.joint.index];
    stop = fma(scale, joint.stop_impulse(rate), stop);
    drive = fma(scale, joint.drive_impulse(rate), drive);
    all = fma(scale, joint.impulse(rate), all);
  }
  warp.sync();
}

/// Bodies that move with the velocities that a stage has found.
struct OwnMoves {
  /// Whether a body goes elsewhere, and then there.
  ISOPATCH_HD bool has(int /*body*/) const { return false; }
  ISOPATCH_HD Pose pose(int /*body*/) const { return kWorld; }
  ISOPATCH_HD double position(int /*body*/) const { return 0; }
  /// Puts the trees that have such bodies there, after move_trees_on().
  template <class Warp>
  ISOPATCH_HD void place_trees(Warp& /*warp*/, const TreeInput& /*in*/) const {}
  /// How many pairs, the first ones, bodies may have beside others.
  ISOPATCH_HD int num_first_pairs() const { return 0; }
};

/// Moves a body that is not on a joint over a stage, with the momentum that was found.
ISOPATCH_HD Pose pose_after(const StageInput& in, const SolverStage& stage, int index, const Pose& base,
                            const Momentum& momentum) {
  const MovingBody& body = in.view.bodies[index];
  if (body.moves_freely()) {
    const double scale = in.input.mass_scale(in.environment, index);
    return moved(body.kind, in.input.mass(in.view, in.environment, index), scale, base, momentum, stage.onward);
  }
  if (body.kind == MotionKind::kPath) return pose_at(body.path, stage.end);
  return body.kind == MotionKind::kVelocity ? moved(base, in.state.twist(index), stage.onward) : base;
}

/// The momentum of a body at the velocities that were found; of a free one that nothing touches to the last bit that
/// with which it began and what forces added, so that rounding does not add up while it flies.
ISOPATCH_HD Momentum found_momentum(const SolverMemory& m, int index) {
  const SolvedBody& solved = m.bodies[index];
  if (solved.num_dofs == 0) return {{0, 0, 0}, {0, 0, 0}};
  if (solved.num_dofs == 1 || solved.is_touched) return solved.momentum(solved.twist(m.vectors.velocity));
  const double* const p = m.vectors.free_momentum + solved.first_dof;
  if (solved.num_dofs == 3) return {{p[0], p[1], 0}, {0, 0, p[2]}};
  return {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
}

/// Gives the velocities that were found to the bodies of trees, before move_trees_on(). Called by all lanes.
template <class Warp>
ISOPATCH_HD void take_velocities_of_trees(Warp& warp, const StageInput& in, const SolverMemory& m, StageBody* bodies) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.view.num_tree_bodies; i += Warp::kSize) {
    const int index = in.view.tree_bodies[i];
    const double* const own = m.vectors.velocity + m.bodies[index].first_dof;
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < in.view.bodies[index].own_dofs(); ++k) bodies[index].velocity[k] = own[k];
  }
  warp.sync();
}

/// Whether the rates of all trees are finite and within the limit. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool rates_hold(Warp& warp, const StageInput& in, const StageBody* bodies) {
  bool holds = true;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.view.num_tree_bodies; i += Warp::kSize) {
    const int index = in.view.tree_bodies[i];
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < in.view.bodies[index].own_dofs(); ++k) {
      holds = holds && abs(bodies[index].velocity[k]) <= in.view.speed_limit;
    }
  }
  return warp.ballot(!holds) == 0u;
}

/// Writes the state of a body of a tree, after move_trees_on(); all that it carries follows.
ISOPATCH_HD void write_body_of_tree(const StageInput& in, int index, const StageBody& at) {
  const MovingBody& body = in.view.bodies[index];
  const EnvironmentState& state = in.state;
  if (body.is_joint()) {
    state.joints[2 * body.joint.index] = at.position;
    state.joints[2 * body.joint.index + 1] = at.velocity[0];
    return;
  }
  const Vec3d arm = rotate(transform_of(at.base), in.input.mass(in.view, in.environment, index).center);
  state.set_twist(index, shifted(at.twist(), -arm));
  store_pose(state.poses, index, at.base);
}

/// Ends a stage that is not the last of a step: what the next one begins with; trees have been moved on. Called by all
/// lanes.
template <class Warp, class Moves>
ISOPATCH_HD void begin_next_stage(Warp& warp, const StageInput& in, const SolverStage& stage, const SolverMemory& m,
                                  StageBody* bodies, const Moves& moves) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    if (body.is_in_tree()) continue;
    StageBody& at = bodies[i];
    const Momentum momentum = found_momentum(m, i);
    if (body.num_dofs() > 0) at.momentum = momentum;
    if (body.is_joint()) {
      const double rate = m.vectors.velocity[m.bodies[i].first_dof];
      at.velocity[0] = at.velocity[1] = rate;
      at.position = moves.has(i) ? moves.position(i) : fma(stage.onward, rate, at.position);
    } else {
      at.base = moves.has(i) ? moves.pose(i) : pose_after(in, stage, i, at.base, momentum);
      if (stage.last && body.num_dofs() == 0) at.set_velocity(m.bodies[i].known);
    }
  }
  warp.sync();
  follow_leaders(warp, in.view, in.scene.num_bodies, bodies);
}

/// Ends the last stage of a step, before which `steps` were taken: writes the state; trees have been moved on. Called
/// by all lanes.
template <class Warp, class Moves>
ISOPATCH_HD void end_step(Warp& warp, const StageInput& in, const SolverStage& stage, std::int64_t steps,
                          const SolverMemory& m, const StageBody* bodies, const Moves& moves) {
  const EnvironmentState& state = in.state;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    const StageBody& at = bodies[i];
    const SolvedBody& solved = m.bodies[i];
    if (body.is_in_tree()) {
      write_body_of_tree(in, i, at);
      continue;
    }
    if (body.is_joint()) {
      if (body.is_follower()) continue;
      const double rate = m.vectors.velocity[solved.first_dof];
      state.joints[2 * body.joint.index] = moves.has(i) ? moves.position(i) : fma(stage.onward, rate, at.position);
      state.joints[2 * body.joint.index + 1] = rate;
      continue;
    }
    const Momentum found = found_momentum(m, i);
    const Pose pose = moves.has(i) ? moves.pose(i) : pose_after(in, stage, i, at.base, found);
    if (body.kind == MotionKind::kPath) {
      state.set_twist(i, prescribed_twist(body, {}, last_stage_of(in.view, steps)));
    }
    if (body.moves_freely()) {
      const double scale = in.input.mass_scale(in.environment, i);
      const BodyMass& mass = in.input.mass(in.view, in.environment, i);
      const Transform<double> X = transform_of(pose);
      state.set_twist(i, shifted(twist_of(body.kind, mass, scale, X, found), -rotate(X, mass.center)));
    }
    if (body.kind != MotionKind::kFixed) store_pose(state.poses, i, pose);
  }
  warp.sync();
  follow_leaders(warp, in.view, in.scene.num_bodies, state);
  place_on_joints(warp, in.view, in.scene.num_bodies, state, false);
}

}  // namespace isopatch::detail
