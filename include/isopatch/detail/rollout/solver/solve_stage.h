// SPDX-License-Identifier: Apache-2.0
//
// One stage of a step, of one environment: from the contact polygons to the velocities, and to the poses of the bodies.
#pragma once

#include "isopatch/detail/pair/pair_frame.h"
#include "isopatch/detail/rollout/solver/pair_damper.h"
#include "isopatch/detail/rollout/solver/solve_velocities.h"

namespace isopatch::detail {

/// What a scene and a call give to every step of an environment. `contact` has the poses where the contact is found.
struct StageInput {
  const SceneView& scene;
  const RolloutView& view;
  const State& contact;
  const InputView& input;
  std::int64_t environment;
  EnvironmentState state;

  ISOPATCH_HD const double* poses() const {  // where the contact is found
    return static_cast<const double*>(contact.poses.data) + environment * contact.poses.stride;
  }
};

/// Lists the pairs that have some of the `count` polygons, which key(i) orders. Returns how many. Called by all lanes.
template <class Warp, class Key>
ISOPATCH_HD int list_pairs(Warp& warp, const StageInput& in, int count, const Key& key, SolvedPair* pairs) {
  const auto first_at = [&](int part_pair) {
    int low = 0, high = count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (key(middle) < ContactKey::of_part_pair(part_pair).word()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  int listed = 0;
  for (int base = 0; base < in.scene.num_pairs && count > 0; base += Warp::kSize) {
    const int pair = base + warp.lane();
    int begin = 0, end = 0;
    if (pair < in.scene.num_pairs) {
      begin = first_at(in.scene.pairs[pair].part_pairs_begin);
      end = first_at(in.scene.part_pairs_end(pair));
    }
    const std::uint32_t found = warp.ballot(end > begin);
    if (end > begin) {
      SolvedPair& to = pairs[listed + rank_in(found, warp.lane())];
      to.pair = pair;
      to.a = in.scene.pairs[pair].a;
      to.b = in.scene.pairs[pair].b;
      to.first_polygon = begin;
      to.polygons = end - begin;
    }
    listed += count_bits(found);
  }
  warp.sync();
  for (int i = warp.lane(); i < listed; i += Warp::kSize) {
    SolvedPair& pair = pairs[i];
    pair.first_block = 0;
    for (int j = 0; j < i; ++j) pair.first_block += PolygonColumns::blocks_of(pairs[j].polygons);
    pair.point = pair_origin(make_body_bounds(in.scene, in.contact, in.environment, pair.a),
                             make_body_bounds(in.scene, in.contact, in.environment, pair.b));
  }
  warp.sync();
  return listed;
}

/// Writes the polygons of all pairs, polygon(i) in order, as columns. Called by all lanes.
template <class Warp, class PolygonAt>
ISOPATCH_HD void write_columns(Warp& warp, int num_pairs, const PolygonAt& polygon, const SolverMemory& m) {
  for (int i = 0; i < num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const PolygonColumns columns = columns_of(m, pair);
    constexpr int kVector = PolygonColumns::kMaxVector;
    const int room = (pair.polygons + kVector - 1) / kVector * kVector;
    for (int k = warp.lane(); k < room; k += Warp::kSize) {
      if (k < pair.polygons) {
        columns.write(k, polygon(pair.first_polygon + k));
      } else {
        columns.write_nothing(k);
      }
    }
  }
  warp.sync();
}

/// Orders the bodies that move, and numbers their degrees of freedom. Called by all lanes.
template <class Warp>
ISOPATCH_HD void number_dofs(Warp& warp, const StageInput& in, int num_pairs, const SolverMemory& m) {
  const auto dofs_of = [&](int body) { return in.view.bodies[body].num_dofs(); };
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    m.bodies[i].num_dofs = dofs_of(i);
    m.bodies[i].first_dof = 0;
    BodySet touching = 0;
    for (int k = 0; k < num_pairs && dofs_of(i) > 0; ++k) {
      const SolvedPair& pair = m.pairs[k];
      const int other = pair.a == i ? pair.b : pair.b == i ? pair.a : i;
      if (other != i && dofs_of(other) > 0) touching |= set_of(other);
    }
    m.order->touching[i] = touching;
  }
  warp.sync();
  if (warp.lane() == 0) {
    BodySet moving = 0;
    for (int i = 0; i < in.scene.num_bodies; ++i) {
      if (dofs_of(i) > 0) moving |= set_of(i);
    }
    order_bodies(moving, *m.order);
    std::int32_t next = 0;
    for (int i = 0; i < m.order->count; ++i) {
      SolvedBody& body = m.bodies[m.order->body[i]];
      body.first_dof = next;
      next += body.num_dofs;
    }
  }
  warp.sync();
}

/// The force of a drive at a rate of 0, and by how much it decreases with the rate. With midpoint the joint stands where
/// it is in the middle of the step, with the rate before, and the drive's spring and damper act between the ends of the
/// step, the more at the new one the stiffer they are (the theta method): of second order, and stable for any of them.
ISOPATCH_HD StepDrive drive_of(const JointView& joint, const InputView& input, std::int64_t environment,
                               const SolverStage& stage, double position, double mass, double rate_before) {
  const DriveView& drive = joint.drive;
  const double h = stage.step;
  const bool own_target = input.input.joint_target.data != nullptr;
  const double force = input.input.joint_force.data != nullptr ? read(input.input.joint_force, environment, joint.index)
                                                               : held_value(drive.force, stage.drive_time);
  const double target = own_target ? read(input.input.joint_target, environment, 2 * joint.index)
                                   : linear_value(drive.target, stage.drive_time);
  double rate = own_target ? read(input.input.joint_target, environment, 2 * joint.index + 1) : 0.0;
  double spring = h * drive.stiffness, damper = drive.damping;
  if (stage.integrator == Integrator::kMidpoint) {
    const double stiff = h * spring / mass, damped = h * drive.damping / mass, theta = 0.5 + 0.5 * damped / (1 + damped);
    spring = 2 * stiff / (1 + stiff) * spring;
    damper = theta * damper;
    rate -= (1 - theta) * rate_before;
  }
  return {fma(drive.stiffness, target - position, fma(drive.damping, rate, force)), spring + damper, drive.limit, h};
}

/// A body in the problem, with v* and the velocity that is known. Called by one lane, whichever it is.
ISOPATCH_HD void begin_body(const StageInput& in, const SolverStage& stage, int index, const StageBody& at,
                            const SolverMemory& m) {
  const MovingBody& body = in.view.bodies[index];
  SolvedBody& solved = m.bodies[index];
  const Pose pose = load_pose(in.poses(), index);
  if (body.num_dofs() == 0) {
    solved.center = pose.position;
    solved.known = prescribed_twist(body, in.state.twist(index), stage);
    return;
  }
  const BodyMass& own = in.input.mass(in.view, in.environment, index);
  const double scale = in.input.mass_scale(in.environment, index), h = stage.step;
  const Transform<double> X = transform_of(pose);
  solved.center = pose.position + rotate(X, own.center);
  solved.known = {{0, 0, 0}, {0, 0, 0}};
  solved.mass = scale * own.mass;
  solved.inertia = rotated(X, scale * own.inertia);

  Momentum force = in.input.wrench(in.environment, index);
  force.linear = fma(solved.mass, in.input.gravity(in.view, in.environment), force.linear);
  Momentum free = {fma(h, force.linear, at.momentum.linear), fma(h, force.angular, at.momentum.angular)};
  const SolverVectors& v = m.vectors;
  const int first = solved.first_dof;
  if (!body.is_joint()) {
    const Twist twist = twist_of(own, scale, X, free);
    const Vec3d diagonal = {1 / solved.inertia.xx, 1 / solved.inertia.yy, 1 / solved.inertia.zz};
    const double inverse_mass = 1 / solved.mass;
    const double weights[6] = {inverse_mass, inverse_mass, inverse_mass, diagonal.x, diagonal.y, diagonal.z};
    const double velocity[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                                twist.angular.x, twist.angular.y, twist.angular.z};
    ISOPATCH_UNROLL
    for (int k = 0; k < 6; ++k) {
      v.previous[first + k] = at.velocity[k];
      v.free_velocity[first + k] = velocity[k];
      v.inverse_mass[first + k] = weights[k];
    }
    solved.project(free, [&](int k, double value) { v.free_momentum[first + k] = value; });
    solved.project(force, [&](int k, double value) { v.force_impulse[first + k] = h * value; });
    return;
  }

  const JointView& joint = body.joint;
  const Pose parent = parent_pose(joint, in.poses());
  solved.freedom = joint_twist(body, axis_of(joint, parent), solved.center);
  if (joint.parent >= 0) {
    const Twist of_parent = prescribed_twist(in.view.bodies[joint.parent], in.state.twist(joint.parent), stage);
    solved.known = carried(joint, of_parent, parent, solved.center);
    const Momentum carried_along = solved.momentum(solved.known);
    free = {free.linear - carried_along.linear, free.angular - carried_along.angular};
    if (!stage.is_predicted()) {  // turning with the parent takes a force; a predicted pose has turned already
      const Vec3d w = of_parent.angular, arm = solved.center - parent.position;
      free.linear = fma(-h * solved.mass, cross(w, cross(w, arm)), free.linear);
      free.angular = fma(-h, cross(w, solved.inertia * w), free.angular);
    }
  }
  const double mass = solved.along_freedom(solved.momentum(solved.freedom));
  v.previous[first] = at.velocity[0];
  v.free_momentum[first] = solved.along_freedom(free);
  v.free_velocity[first] = v.free_momentum[first] / mass;
  v.force_impulse[first] = h * solved.along_freedom(force);
  v.inverse_mass[first] = 1 / mass;
  m.joint_dofs[joint.index] = first;
  m.drives[joint.index] = drive_of(joint, in.input, in.environment, stage, at.position, mass, at.velocity[0]);
}

/// Writes the problem of a stage from the contact polygons in the order of their keys: key(i) and polygon(i) of
/// `count`. The known velocities are in m.vectors.previous. Called by all lanes.
template <class Warp, class Key, class PolygonAt>
ISOPATCH_HD VelocityProblem begin_problem(Warp& warp, const StageInput& in, const SolverStage& stage,
                                          const StageBody* bodies, int count, const Key& key, const PolygonAt& polygon,
                                          const SolverMemory& m) {
  VelocityProblem p;
  p.num_bodies = in.scene.num_bodies;
  p.num_joints = in.view.num_joints;
  p.num_dofs = in.view.num_dofs;
  p.parameters = {stage.step, in.scene.contact.slip_tolerance};
  p.num_pairs = list_pairs(warp, in, count, key, m.pairs);
  write_columns(warp, p.num_pairs, polygon, m);
  number_dofs(warp, in, p.num_pairs, m);
  for (int i = warp.lane(); i < p.num_bodies; i += Warp::kSize) begin_body(in, stage, i, bodies[i], m);
  warp.sync();
  return p;
}

/// What the points of each pair add up to for the damper, of its polygons before points are made of them. Returns the
/// largest relative stiffness for a step of h seconds. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD double stiffest_patch(Warp& warp, const PointSums& points, const VelocityProblem& p, double h,
                                  const SolverMemory& m) {
  double stiffest = 0;
  for (int i = 0; i < p.num_pairs; ++i) {
    SolvedPair& pair = m.pairs[i];
    double sums[DamperSums::kSize];
    points.patch(columns_of(m, pair), pair.polygons, mobility_of(m.bodies[pair.a], pair.point),
                 mobility_of(m.bodies[pair.b], pair.point), sums);
    stiffest = max(stiffest, relative_stiffness(h, sums));
    if (warp.lane() != 0) continue;
    ISOPATCH_UNROLL
    for (int k = 0; k < DamperSums::kSize; ++k) pair.sums[k] = sums[k];
  }
  warp.sync();
  return stiffest;
}

/// Makes points of the polygons, with their impulses over the step; with midpoint after stiffest_patch(). Called by all
/// lanes.
template <class Warp, class PointSums>
ISOPATCH_HD void begin_points(Warp& warp, const PointSums& points, const VelocityProblem& p, const SolverStage& stage,
                              const SolverMemory& m) {
  const double* const known = m.vectors.previous;
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const PolygonColumns columns = columns_of(m, pair);
    const RelativeTwist<double> twist = relative_twist(m, pair, known);
    if (stage.integrator != Integrator::kMidpoint) {
      points.begin(p.parameters, columns, pair.polygons, twist, stage.is_predicted());
      continue;
    }
    const PatchMotion motion = patch_motion(m, pair, known, pair.sums);
    double carried[CarrySums::kSize];
    points.carried(columns, pair.polygons, motion, carried);
    const double stiffness = relative_stiffness(stage.step, pair.sums);
    points.begin_damped(p.parameters, columns, pair.polygons, twist,
                        damper_of(stage.step, stiffness, motion, carried));
  }
  warp.sync();
}

