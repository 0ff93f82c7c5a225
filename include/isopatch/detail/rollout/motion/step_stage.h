// SPDX-License-Identifier: Apache-2.0
//
// The stages of a time step, of one environment: where each body is when the contact of a stage is found, and where it
// goes with the velocities that the stage finds.
//
// midpoint has one stage: its contact is found in the middle of the step, half a step along the old velocities, and the
// bodies go on from there, half a step along the new ones. So force, arms and mass belong to one pose, and momenta stay
// to rounding. euler has one stage: contact where the step begins, velocities at its end. sdirk2 has two (Alexander,
// "Diagonally implicit Runge-Kutta methods for stiff O.D.E.'s", 1977), each an implicit step of gamma h with
// gamma = 1 - 1/sqrt(2). Their contact is found where known velocities lead, so that the linear law touches the field
// there.
//
// A step of midpoint or sdirk2 may be several sub-steps of equal length: see substeps.h.
#pragma once

#include "isopatch/detail/rollout/motion/environment_state.h"
#include "isopatch/detail/rollout/motion/rigid_motion.h"

namespace isopatch::detail {

/// How an environment takes the step at hand, and how far it is.
struct StepPlan {
  Integrator integrator;  // of the sub-step: sdirk2 gives one to midpoint if a pair is too stiff for it
  std::int32_t substeps;  // of the step
  std::int32_t substep;   // at hand; `substeps` after the last one
  std::int32_t stage;     // of the sub-step
  bool too_fast;          // for so many sub-steps: kFastBody

  ISOPATCH_HD bool is_done() const { return substep == substeps; }
};

/// The length of an implicit step of sdirk2 relative to the sub-step.
inline constexpr double kGamma = 0.29289321881345248;  // 1 - 1 / sqrt(2)

ISOPATCH_HD int num_stages(Integrator integrator) { return integrator == Integrator::kSdirk2 ? 2 : 1; }

/// Whether a step of an environment may have more stages than num_stages(): sub-steps, or sdirk2 followed by midpoint.
ISOPATCH_HD bool may_have_substeps(const RolloutView& view) {
  return view.integrator != Integrator::kEuler && (view.max_substeps > 1 || view.integrator == Integrator::kSdirk2);
}

/// How often an environment has bodies and wrenches in a step: sdirk2 keeps what a sub-step begins with.
ISOPATCH_HD int step_copies(const RolloutView& view) { return view.integrator == Integrator::kSdirk2 ? 2 : 1; }

/// The part of a time step that a stage moves bodies over, and the implicit step that finds its velocities.
struct SolverStage {
  Integrator integrator;
  double begin, end;  // times, s
  double duration;    // end - begin, s
  double step;        // of the implicit step, s
  double ahead;       // from where the stage begins to where its contact is found, along known velocities, s
  double onward;      // along the velocities that it finds, from where it begins or, with midpoint, from its contact, s
  double drive_time;  // at which drives pull, s
  double weight;      // of its contact forces in the step's
  bool last;          // of the sub-step

  /// The elastic forces are those at the end of the implicit step.
  ISOPATCH_HD bool is_predicted() const { return integrator == Integrator::kSdirk2; }
  /// Bodies go on from where the contact is found.
  ISOPATCH_HD bool goes_on_from_contact() const { return integrator == Integrator::kMidpoint; }
};

ISOPATCH_HD SolverStage stage_of(const RolloutView& view, std::int64_t steps, const StepPlan& plan) {
  const double whole = view.time_step, h = whole / plan.substeps;
  const auto time = [&](std::int32_t substep) {
    return substep == plan.substeps ? static_cast<double>(steps + 1) * whole
                                    : static_cast<double>(steps) * whole + substep * h;
  };
  const double begin = time(plan.substep), end = time(plan.substep + 1), share = 1.0 / plan.substeps;
  if (plan.integrator == Integrator::kEuler) return {plan.integrator, begin, end, h, h, 0, h, end, share, true};
  const double half = 0.5 * h;
  if (plan.integrator == Integrator::kMidpoint) {
    return {plan.integrator, begin, end, h, h, half, half, begin + half, share, true};
  }
  const double step = kGamma * h, first = (1 - kGamma) * h, middle = begin + first;
  if (plan.stage == 0) {
    return {plan.integrator, begin, middle, first, step, step, first, begin + step, share * (1 - kGamma), false};
  }
  return {plan.integrator, middle, end, step, step, step, step, end, share * kGamma, true};
}

/// The last stage of a step as if it were one sub-step of the rollout's integrator: its twist of a path is the path's
/// velocity in the state, which so follows from the number of steps.
ISOPATCH_HD SolverStage last_stage_of(const RolloutView& view, std::int64_t steps) {
  return stage_of(view, steps, {view.integrator, 1, 0, num_stages(view.integrator) - 1, false});
}

/// A body between the stages of a step.
struct StageBody {
  Pose base;           // where the stage begins, with midpoint where its contact is found; of a body without a joint
  double position;     // the same of a joint, m or rad
  Momentum momentum;   // with which the stage begins; of a body with degrees of freedom
  double velocity[6];  // known, where the contact is found: of a free body's centre, and angular; of a joint its rate,
                       // and the one with which its rotor begins the stage; of a prescribed body that of its origin
                       // before the sub-step

