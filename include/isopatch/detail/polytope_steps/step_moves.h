// SPDX-License-Identifier: Apache-2.0
//
// Where bodies begin a sub-step, where velocities lead them in it, and how they stand in the problem at other poses
// than its masses.
#pragma once

#include "isopatch/detail/polytope_steps/step_contacts.h"
#include "isopatch/detail/rollout/motion/substeps.h"
#include "isopatch/detail/rollout/solver/solve_stage.h"
#include "isopatch/detail/rollout/step_view.h"

namespace isopatch::detail {

/// Writes where bodies begin a sub-step, one of `substeps`, and their twists at its end without contact, from which
/// the reach of relations follows. Before place_for_search(); called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void keep_beginnings(Warp& warp, const StepView& step, std::int64_t environment,
                                       const StageBody* bodies, int substeps, const RelationMemory& r) {
  const EnvironmentState state = step.environment(environment);
  const int passes = step.rollout.num_own_joints == step.rollout.num_joints ? 2 : 3;
  ISOPATCH_NO_UNROLL
  for (int pass = 0; pass < passes; ++pass) {
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < step.scene.num_bodies; i += Warp::kSize) {
      const MovingBody& body = step.rollout.bodies[i];
      if (pass != (body.is_follower() ? 2 : body.is_joint() ? 1 : 0)) continue;
      const StageBody& at = bodies[i];
      StepBeginning& to = r.beginnings[i];
      to.position = at.position;
      to.pose = body.is_joint() ? pose_at(body, parent_pose(body.joint, r.poses), at.position) : at.base;
      store_pose(r.poses, i, to.pose);
      const EnvironmentState twists = {r.poses, r.twists, nullptr, nullptr};
      Twist twist = state.twist(i);
      if (body.moves_freely()) {
        const BodyMass& mass = step.input.mass(step.rollout, environment, i);
        const double scale = step.input.mass_scale(environment, i), h = step.rollout.time_step / substeps;
        const Transform<double> X = transform_of(to.pose);
        const Momentum wrench = step.input.wrench(environment, i);
        const Vec3d force = fma(scale * mass.mass, step.input.gravity(step.rollout, environment), wrench.linear);
        const Momentum free = {fma(h, force, at.momentum.linear), fma(h, wrench.angular, at.momentum.angular)};
        twist = shifted(twist_of(body.kind, mass, scale, X, free), -rotate(X, mass.center));
      } else if (body.is_joint()) {
        const Pose parent = parent_pose(body.joint, r.poses);
        const Twist own = joint_twist(body, axis_of(body.joint, parent), to.pose.position);
        const Twist of_parent = body.joint.parent < 0 ? Twist{{0, 0, 0}, {0, 0, 0}} : twists.twist(body.joint.parent);
        twist = fma(at.velocity[0], own, carried(body.joint, of_parent, parent, to.pose.position));
      }
      twists.set_twist(i, twist);
    }
    warp.sync();
  }
}

/// The pose of a body after a stage with these velocities, from where the sub-step begins; of a body on a joint after
/// its parent's, which is among r.poses_after.
ISOPATCH_HD Pose pose_by(const StageInput& in, const SolverStage& stage, const SolverMemory& m, int index,
                         const double* velocities, const RelationMemory& r) {
  const MovingBody& body = in.view.bodies[index];
  const Pose& from = r.beginnings[index].pose;
  const double h = stage.step;
  const double* const own = velocities + m.bodies[index].first_dof;
  if (body.is_joint()) {
    const double position = fma(h, *own, r.beginnings[index].position);
    return pose_at(body, parent_pose(body.joint, r.poses_after), position);
  }
  if (!body.moves_freely()) {
    if (body.kind == MotionKind::kPath) return pose_at(body.path, stage.end);
    return body.kind == MotionKind::kVelocity ? moved(from, in.state.twist(index), h) : from;
  }
  const BodyMass& mass = in.input.mass(in.view, in.environment, index);
  const double scale = in.input.mass_scale(in.environment, index);
  const Transform<double> X = transform_of(from);
  const Twist twist = m.bodies[index].twist(velocities, true);
  if (stage.integrator == Integrator::kEuler) {
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
  ISOPATCH_NO_UNROLL
  for (int pass = 0; pass < 2; ++pass) {
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
      if (in.view.bodies[i].is_joint() != (pass == 1)) continue;
      store_pose(r.poses_after, i, pose_by(in, stage, m, i, velocities, r));
    }
    warp.sync();
  }
}

/// Writes the bodies as rigid pairs see them, behind all others: with the masses and degrees of freedom of the problem,
/// at `poses`. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void place_bodies_of_rows(Warp& warp, const StageInput& in, const SolverStage& stage,
                                            const SolverMemory& m, const double* poses) {
  SolvedBody* const rows = m.bodies + in.scene.num_bodies;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    SolvedBody& to = rows[i];
    to = m.bodies[i];
    const Pose pose = load_pose(poses, i);
    if (body.num_dofs() == 0) {
      to.center = pose.position;
      continue;
    }
    to.center = pose.position + rotate(transform_of(pose), in.input.mass(in.view, in.environment, i).center);
    if (!body.is_joint()) continue;
    const Pose parent = parent_pose(body.joint, poses);
    to.freedom = joint_twist(body, axis_of(body.joint, parent), to.center);
    if (body.is_follower()) {
      to.freedom = {body.joint.ratio * to.freedom.linear, body.joint.ratio * to.freedom.angular};
    }
    if (body.joint.parent < 0) continue;
    const Twist of_parent =
        prescribed_twist(in.view.bodies[body.joint.parent], in.state.twist(body.joint.parent), stage);
    to.known = carried(body.joint, of_parent, parent, to.center);
  }
  warp.sync();
}

/// Gives each rigid pair the point that its contacts' arms are from: the centre of a body with degrees of freedom.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void place_points_of_rows(Warp& warp, const SolverMemory& m, SolvedPair* pairs, int num_pairs) {
  ISOPATCH_NO_UNROLL
  for (int k = warp.lane(); k < num_pairs; k += Warp::kSize) {
    const SolvedBody& a = m.bodies[pairs[k].a];
    pairs[k].point = a.num_dofs > 0 ? a.center : m.bodies[pairs[k].b].center;
  }
  warp.sync();
}

}  // namespace isopatch::detail