/// Finds the velocities of a stage, after begin_points(). They are in m.vectors.velocity, the impulses in m.pairs.
/// Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD SolveResult solve_stage(Warp& warp, const PointSums& points, const StageInput& in, const SolverStage& stage,
                                    const VelocityProblem& p, const SolverMemory& m) {
  const SolverVectors& v = m.vectors;

  // begins at the known velocities or at the velocities without contact, where the potential is lower
  double of_known = 0, of_free = 0;
  for (int i = 0; i < 2; ++i) {
    const bool free = i == 1;
    const double* start = free ? v.free_velocity : v.previous;
    for (int k = warp.lane(); k < p.num_dofs; k += Warp::kSize) v.velocity[k] = start[k];
    warp.sync();
    multiply_by_mass(warp, p, m, v.velocity, v.momentum);
    (free ? of_free : of_known) = potential(warp, points, p, m);
  }
  if (of_known < of_free) {
    for (int k = warp.lane(); k < p.num_dofs; k += Warp::kSize) v.velocity[k] = v.previous[k];
    warp.sync();
  }
  return solve_velocities(warp, points, p, m, SolverLimits::of(in.view, stage.integrator));
}

/// Whether every body's velocity is finite and within the limit. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool velocities_hold(Warp& warp, const StageInput& in, const SolverMemory& m) {
  bool holds = true;
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const SolvedBody& body = m.bodies[i];
    if (body.num_dofs == 0) continue;
    const Twist twist = body.twist(m.vectors.velocity);
    const auto is_slow = [&](Vec3d v) { return dot(v, v) <= in.view.speed_limit * in.view.speed_limit; };
    holds = holds && is_slow(twist.linear) && is_slow(twist.angular);
  }
  return warp.ballot(!holds) == 0u;
}