  ISOPATCH_HD void set_velocity(const Twist& twist) {
    const auto [linear, angular] = twist;
    velocity[0] = linear.x, velocity[1] = linear.y, velocity[2] = linear.z;
    velocity[3] = angular.x, velocity[4] = angular.y, velocity[5] = angular.z;
  }
  ISOPATCH_HD Twist twist() const {
    return {{velocity[0], velocity[1], velocity[2]}, {velocity[3], velocity[4], velocity[5]}};
  }
};

/// The twist of a prescribed body's origin in a stage; at rest for a fixed one.
ISOPATCH_HD Twist prescribed_twist(const MovingBody& body, const Twist& own, const SolverStage& stage) {
  if (body.kind == MotionKind::kPath) {
    return twist_between(pose_at(body.path, stage.begin), pose_at(body.path, stage.end), stage.duration);
  }
  return body.kind == MotionKind::kVelocity ? own : Twist{{0, 0, 0}, {0, 0, 0}};
}

/// The pose of a joint's parent among `poses`.
ISOPATCH_HD Pose parent_pose(const JointView& joint, const double* poses) {
  return joint.parent < 0 ? kWorld : load_pose(poses, joint.parent);
}

/// The twist of a body whose origin is at `origin`, moved along by a joint's parent.
ISOPATCH_HD Twist carried(const JointView& joint, const Twist& parent, const Pose& parent_pose, Vec3d origin) {
  return joint.parent < 0 ? Twist{{0, 0, 0}, {0, 0, 0}} : shifted(parent, origin - parent_pose.position);
}

ISOPATCH_HD bool same(const Twist& a, const Twist& b) {
  const auto equal = [](Vec3d p, Vec3d q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
  return equal(a.linear, b.linear) && equal(a.angular, b.angular);
}

/// Writes the pose and the velocity of a body on a joint, from its parent's; and the rate that is left. A body whose
/// parent moves as a program says goes on with its own velocity as a call begins, so that it feels what the program
/// has written: the parent's velocity, which is then not that with which the body was moved along, or the joint's rate.
ISOPATCH_HD void place_on_joint(const RolloutView& view, int index, const EnvironmentState& state, bool begins_call) {
  const MovingBody& body = view.bodies[index];
  const JointView& joint = body.joint;
  const Pose parent = parent_pose(joint, state.poses);
  const Pose pose = pose_at(body, parent, state.joints[2 * joint.index]);
  const Twist own = joint_twist(body, axis_of(joint, parent), pose.position);
  const Twist of_parent = joint.parent < 0 ? Twist{{0, 0, 0}, {0, 0, 0}} : state.twist(joint.parent);
  const double rate = state.joints[2 * joint.index + 1], written = rate - state.joint_rates[joint.index];
  const Twist follows = fma(rate, own, carried(joint, of_parent, parent, pose.position));
  const bool goes_on = begins_call && joint.parent >= 0 && view.bodies[joint.parent].kind == MotionKind::kVelocity &&
                       abs(written) < kInfinity && !same(state.twist(index), follows);
  store_pose(state.poses, index, pose);
  state.set_twist(index, goes_on ? fma(written, own, state.twist(index)) : follows);
  state.joint_rates[joint.index] = rate;
}

/// The same for all of them, parents first. Called by all lanes.
template <class Warp>
ISOPATCH_HD void place_on_joints(Warp& warp, const RolloutView& view, int num_bodies, const EnvironmentState& state,
                                 bool begins_call) {
  int depth = 1;
  do {
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
      const MovingBody& body = view.bodies[i];
      if (body.is_joint() && body.depth == depth) place_on_joint(view, i, state, begins_call);
    }
    warp.sync();
  } while (++depth <= view.max_depth);
}

/// Writes position and rate of joints that follow others. Called by all lanes.
template <class Warp>
ISOPATCH_HD void follow_leaders(Warp& warp, const RolloutView& view, int num_bodies, const EnvironmentState& state) {
  if (view.num_own_joints == view.num_joints) return;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    const MovingBody& body = view.bodies[i];
    if (!body.is_follower()) continue;
    const double* const leader = state.joints + 2 * view.bodies[body.joint.leader].joint.index;
    state.joints[2 * body.joint.index] = body.joint.following(leader[0]);
    state.joints[2 * body.joint.index + 1] = body.joint.ratio * leader[1];
  }
  warp.sync();
}

