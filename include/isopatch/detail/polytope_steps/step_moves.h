// SPDX-License-Identifier: Apache-2.0
//
// Where bodies begin a sub-step, where velocities lead them in it, and how they stand in the problem at other poses
// than its masses.
#pragma once

#include "isopatch/detail/polytope_steps/step_contacts.h"
#include "isopatch/detail/rollout/motion/substeps.h"
#include "isopatch/detail/rollout/solver/solve_stage.h"
#include "isopatch/detail/rollout/step_view.h"
#include "isopatch/detail/rollout/tree/move_trees.h"

namespace isopatch::detail {

/// Calls visit(body) for all bodies, for those on joints after what carries them. Called by all lanes.
template <class Warp, class Visit>
ISOPATCH_HD void for_each_from_parents(Warp& warp, const RolloutView& view, int num_bodies, const Visit& visit) {
  const int passes = view.num_own_joints == view.num_joints ? 2 : 3;  // followers after their leaders
  ISOPATCH_NO_UNROLL
  for (int pass = 0; pass < passes; ++pass) {
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
      const MovingBody& body = view.bodies[i];
      if (!body.is_in_tree() && pass == (body.is_follower() ? 2 : body.is_joint() ? 1 : 0)) visit(i);
    }
    warp.sync();
  }
  if constexpr (kTakesTrees<Warp>) {
    ISOPATCH_NO_UNROLL
    for (int tree = 0; tree < view.num_trees; ++tree) {
      for_each_from_roots(warp, view, view.trees[tree], [&](int i, const MovingBody&) { visit(view.tree_bodies[i]); });
    }
  }
}

/// The twist of a body's origin at the end of a sub-step, without contact; what carries it has its own in `twists`,
/// where bodies have their poses.
ISOPATCH_HD_LARGE Twist free_twist(const StepView& step, std::int64_t environment, const StageBody& at, int index,
                                   int substeps, const EnvironmentState& twists) {
  const MovingBody& body = step.rollout.bodies[index];
  const Pose pose = load_pose(twists.poses, index);
  if (body.moves_freely()) {
    const BodyMass& mass = step.input.mass(step.rollout, environment, index);
    const double scale = step.input.mass_scale(environment, index), h = step.rollout.time_step / substeps;
    const Transform<double> X = transform_of(pose);
    const Momentum wrench = step.input.wrench(environment, index);
    const Vec3d gravity = step.input.gravity(step.rollout, environment), to_origin = -rotate(X, mass.center);
    if (body.is_in_tree()) {
      const Twist twist = at.twist();
      return shifted(Twist{fma(h, gravity, twist.linear), twist.angular}, to_origin);
    }
    const Vec3d force = fma(scale * mass.mass, gravity, wrench.linear);
    const Momentum free = {fma(h, force, at.momentum.linear), fma(h, wrench.angular, at.momentum.angular)};
    return shifted(twist_of(body.kind, mass, scale, X, free), to_origin);
  }
  if (!body.is_joint()) return step.environment(environment).twist(index);
  const Pose parent = parent_pose(body.joint, twists.poses);
  const Twist own = joint_twist(body, axis_of(body.joint, parent), pose.position);
  const Twist of_parent = body.joint.parent < 0 ? Twist{{0, 0, 0}, {0, 0, 0}} : twists.twist(body.joint.parent);
  return fma(at.velocity[0], own, carried(body.joint, of_parent, parent, pose.position));
}

/// Writes where bodies begin a sub-step, one of `substeps`, and their twists at its end without contact, from which
/// the reach of relations follows. Before place_for_search(); called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void keep_beginnings(Warp& warp, const StepView& step, std::int64_t environment,
                                       const StageBody* bodies, int substeps, const RelationMemory& r) {
  for_each_from_parents(warp, step.rollout, step.scene.num_bodies, [&](int i) {
    const MovingBody& body = step.rollout.bodies[i];
    StepBeginning& to = r.beginnings[i];
    to.position = bodies[i].position;
    to.pose = body.is_joint() ? pose_at(body, parent_pose(body.joint, r.poses), to.position) : bodies[i].base;
    store_pose(r.poses, i, to.pose);
    const EnvironmentState twists = {r.poses, r.twists, nullptr, nullptr};
    twists.set_twist(i, free_twist(step, environment, bodies[i], i, substeps, twists));
  });
}

/// The position of a joint after a stage with these velocities, from where the sub-step begins.
ISOPATCH_HD double position_by(const MovingBody& body, int index, double h, const SolverMemory& m,
                               const double* velocities, const RelationMemory& r) {
  const double rate = velocities[m.bodies[index].first_dof];
  if (!body.is_follower()) return fma(h, rate, r.beginnings[index].position);
  return body.joint.following(fma(h, rate, r.beginnings[body.joint.leader].position));
}