/// Adds the contact forces of a stage to the forces of the step, six numbers for each pair: on body a, with the torque
/// about its origin. Called by all lanes.
template <class Warp>
ISOPATCH_HD void add_pair_wrenches(Warp& warp, const StageInput& in, const SolverStage& stage, const SolverMemory& m,
                                   int num_pairs, double* wrenches) {
  const double scale = stage.weight / stage.step;
  for (int i = warp.lane(); i < num_pairs; i += Warp::kSize) {
    const SolvedPair& pair = m.pairs[i];
    const auto [force, moment] = pair.impulse();
    const Vec3d torque = moment + cross(pair.point - load_pose(in.poses(), pair.a).position, force);
    double* to = wrenches + 6 * pair.pair;
    const double add[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    ISOPATCH_UNROLL
    for (int k = 0; k < 6; ++k) to[k] = fma(scale, add[k], to[k]);
  }
  warp.sync();
}

/// Moves a body that is not on a joint over a stage, with the momentum that was found.
ISOPATCH_HD Pose pose_after(const StageInput& in, const SolverStage& stage, int index, const Pose& base,
                            const Momentum& momentum) {
  const MovingBody& body = in.view.bodies[index];
  if (body.kind == MotionKind::kFree) {
    const double scale = in.input.mass_scale(in.environment, index);
    return moved(in.input.mass(in.view, in.environment, index), scale, base, momentum, stage.onward);
  }
  if (body.kind == MotionKind::kPath) return pose_at(body.path, stage.end);
  return body.kind == MotionKind::kVelocity ? moved(base, in.state.twist(index), stage.onward) : base;
}

/// Ends the first of two stages: where the second one begins, and the `poses` in which it finds contact. Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD void begin_second_stage(Warp& warp, const StageInput& in, const SolverStage& first,
                                    const SolverStage& second, const SolverMemory& m, StageBody* bodies,
                                    double* poses) {
  constexpr double kBeyond = (1 - kGamma) / kGamma;  // momenta are extrapolated by this multiple of their change
  const auto found = [&](int i) {
    const SolvedBody& solved = m.bodies[i];
    return solved.num_dofs == 0 ? Momentum{{0, 0, 0}, {0, 0, 0}}
                                : solved.momentum(solved.twist(m.vectors.velocity));
  };
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    StageBody& at = bodies[i];
    const Momentum momentum = found(i);
    if (body.num_dofs() > 0) {
      at.momentum = {fma(kBeyond, momentum.linear - at.momentum.linear, at.momentum.linear),
                     fma(kBeyond, momentum.angular - at.momentum.angular, at.momentum.angular)};
    }
    if (body.is_joint()) {
      at.velocity[0] = m.vectors.velocity[m.bodies[i].first_dof];
      at.position = fma(first.onward, at.velocity[0], at.position);
    } else {
      at.base = pose_after(in, first, i, at.base, momentum);
    }
  }
  warp.sync();
  place_all_for_contact(warp, in.view, in.scene.num_bodies, in.input, in.environment, in.state, second, found, bodies,
                        poses);
}