/// The same between the stages of a step.
template <class Warp>
ISOPATCH_HD void follow_leaders(Warp& warp, const RolloutView& view, int num_bodies, StageBody* bodies) {
  if (view.num_own_joints == view.num_joints) return;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    const MovingBody& body = view.bodies[i];
    if (!body.is_follower()) continue;
    const StageBody& leader = bodies[body.joint.leader];
    bodies[i].position = body.joint.following(leader.position);
    bodies[i].velocity[0] = body.joint.ratio * leader.velocity[0];
  }
  warp.sync();
}

/// Writes the poses and velocities that follow from other numbers of the state: of bodies on paths and on joints.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD void place_bodies(Warp& warp, const RolloutView& view, int num_bodies, const EnvironmentState& state,
                              double time, bool begins_call) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    if (view.bodies[i].kind == MotionKind::kPath) store_pose(state.poses, i, pose_at(view.bodies[i].path, time));
  }
  warp.sync();
  follow_leaders(warp, view, num_bodies, state);
  place_on_joints(warp, view, num_bodies, state, begins_call);
}

/// Writes the scene's own state. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_initial_state(Warp& warp, const RolloutView& view, int num_bodies, int num_contact_states,
                                     const RolloutState& to, std::int64_t environment) {
  const EnvironmentState state = EnvironmentState::of(to, environment, num_bodies, view.num_joints);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    const MovingBody& body = view.bodies[i];
    store_pose(state.poses, i, body.pose);
    state.set_twist(i, body.velocity);
    if (!body.is_joint()) continue;
    state.joints[2 * body.joint.index] = body.joint.position;
    state.joints[2 * body.joint.index + 1] = body.joint.velocity;
  }
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_contact_states; i += Warp::kSize) {
    to.contact_state[environment * num_contact_states + i] =
        view.contact_states != nullptr ? view.contact_states[i] : 0;
  }
  if (warp.lane() == 0) {
    to.step_count[environment] = 0;
    to.status[environment] = kOk;
  }
  warp.sync();
  place_bodies(warp, view, num_bodies, state, 0, false);
}

/// Copies an environment. Called by all lanes.
template <class Warp>
ISOPATCH_HD void copy_environment(Warp& warp, int num_bodies, int num_joints, int num_contact_states,
                                  const RolloutState& from, const RolloutState& to, std::int64_t environment) {
  const auto copy = [&](const double* source, double* target, int row) {
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < row; i += Warp::kSize) target[environment * row + i] = source[environment * row + i];
  };
  copy(from.poses, to.poses, num_bodies * kPoseSize);
  copy(from.velocities, to.velocities, num_bodies * kVelocitySize);
  copy(from.joints, to.joints, num_joints * 2);
  copy(from.joint_rates, to.joint_rates, num_joints);
  copy(from.contact_state, to.contact_state, num_contact_states);
  if (warp.lane() != 0) return;
  to.step_count[environment] = from.step_count[environment];
  to.status[environment] = from.status[environment];
}

/// The momentum of a body on a joint with `rate`, at a pose where the contact is found; its parent is among `poses`,
/// and moves as before the sub-step.
ISOPATCH_HD Momentum momentum_on_joint(const MovingBody& body, const BodyMass& mass, double mass_scale,
                                       const Pose& pose, double rate, const StageBody* bodies, const double* poses) {
  const JointView& joint = body.joint;
  const Pose parent = parent_pose(joint, poses);
  const Transform<double> X = transform_of(pose);
  const Vec3d center = pose.position + rotate(X, mass.center);
  const Twist own = joint_twist(body, axis_of(joint, parent), center);
  const Twist of_parent = joint.parent < 0 ? Twist{{0, 0, 0}, {0, 0, 0}} : bodies[joint.parent].twist();
  return momentum_of(mass, mass_scale, X, fma(rate, own, carried(joint, of_parent, parent, center)));
}