/// The pose of a body after a stage with these velocities, from where the sub-step begins; of a body on a joint after
/// its parent's, which is among r.poses_after.
ISOPATCH_HD Pose pose_by(const StageInput& in, const SolverStage& stage, const SolverMemory& m, int index,
                         const double* velocities, const RelationMemory& r) {
  const MovingBody& body = in.view.bodies[index];
  const Pose& from = r.beginnings[index].pose;
  const double h = stage.step;
  if (body.is_joint()) {
    return pose_at(body, parent_pose(body.joint, r.poses_after), position_by(body, index, h, m, velocities, r));
  }
  if (!body.moves_freely()) {
    if (body.kind == MotionKind::kPath) return pose_at(body.path, stage.end);
    return body.kind == MotionKind::kVelocity ? moved(from, in.state.twist(index), h) : from;
  }
  const BodyMass& mass = in.input.mass(in.view, in.environment, index);
  const double scale = in.input.mass_scale(in.environment, index);
  const Transform<double> X = transform_of(from);
  const Twist twist = m.bodies[index].twist(velocities, true);
  if (stage.integrator == Integrator::kEuler && !body.is_in_tree()) {
    return moved(body.kind, mass, scale, from, momentum_of(mass, scale, X, twist), h);
  }
  Pose to = {{0, 0, 0}, normalized(product(exp(h * twist.angular), from.orientation))};
  to.position = fma(h, twist.linear, from.position + rotate(X, mass.center)) - rotate(transform_of(to), mass.center);
  if (body.kind == MotionKind::kPlanar) to.position.z = from.position.z;
  return to;
}

/// Writes the poses after a stage with these velocities. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void place_after(Warp& warp, const StageInput& in, const SolverStage& stage, const SolverMemory& m,
                                   const double* velocities, const RelationMemory& r) {
  for_each_from_parents(warp, in.view, in.scene.num_bodies,
                        [&](int i) { store_pose(r.poses_after, i, pose_by(in, stage, m, i, velocities, r)); });
}

/// The twist of the center of mass of a body on a joint with all rates 0: what carries the first body of its chain
/// moves it along.
ISOPATCH_HD Twist known_twist_of_row(const StageInput& in, const SolverStage& stage, const MovingBody& body,
                                     Vec3d center, const double* poses) {
  const MovingBody* first = &body;
  while (first->is_joint() && first->joint.parent >= 0 && in.view.bodies[first->joint.parent].is_in_tree()) {
    first = in.view.bodies + first->joint.parent;
  }
  if (!first->is_joint() || first->joint.parent < 0) return {{0, 0, 0}, {0, 0, 0}};
  const std::int32_t base = first->joint.parent;
  const Twist twist = prescribed_twist(in.view.bodies[base], in.state.twist(base), stage);
  return carried(first->joint, twist, load_pose(poses, base), center);
}

/// Writes the bodies as rigid pairs see them, behind all others: with the masses and degrees of freedom of the problem,
/// at `poses`. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void place_bodies_of_rows(Warp& warp, const StageInput& in, const SolverStage& stage,
                                            const SolverMemory& m, const double* poses) {
  const int num_bodies = in.scene.num_bodies;
  SolvedBody* const rows = m.bodies + num_bodies;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    SolvedBody& to = rows[i];
    to = m.bodies[i];
    if (to.parent >= 0) to.parent += num_bodies;
    const Pose pose = load_pose(poses, i);
    if (body.num_dofs() == 0) {
      to.center = pose.position;
      continue;
    }
    to.center = pose.position + rotate(transform_of(pose), in.input.mass(in.view, in.environment, i).center);
    if (!body.is_joint()) continue;
    to.freedom = joint_twist(body, axis_of(body.joint, parent_pose(body.joint, poses)), to.center);
    if (body.is_follower()) {
      to.freedom = {body.joint.ratio * to.freedom.linear, body.joint.ratio * to.freedom.angular};
    }
    to.known = known_twist_of_row(in, stage, body, to.center, poses);
  }
  warp.sync();
}

/// Gives each rigid pair, the first ones, the point that its contacts' arms are from: the centre of a body with degrees
/// of freedom; and its columns of trees. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void place_points_of_rows(Warp& warp, const SolverMemory& m, int num_pairs) {
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < num_pairs; k += Warp::kSize) {
    SolvedPair& pair = m.pairs[k];
    const SolvedBody& a = m.bodies[pair.a];
    pair.point = a.num_dofs > 0 ? a.center : m.bodies[pair.b].center;
  }
  warp.sync();
  if constexpr (kTakesTrees<Warp>) {
    auto&& lanes = lanes_of(warp);
    if (m.max_chain > 0) begin_tree_columns(lanes, num_pairs, m);
  }
}

}  // namespace isopatch::detail