/// Ends a sub-step that is not the last: what the next one begins with, and the `poses` in which it finds contact.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_next_substep(Warp& warp, const StageInput& in, const SolverStage& stage, const SolverStage& next,
                                    const SolverMemory& m, StageBody* bodies, double* poses) {
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    const SolvedBody& solved = m.bodies[i];
    StageBody& at = bodies[i];
    if (body.num_dofs() > 0) at.momentum = solved.momentum(solved.twist(m.vectors.velocity));
    if (body.is_joint()) {
      at.velocity[0] = m.vectors.velocity[solved.first_dof];
      at.position = fma(stage.onward, at.velocity[0], at.position);
    } else {
      at.base = pose_after(in, stage, i, at.base, at.momentum);
      if (body.kind == MotionKind::kPath) at.set_velocity(solved.known);
    }
  }
  warp.sync();
  place_all_for_contact(
      warp, in.view, in.scene.num_bodies, in.input, in.environment, in.state, next,
      [&](int i) { return bodies[i].momentum; }, bodies, poses);
}

/// Ends the last stage of a step, before which `steps` were taken: writes the state. Called by all lanes.
template <class Warp>
ISOPATCH_HD void end_step(Warp& warp, const StageInput& in, const SolverStage& stage, std::int64_t steps,
                          const SolverMemory& m, const StageBody* bodies) {
  const EnvironmentState& state = in.state;
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& body = in.view.bodies[i];
    const StageBody& at = bodies[i];
    const SolvedBody& solved = m.bodies[i];
    if (body.is_joint()) {
      const double rate = m.vectors.velocity[solved.first_dof];
      state.joints[2 * body.joint.index] = fma(stage.onward, rate, at.position);
      state.joints[2 * body.joint.index + 1] = rate;
      continue;
    }
    const Momentum found = body.num_dofs() == 0 ? Momentum{} : solved.momentum(solved.twist(m.vectors.velocity));
    const Pose pose = pose_after(in, stage, i, at.base, found);
    if (body.kind == MotionKind::kPath) {
      state.set_twist(i, prescribed_twist(body, {}, last_stage_of(in.view, steps)));
    }
    if (body.kind == MotionKind::kFree) {
      const double scale = in.input.mass_scale(in.environment, i);
      const BodyMass& mass = in.input.mass(in.view, in.environment, i);
      const Transform<double> X = transform_of(pose);
      state.set_twist(i, shifted(twist_of(mass, scale, X, found), -rotate(X, mass.center)));
    }
    if (body.kind != MotionKind::kFixed) store_pose(state.poses, i, pose);
  }
  warp.sync();
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    if (in.view.bodies[i].is_joint()) place_on_joint(in.view.bodies[i], i, state);
  }
  warp.sync();
}

}  // namespace isopatch::detail