/// The rate of a joint as its parent goes on with the twist of a stage in place of that with which it was moved along:
/// the momentum along the joint stays. Its parent is among `poses`.
ISOPATCH_HD double rate_after_kink(const RolloutView& view, const InputView& input, std::int64_t environment,
                                   const EnvironmentState& state, const SolverStage& stage, int index,
                                   const StageBody* bodies, const double* poses) {
  const JointView& joint = view.bodies[index].joint;
  double momentum = 0, mass = joint.armature;
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = index; k >= 0; k = k == index ? joint.first_follower : view.bodies[k].joint.next_follower) {
    const MovingBody& body = view.bodies[k];
    const Pose parent = parent_pose(body.joint, poses);
    const BodyMass& own = input.mass(view, environment, k);
    const double scale = input.mass_scale(environment, k);
    const Transform<double> X = transform_of(pose_at(body, parent, bodies[k].position));
    const Vec3d center = apply(X, own.center);
    Twist freedom = joint_twist(body, axis_of(body.joint, parent), center);
    if (body.is_follower()) freedom = {body.joint.ratio * freedom.linear, body.joint.ratio * freedom.angular};
    const auto along = [&](const Twist& twist) {
      const Momentum of = momentum_of(own, scale, X, twist);
      return dot(freedom.linear, of.linear) + dot(freedom.angular, of.angular);
    };
    mass += along(freedom);
    if (body.joint.parent < 0) continue;
    const Twist was = bodies[body.joint.parent].twist(),
                is = prescribed_twist(view.bodies[body.joint.parent], state.twist(body.joint.parent), stage);
    momentum += along(carried(body.joint, {was.linear - is.linear, was.angular - is.angular}, parent, center));
  }
  return bodies[index].velocity[0] + (mass > 0 ? momentum / mass : 0.0);
}

/// Whether the parent of a body's joint moves.
ISOPATCH_HD bool has_moving_parent(const RolloutView& view, const MovingBody& body) {
  return body.joint.parent >= 0 && view.bodies[body.joint.parent].kind != MotionKind::kFixed;
}

/// The known twist of a body's origin at the pose where the contact of a stage is found, after place_for_contact().
ISOPATCH_HD Twist known_twist(const RolloutView& view, const InputView& input, std::int64_t environment,
                              const EnvironmentState& state, const SolverStage& stage, int index,
                              const StageBody* bodies, const double* poses) {
  const MovingBody& body = view.bodies[index];
  const Pose pose = load_pose(poses, index);
  if (body.moves_freely()) {
    return shifted(bodies[index].twist(), rotate(transform_of(pose), -input.mass(view, environment, index).center));
  }
  if (!body.is_joint()) return prescribed_twist(body, state.twist(index), stage);
  const JointView& joint = body.joint;
  const Pose parent = parent_pose(joint, poses);
  const Twist own = joint_twist(body, axis_of(joint, parent), pose.position);
  if (joint.parent < 0) return {bodies[index].velocity[0] * own.linear, bodies[index].velocity[0] * own.angular};
  const Twist of_parent = prescribed_twist(view.bodies[joint.parent], state.twist(joint.parent), stage);
  return fma(bodies[index].velocity[0], own, carried(joint, of_parent, parent, pose.position));
}

/// Writes the pose where the contact of a stage is found, and the known velocity there: a free body is predicted to
/// move there with its momentum. Called for bodies without joints, then for bodies on joints, and then for bodies whose
/// position another one's joint has.
ISOPATCH_HD void place_for_contact(const RolloutView& view, const InputView& input, std::int64_t environment,
                                   const EnvironmentState& state, const SolverStage& stage, int index,
                                   StageBody* bodies, double* poses) {
  const MovingBody& body = view.bodies[index];
  StageBody& at = bodies[index];
  const bool moves_along = stage.goes_on_from_contact();
  Pose pose = at.base;
  if (body.is_joint()) {
    const JointView& joint = body.joint;
    double rate = at.velocity[0];
    if (moves_along && !body.is_follower() && has_moving_parent(view, body)) {
      rate = rate_after_kink(view, input, environment, state, stage, index, bodies, poses);
    }
    double position = at.position + (stage.ahead > 0 ? stage.ahead * rate : 0.0);
    if (moves_along && body.is_follower()) {
      position = joint.following(bodies[joint.leader].position);
    } else if (moves_along) {
      position = joint.within_stops(position);
    }
    pose = pose_at(body, parent_pose(body.joint, poses), position);
    if (moves_along) {
      at.position = position;
      at.momentum = momentum_on_joint(body, input.mass(view, environment, index), input.mass_scale(environment, index),
                                      pose, at.velocity[0], bodies, poses);
    }
  } else if (stage.ahead > 0 && body.moves_freely()) {
    const BodyMass& mass = input.mass(view, environment, index);
    const double scale = input.mass_scale(environment, index);
    pose = moved(body.kind, mass, scale, at.base, at.momentum, stage.ahead);
    at.set_velocity(twist_of(body.kind, mass, scale, transform_of(pose), at.momentum));
  } else if (moves_along && body.kind == MotionKind::kPath) {
    pose = pose_at(body.path, stage.begin + stage.ahead);
  } else if (stage.ahead > 0) {
    pose = moved(at.base, prescribed_twist(body, state.twist(index), stage), stage.ahead);
  }
  if (moves_along) at.base = pose;
  store_pose(poses, index, pose);
}

