// SPDX-License-Identifier: Apache-2.0
//
// What bodies with degrees of freedom have in the problem: masses, the forces on them, and what acts along joints.
#pragma once

#include "isopatch/detail/rollout/solver/solver_memory.h"
#include "isopatch/detail/rollout/solver/stage_input.h"

namespace isopatch::detail {

/// A damper over a step with midpoint acts between its ends, the more at the new one the stronger it is (the theta
/// method): of second order, and stable for any of them. This is the part at the new end.
ISOPATCH_HD double damped_at_end(double h, double damping, double mass) {
  const double relative = h * damping / mass;
  return 0.5 + 0.5 * relative / (1 + relative);
}

/// What acts on a joint at a position, with the rate before the step, that moves `mass`. With midpoint it stands where
/// it is in the middle of the step.
ISOPATCH_HD StepJoint step_joint(const StageInput& in, const JointView& joint, const SolverStage& stage,
                                 double position, double rate_before, double mass) {
  constexpr double kStop = 1e6;   // of the mass: by how much a stop is stiffer than the step
  constexpr double kSlow = 1e-2;  // m/s or rad/s, below which nothing bounces
  const DriveView& drive = joint.drive;
  const RolloutInput& input = in.input.input;
  const double h = stage.step;
  const bool middle = stage.integrator == Integrator::kMidpoint, own_target = input.joint_target.data != nullptr;
  const double force = input.joint_force.data != nullptr ? read(input.joint_force, in.environment, joint.index)
                                                         : held_value(drive.force, stage.drive_time);
  const double target = own_target ? read(input.joint_target, in.environment, 2 * joint.index)
                                   : linear_value(drive.target, stage.drive_time);
  double rate = own_target ? read(input.joint_target, in.environment, 2 * joint.index + 1) : 0.0;
  double spring = h * drive.stiffness, damper = drive.damping;
  if (middle) {
    const double stiff = h * spring / mass, at_end = damped_at_end(h, drive.damping, mass);
    spring = 2 * stiff / (1 + stiff) * spring;
    damper = at_end * damper;
    rate -= (1 - at_end) * rate_before;
  }
  StepJoint s = {};
  s.step = h;
  s.force = fma(drive.stiffness, target - position, fma(drive.damping, rate, force));
  s.slope = middle ? spring + damper : fma(h, drive.stiffness, drive.damping);
  s.limit = drive.limit;
  s.has_more = joint.has_more;
  if (!joint.has_more) return s;

  const double at_end = middle ? damped_at_end(h, joint.damping, mass) : 1.0;
  s.damping = at_end * joint.damping;
  s.drag = -(1 - at_end) * joint.damping * rate_before;
  s.friction = joint.friction;
  s.slip = in.view.slip_tolerance;

  s.stop = kStop * mass;
  s.lowest = (joint.lower - position) / h;
  s.highest = (joint.upper - position) / h;
  if (!(joint.bounce > 0)) return s;
  const double begin = position - stage.ahead * rate_before, end = fma(h, rate_before, position);
  if (begin >= joint.lower && end < joint.lower && rate_before < -kSlow) s.lowest = -joint.bounce * rate_before;
  if (begin <= joint.upper && end > joint.upper && rate_before > kSlow) s.highest = -joint.bounce * rate_before;
  return s;
}

/// A body on a joint in the problem, and what it has along the joint.
struct AlongJoint {
  double momentum;  // without contact and what acts on the joint itself, less the known twist's, N s or N m s
  double force;     // of gravity and external wrenches
  double mass;
};

/// What acts on a body from outside: its wrench, about the center of mass, and its weight.
ISOPATCH_HD Momentum force_on(const StageInput& in, int index, double mass) {
  Momentum force = in.input.wrench(in.environment, index);
  force.linear = fma(mass, in.input.gravity(in.view, in.environment), force.linear);
  return force;
}

ISOPATCH_HD AlongJoint begin_on_joint(const StageInput& in, const SolverStage& stage, int index, const StageBody& at,
                                      SolvedBody& solved) {
  const MovingBody& body = in.view.bodies[index];
  const JointView& joint = body.joint;
  const Momentum force = force_on(in, index, solved.mass);
  const double h = stage.step;
  Momentum free = {fma(h, force.linear, at.momentum.linear), fma(h, force.angular, at.momentum.angular)};
  const Pose parent = parent_pose(joint, in.poses());
  solved.freedom = joint_twist(body, axis_of(joint, parent), solved.center);
  if (body.is_follower()) solved.freedom = {joint.ratio * solved.freedom.linear, joint.ratio * solved.freedom.angular};
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
  solved.is_follower = body.is_follower();
  solved.armature = joint.armature;
  solved.first_follower = joint.first_follower;
  solved.next_follower = joint.next_follower;
  return {solved.along_freedom(free), solved.along_freedom(force),
          solved.along_freedom(solved.momentum(solved.freedom))};
}

/// Center, mass and inertia of a body with degrees of freedom.
ISOPATCH_HD void begin_mass(const StageInput& in, int index, SolvedBody& solved) {
  const Pose pose = load_pose(in.poses(), index);
  const BodyMass& own = in.input.mass(in.view, in.environment, index);
  const double scale = in.input.mass_scale(in.environment, index);
  const Transform<double> X = transform_of(pose);
  solved.center = pose.position + rotate(X, own.center);
  solved.known = {{0, 0, 0}, {0, 0, 0}};
  solved.mass = scale * own.mass;
  solved.inertia = rotated(X, scale * own.inertia);
  solved.is_follower = false;
  solved.armature = 0;
  solved.first_follower = solved.next_follower = -1;
}

/// A joint in the problem, with the bodies that move with it. Called by one lane, whichever it is.
ISOPATCH_HD void begin_joint(const StageInput& in, const SolverStage& stage, int index, const StageBody* bodies,
                             const SolverMemory& m) {
  const JointView& joint = in.view.bodies[index].joint;
  SolvedBody& solved = m.bodies[index];
  const StageBody& at = bodies[index];
  AlongJoint all = {0, 0, 0};
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = index; k >= 0;) {  // the body itself, then its followers
    begin_mass(in, k, m.bodies[k]);
    const AlongJoint own = begin_on_joint(in, stage, k, bodies[k], m.bodies[k]);
    const bool leads = k == index;
    all = leads ? own : AlongJoint{all.momentum + own.momentum, all.force + own.force, all.mass + own.mass};
    k = leads ? joint.first_follower : in.view.bodies[k].joint.next_follower;
  }
  if (joint.armature > 0) {
    all.mass += joint.armature;
    all.momentum = fma(joint.armature, at.velocity[1], all.momentum);
  }
  solved.joint_mass = all.mass;
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = joint.first_follower; k >= 0; k = m.bodies[k].next_follower) m.bodies[k].joint_mass = all.mass;
  const SolverVectors& v = m.vectors;
  const int dof = solved.first_dof;
  v.previous[dof] = at.velocity[0];
  v.free_momentum[dof] = all.momentum;
  v.free_velocity[dof] = all.momentum / all.mass;
  v.force_impulse[dof] = stage.step * all.force;
  v.inverse_mass[dof] = 1 / all.mass;
  m.joint_dofs[joint.slot] = dof;
  m.joints[joint.slot] = step_joint(in, joint, stage, at.position, at.velocity[0], all.mass);
}

}  // namespace isopatch::detail
