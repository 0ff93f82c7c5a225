// SPDX-License-Identifier: Apache-2.0
//
// One evaluation of a single contact: from its plate, motion and state to the force and torque on A, and the next
// state. The formulas and their sources are in README.md.
#pragma once

#include "isopatch/detail/force_law/contact_patch.h"
#include "isopatch/detail/force_law/contact_state.h"
#include "isopatch/detail/force_law/friction.h"
#include "isopatch/detail/force_law/restitution.h"

namespace isopatch::detail {

/// How two bodies move at a point of both; world frame.
struct RelativeMotion {
  Vec3d velocity;      // of A relative to B, m/s
  Vec3d angular;       // of A relative to B, rad/s
  Vec3d mean_angular;  // of both, rad/s: a patch turns with neither
};

/// From velocities [m/s] of the bodies' origins and angular velocities [rad/s].
ISOPATCH_HD RelativeMotion relative_motion(Vec3d point, Vec3d origin_a, Vec3d velocity_a, Vec3d angular_a,
                                           Vec3d origin_b, Vec3d velocity_b, Vec3d angular_b) {
  const Vec3d at_a = velocity_a + cross(angular_a, point - origin_a);
  const Vec3d at_b = velocity_b + cross(angular_b, point - origin_b);
  return {at_a - at_b, angular_a - angular_b, 0.5 * (angular_a + angular_b)};
}

/// The spring and damper along the normal.
struct NormalForce {
  double elastic;  // f_k, N
  double damping;  // a, s/m: the force is f_k (1 - a v_n), but no pull
};

ISOPATCH_HD NormalForce normal_force(const LawNumbers& law, double metric, const ContactState& state) {
  const double pressed = metric - state.offset;
  const double elastic = pressed > 0 ? law.stiffness * power(pressed, law.exponent) : 0;
  return {elastic, law.impact_factor < 0 ? law.dissipation : law.impact_factor / state.impact_speed};
}

/// A contact in a step, with all that is held while its velocities are looked for.
struct LawStep {
  ContactPatch patch;
  NormalForce normal;
  double spin_radius;  // by which spin slips, m
  FrictionTerm friction;
};

ISOPATCH_HD Slip slip_at(const LawStep& step, const RelativeMotion& motion) {
  const Vec3d n = step.patch.normal;
  return {tangential(motion.velocity, n), step.spin_radius * dot(n, motion.angular)};
}

struct LawForces {
  double normal;      // f_n, N
  double rolling;     // kappa f_k a, N s/m: the torque against rolling is this times J_t times the angular velocity
  Friction friction;  // over f_n
  Vec3d force;        // on A, N
  Vec3d torque;       // on A about the patch's point, N m
  Vec3d tangential;   // the part of the force that is friction, N
};

/// J_t x, J_t = r^2 T - C_t: what a plate's damping resists rolling by.
ISOPATCH_HD Vec3d rolling_inertia(const ContactPatch& patch, Vec3d x) {
  return fma(patch.radius * patch.radius, tangential(x, patch.normal), -(patch.spread * x));
}

/// The torque against rolling is bounded, so that the load does not leave the patch.
ISOPATCH_HD LawForces law_forces(const LawStep& step, const RelativeMotion& motion) {
  const Vec3d n = step.patch.normal;
  LawForces f;
  f.normal = step.normal.elastic * damped_share(step.normal.damping, dot(n, motion.velocity));
  f.friction = friction_at(step.friction, slip_at(step, motion));
  f.tangential = -f.normal * f.friction.total.along;
  f.force = fma(f.normal, n, f.tangential);

  const Vec3d roll = tangential(motion.angular, n), moment = rolling_inertia(step.patch, roll);
  f.rolling = step.normal.elastic * step.normal.damping;
  const double size = f.rolling * norm(moment), square = dot(roll, roll);
  const double most = square > 0 ? f.normal * sqrt(max(dot(roll, moment), 0.0) / square) : 0;
  if (size > most) f.rolling *= most / size;
  f.torque = fma(-f.normal * step.spin_radius * f.friction.total.spin, n, -f.rolling * moment);
  return f;
}

/// Friction over a step at a slip that is known: the term, and what goes into the memory.
struct FrictionStep {
  FrictionTerm term;
  Slip bent;  // carried to where the contact is, m
  BristleWeights weights;
};

/// At a share of sticking that is known.
ISOPATCH_HD FrictionStep friction_step(const LawNumbers& law, Slip bent, double sticking, double dwell, double dt) {
  const BristleWeights weights = bristle_weights(law, sticking, dwell, dt);
  return {bristle_term(law, weights, bent, dt), bent, weights};
}

/// `spin_radius` is that by which spin slips, m; `turning` the mean angular velocity of both bodies about the normal.
ISOPATCH_HD FrictionStep begin_friction(const LawNumbers& law, Vec3d normal, double spin_radius, Slip slip,
                                        double turning, const ContactState& begun, double dt) {
  if (!law.has_bristles) return {coulomb_term(law), {{0, 0, 0}, 0}, {0, 0, 0}};
  const Slip bent = {carried_bend(begun.bend, normal, dt * turning), spin_radius * begun.twist};
  return friction_step(law, bent, sticking_at(law, slip, bent, begun.dwell, dt), begun.dwell, dt);
}

/// The memory after the step, with the friction of the bristles in it. A stage of a step may act for longer than it
/// steps: its `duration`, s, is that of the clocks.
ISOPATCH_HD ContactState end_friction(const LawNumbers& law, const FrictionStep& step, Slip bristles,
                                      double spin_radius, const ContactState& begun, double dt, double duration) {
  ContactState next = {begun.impact_speed,  next_offset(law, begun.offset, duration), {0, 0, 0}, 0, 0,
                       begun.age + duration};
  if (!law.has_bristles) return next;
  const Slip bend = next_bend(law.bristle, bristles, step.bent, dt);
  next.bend = bend.along;
  next.twist = spin_radius > 0 ? bend.spin / spin_radius : 0;
  next.dwell = step.weights.dwell;
  return next;
}

/// A contact that has been evaluated.
struct LawResult {
  LawStep step;
  LawForces forces;
  ContactState next;
  double offset;  // of the metric in this step
};

/// Evaluates a contact with metric > 0, from `state` before the step; dt >= 0, s. With dt = 0 the bristles stay as they
/// are. Whoever calls it writes zeros where there is no contact.
ISOPATCH_HD LawResult evaluate_law(const LawNumbers& law, const ContactPatch& patch, const RelativeMotion& motion,
                                   const ContactState& state, double dt) {
  const ContactState begun = touched(law, state, patch.metric, dot(patch.normal, motion.velocity));
  LawResult result = {
      {patch, normal_force(law, patch.metric, begun), law.spin_radius * patch.radius, coulomb_term(law)},
      {},
      {},
      begun.offset};
  LawStep& step = result.step;
  const FrictionStep friction = begin_friction(law, patch.normal, step.spin_radius, slip_at(step, motion),
                                               dot(patch.normal, motion.mean_angular), begun, dt);
  step.friction = friction.term;
  result.forces = law_forces(step, motion);
  result.next = end_friction(law, friction, result.forces.friction.bristles, step.spin_radius, begun, dt, dt);
  return result;
}

}  // namespace isopatch::detail