/// Writes where the contact of a stage is found, from what its bodies begin with, and with `twists`, which may be null,
/// the known twists of their origins there; not of trees. Called by all lanes.
template <class Warp>
ISOPATCH_HD void place_all_for_contact(Warp& warp, const RolloutView& view, int num_bodies, const InputView& input,
                                       std::int64_t environment, const EnvironmentState& state,
                                       const SolverStage& stage, StageBody* bodies, double* poses, double* twists) {
  const int passes = view.num_own_joints == view.num_joints ? 2 : 3;
  ISOPATCH_NO_UNROLL
  for (int pass = 0; pass < passes; ++pass) {
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
      const MovingBody& body = view.bodies[i];
      if (body.is_in_tree() || pass != (body.is_follower() ? 2 : body.is_joint() ? 1 : 0)) continue;
      place_for_contact(view, input, environment, state, stage, i, bodies, poses);
    }
    warp.sync();
  }
  if (twists == nullptr) return;
  const EnvironmentState found = {poses, twists, nullptr, nullptr};
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    if (view.bodies[i].is_in_tree()) continue;
    found.set_twist(i, known_twist(view, input, environment, state, stage, i, bodies, poses));
  }
  warp.sync();
}

/// The twist with which a prescribed body moved before a step: of one that moves as a program says, that with which it
/// moved along what is on a joint of it.
ISOPATCH_HD Twist twist_before(const RolloutView& view, int index, const Pose& pose, const EnvironmentState& state) {
  const std::int32_t k = view.bodies[index].first_child;
  if (view.bodies[index].kind != MotionKind::kVelocity || k < 0) return state.twist(index);
  const JointView& joint = view.bodies[k].joint;
  const Vec3d origin = load_pose(state.poses, k).position;
  const Twist own = joint_twist(view.bodies[k], axis_of(joint, pose), origin);
  return shifted(fma(-state.joints[2 * joint.index + 1], own, state.twist(k)), pose.position - origin);
}

/// Begins the first stage of a step: where bodies are, and their momenta, before place_all_for_contact(). Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD void begin_step(Warp& warp, const RolloutView& view, int num_bodies, const InputView& input,
                            std::int64_t environment, const EnvironmentState& state, StageBody* bodies) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_bodies; i += Warp::kSize) {
    const MovingBody& body = view.bodies[i];
    StageBody& at = bodies[i];
    at.base = load_pose(state.poses, i);
    at.position = 0;
    at.momentum = {{0, 0, 0}, {0, 0, 0}};
    for (double& v : at.velocity) v = 0;
    if (body.num_dofs() > 0) {
      const BodyMass& mass = input.mass(view, environment, i);
      const Transform<double> X = transform_of(at.base);
      const Twist twist = shifted(state.twist(i), rotate(X, mass.center));
      at.momentum = momentum_of(mass, input.mass_scale(environment, i), X, twist);
      if (body.is_joint()) {
        at.position = body.joint.within_stops(state.joints[2 * body.joint.index]);
        at.velocity[0] = at.velocity[1] = state.joints[2 * body.joint.index + 1];
      } else {
        at.set_velocity(twist);
      }
    } else if (body.kind != MotionKind::kFixed) {
      at.set_velocity(twist_before(view, i, at.base, state));
    }
  }
  warp.sync();
  follow_leaders(warp, view, num_bodies, bodies);
}

}  // namespace isopatch::detail
