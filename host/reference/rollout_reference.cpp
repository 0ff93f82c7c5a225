// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout_reference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "host/reference/pressure_field/evaluate_pair.h"
#include "host/reference/rollout/substeps.h"
#include "host/reference/single_contact/single_contact_models.h"
#include "host/scene/contact_models.h"
#include "isopatch/error.h"

namespace isopatch::reference {

namespace {

Vector6 gravity_on(const MassiveBody& body, const std::array<double, 3>& gravity) {
  Vector6 force;
  force << body.mass * Vector3(gravity[0], gravity[1], gravity[2]), Vector3::Zero();
  return force;
}

Real gravity_of(const SceneDescription& scene) {
  const auto [x, y, z] = scene.rollout.gravity;
  return std::hypot(Real(x), Real(y), Real(z));
}

}  // namespace

RolloutReference::RolloutReference(const SceneDescription& scene) : scene_(scene), bodies_(scene_) {
  if (!scene.loops.empty()) throw Error("the reference steps no loops");
  for (const Pair& pair : *scene.pairs) {
    for (const auto& model : detail::part_pair_models(pair, scene)) {
      if (!model || is_stepped(*model)) continue;
      throw Error("the reference steps no contact model but those of the library");
    }
  }
  if (bodies_.have_trees() && scene_.rollout.integrator == Integrator::kSdirk2) {
    throw Error("the reference steps joints on bodies with degrees of freedom by midpoint and euler alone");
  }
}

Stage RolloutReference::stage_of(const Substep& substep, Integrator integrator, int index) const {
  const auto [begin, h, share] = substep;
  if (integrator == Integrator::kEuler) return {begin, h, h, 0, begin + h, share, false, false, true};
  if (integrator == Integrator::kMidpoint) return {begin, h, h, h / 2, begin + h / 2, share, false, true, true};
  const Real first = (1 - kGamma) * h, step = kGamma * h;
  if (index == 0) return {begin, first, step, step, begin + step, share * (1 - kGamma), true, false, false};
  return {begin + first, step, step, step, begin + h, share * kGamma, true, false, true};
}

/// At poses that are rounded only so that they can be checked.
Environment RolloutReference::environment_at(const std::vector<Pose>& poses) const {
  std::vector<double> rounded;
  for (const Pose& pose : poses) {
    const Quaternion& q = pose.orientation;
    for (const Real x : {pose.position[0], pose.position[1], pose.position[2], q.w(), q.x(), q.y(), q.z()}) {
      rounded.push_back(static_cast<double>(x));
    }
  }
  State contact;
  contact.num_environments = 1;
  contact.poses = rounded.data();
  Environment environment = read_environment(scene_, contact, 0);
  if (environment.status != 0) throw Error("the reference cannot find contact at the poses of a step");
  for (std::size_t i = 0; i < poses.size(); ++i) environment.bodies[i].X_WB = poses[i].transform();
  return environment;
}

MotionState RolloutReference::initial_state() const {
  MotionState state = bodies_.initial_state();
  const Environment environment = environment_at(state.poses);
  for (const ContactStateRow& memory : environment.memories) state.memories.push_back(Memory::of(memory));
  return state;
}

std::vector<DampedBody> RolloutReference::moving(const std::vector<StageMotion>& motions,
                                                 const VectorX& velocities) const {
  std::vector<DampedBody> bodies;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const VectorX own = velocities.segment(bodies_.first_dof(i), bodies_.num_dofs(i));
    bodies.push_back({bodies_[i].moves_freely(), bodies_[i].is_joint(), bodies_[i].mass().mass, motions[i].center,
                      Vector6(motions[i].known + motions[i].freedom * own)});
  }
  return bodies;
}

/// `with_motion` also how contacts move as the bodies do.
void RolloutReference::find_contact(const std::vector<Pose>& poses, const std::vector<DampedBody>& bodies,
                                    const std::vector<Memory>& memories, bool with_motion,
                                    ConvexProblem& problem) const {
  State contact;
  contact.num_environments = 1;
  Environment environment = environment_at(poses);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vector6 of_origin = twist_at(bodies[i].twist, poses[i].position - bodies[i].center);
    environment.bodies[i].velocity = of_origin.head<3>();
    environment.bodies[i].angular_velocity = of_origin.tail<3>();
  }
  std::vector<StatefulContact> contacts;
  problem.points = contact_points(scene_, contact, environment, scene_.rollout.points, contacts);
  find_single_contacts_of_scene(scene_, contact, environment, memories, with_motion, problem.points, contacts);
  for (const StatefulContact& found : contacts) {
    FrictionTerm& term = problem.terms.emplace_back();
    term.contact = found;
    for (std::size_t i = 0; i < problem.points.size(); ++i) {
      if (problem.points[i].row == found.row) term.points.push_back(i);
    }
  }
}

/// Begins the contacts with state, at known velocities.
void RolloutReference::begin_terms(const Stage& stage, const std::vector<StageMotion>& motions,
                                   const VectorX& velocities, const std::vector<Memory>& memories,
                                   ConvexProblem& problem) const {
  const std::vector<DampedBody> bodies = moving(motions, velocities);
  const auto spin = [&](int index) -> Vector3 { return bodies[static_cast<std::size_t>(index)].twist.tail<3>(); };
  for (FrictionTerm& term : problem.terms) {
    const Pair& pair = (*scene_.pairs)[term.contact.pair];
    term.begin(memories[term.contact.row], term.jacobian * velocities + term.known, (spin(pair.a) + spin(pair.b)) / 2,
               stage.step);
    if (!term.contact.is_single_contact) continue;
    for (const std::size_t i : term.points) {
      problem.points[i].dissipation = damping_after(term.contact.law, term.begun.impact);
    }
  }
}

ConvexProblem RolloutReference::problem(const Stage& stage, const std::vector<StageBody>& bodies,
                                        const std::vector<StageMotion>& motions, const std::vector<Pose>& poses,
                                        const std::vector<Memory>& memories) const {
  ConvexProblem problem;
  problem.step = stage.step;
  problem.slip_tolerance = scene_.contact.slip_tolerance.value_or(kUsualStepSlipTolerance);

  // inertia, and what acts without contact
  problem.mass = MatrixX::Zero(bodies_.num_dofs(), bodies_.num_dofs());
  VectorX free_momentum = VectorX::Zero(bodies_.num_dofs());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Eigen::Index first = bodies_.first_dof(i), count = bodies_.num_dofs(i);
    if (count == 0) continue;
    const StageMotion& motion = motions[i];
    const Vector6 force = gravity_on(bodies_[i].mass(), scene_.rollout.gravity) - motion.inertial_force;
    const Vector6 momentum = bodies[i].momentum + stage.step * force - motion.inertia * motion.known;
    problem.mass.block(first, first, count, count) += motion.freedom.transpose() * motion.inertia * motion.freedom;
    free_momentum.segment(first, count) += motion.freedom.transpose() * momentum;
    if (!bodies_[i].is_joint()) continue;
    const Eigen::Index own = bodies_.own_dof(i);
    problem.mass(own, own) += bodies_[i].armature();
    free_momentum[own] += bodies_[i].armature() * bodies[i].rotor;
  }
  problem.free_velocity = problem.mass.inverse() * free_momentum;
  for (const std::size_t i : bodies_.on_joints()) {
    if (bodies_[i].leader() >= 0) continue;
    const JointState& joint = bodies[i].joint;
    const Eigen::Index dof = bodies_.own_dof(i);
    problem.joints.push_back(
        {dof, bodies_[i].joint_force(joint, stage.step, stage.drive_time, problem.mass(dof, dof), stage.middle,
                                     joint.position - stage.ahead * joint.rate, problem.slip_tolerance)});
  }

  // contact
  find_contact(poses, moving(motions, bodies_.known_velocities(bodies, motions)), memories, stage.middle, problem);
  const auto rows = static_cast<Eigen::Index>(3 * problem.points.size());
  problem.jacobian = MatrixX::Zero(rows, bodies_.num_dofs());
  problem.known = VectorX::Zero(rows);
  /// Adds the part of a pair's bodies in the relative twist at a position: to six rows, or to the first three.
  const auto add_bodies = [&](const Pair& pair, const Vector3& position, auto jacobian, auto known) {
    for (const Real sign : {Real{1}, Real{-1}}) {
      const auto body = static_cast<std::size_t>(sign > 0 ? pair.a : pair.b);
      Matrix6 J = Matrix6::Identity();
      J.topRows<3>() = velocity_at(position - motions[body].center);
      known += sign * (J * motions[body].known).head(known.size());
      jacobian.middleCols(bodies_.first_dof(body), bodies_.num_dofs(body)) +=
          sign * (J * motions[body].freedom).topRows(known.size());
    }
  };
  for (std::size_t i = 0; i < problem.points.size(); ++i) {
    const ContactPoint& point = problem.points[i];
    const auto row = static_cast<Eigen::Index>(3 * i);
    add_bodies((*scene_.pairs)[point.pair], point.position, problem.jacobian.middleRows<3>(row),
               problem.known.segment<3>(row));
  }
  for (FrictionTerm& term : problem.terms) {
    term.jacobian.setZero(6, bodies_.num_dofs());
    add_bodies((*scene_.pairs)[term.contact.pair], term.contact.position, term.jacobian.middleRows<6>(0),
               term.known.segment<6>(0));
  }
  return problem;
}

/// Changes the points of all pairs as midpoint does. Returns the rebounds, with the terms that have them.
std::vector<std::pair<std::size_t, Bounce>> RolloutReference::damp_all(ConvexProblem& problem, const Stage& stage,
                                                                       const VectorX& known_velocities,
                                                                       const std::vector<StageMotion>& motions) const {
  std::vector<std::pair<std::size_t, Bounce>> rebounds;
  std::map<std::size_t, std::vector<std::size_t>> points;
  for (std::size_t i = 0; i < problem.points.size(); ++i) points[problem.points[i].pair].push_back(i);
  const Real gravity = gravity_of(scene_);
  const std::vector<DampedBody> bodies = moving(motions, known_velocities);
  const auto body = [&](int index) { return bodies[static_cast<std::size_t>(index)]; };
  for (const auto& [pair, of_pair] : points) {
    const auto is_whole_contact = [&of_pair = of_pair](const FrictionTerm& term) {
      return term.contact.is_ball && term.points.size() == of_pair.size() && term.points == of_pair;
    };
    const bool rolls = std::any_of(problem.terms.begin(), problem.terms.end(), is_whole_contact);
    const Real stiffness = relative_stiffness(problem, of_pair, stage.step);
    damp(problem, of_pair, body((*scene_.pairs)[pair].a), body((*scene_.pairs)[pair].b), rolls, 1 / stage.weight);
    for (std::size_t t = 0; t < problem.terms.size(); ++t) {
      FrictionTerm& term = problem.terms[t];
      if (term.contact.pair != pair) continue;
      const std::optional<Bounce> found = bounce(problem, term, known_velocities, stiffness, gravity);
      if (!found) continue;
      rebounds.emplace_back(t, *found);
      rebound(problem, term, *found, found->leaving);
    }
  }
  return rebounds;
}

/// Whether rebounds, with their friction, give energy to the bodies: more than 1e-4 of what they turn back.
bool gains(const ConvexProblem& problem, const std::vector<std::pair<std::size_t, Bounce>>& rebounds,
           const VectorX& before, const VectorX& after) {
  Real work = 0, turned = 0;
  for (const auto& [t, bounce] : rebounds) {
    const FrictionTerm& term = problem.terms[t];
    work += work_of(problem, term, before, after);
    turned += problem.normal_impulse_of(term, after) * std::abs(bounce.before) / 2;
  }
  return work > turned / 10000;
}

VectorX RolloutReference::solve(const Stage& stage, Integrator integrator, Real renewed, const VectorX& lag,
                                const std::vector<StageMotion>& motions, ConvexProblem& convex) const {
  const bool passes_given = scene_.rollout.friction_passes.has_value();
  const int passes = passes_given ? *scene_.rollout.friction_passes : integrator == Integrator::kMidpoint ? 12 : 3;
  convex.begin_limits(lag, stage.predicted);
  std::vector<std::pair<std::size_t, Bounce>> rebounds;
  if (stage.middle) rebounds = damp_all(convex, stage, lag, motions);
  VectorX velocity = convex.solve(lag, passes, renewed);
  if (gains(convex, rebounds, lag, velocity)) {
    for (const auto& [t, bounce] : rebounds) rebound(convex, convex.terms[t], bounce, 0);
    velocity = convex.solve(lag, passes, renewed);
  }
  return velocity;
}

bool RolloutReference::holds(const ConvexProblem& convex, const VectorX& velocity) const {
  return std::none_of(convex.joints.begin(), convex.joints.end(),
                      [&](const ForceOnJoint& joint) { return joint.force.of_stop(velocity[joint.dof]) != 0; }) &&
         std::none_of(convex.terms.begin(), convex.terms.end(), [&](const FrictionTerm& term) {
           return bounces_too_far(convex, term, velocity, gravity_of(scene_));
         });
}

void RolloutReference::add_wrenches(const Stage& stage, const ConvexProblem& convex, const VectorX& velocity,
                                    const std::vector<Pose>& poses, std::vector<Vector6>& wrenches) const {
  const auto add = [&](std::size_t pair, const Vector3& position, const Vector6& impulse) {
    const Vector6 wrench = stage.weight / stage.step * impulse;
    const Pose& pose_a = poses[static_cast<std::size_t>((*scene_.pairs)[pair].a)];
    wrenches[pair] += wrench;
    wrenches[pair].tail<3>() += (position - pose_a.position).cross(wrench.head<3>());
  };
  for (std::size_t i = 0; i < convex.points.size(); ++i) {
    Vector6 impulse = Vector6::Zero();
    impulse.head<3>() = convex.impulse(i, velocity);
    add(convex.points[i].pair, convex.points[i].position, impulse);
  }
  for (const FrictionTerm& term : convex.terms) add(term.contact.pair, term.contact.position, term.on_a(velocity));
}

bool RolloutReference::take(const Substep& substep, Integrator integrator, MotionState& state,
                            std::vector<Vector6>& wrenches) const {
  const bool is_sdirk2 = integrator == Integrator::kSdirk2;
  const Real renewed = is_sdirk2 ? 0 : 0.01L * std::min(substep.duration / Real{1e-3}, Real{1});
  std::vector<Vector6> found = wrenches;
  std::vector<StageBody> bodies = bodies_.begin(state);
  std::vector<Memory> memories = state.memories;
  for (int index = 0;; ++index) {
    const Stage stage = stage_of(substep, integrator, index);
    bodies_.move_trees(state, stage, bodies);
    if (stage.middle) bodies_.find_drifts(state, stage, bodies);
    const std::vector<Pose> poses = bodies_.contact_poses(state, stage, bodies);
    const std::vector<StageMotion> stage_motions = bodies_.motions(state, stage, poses);
    if (stage.middle) bodies_.go_on_from(poses, state, stage, stage_motions, bodies);
    ConvexProblem convex = problem(stage, bodies, stage_motions, poses, memories);
    if (is_sdirk2 && stiffest_pair(convex, scene_.rollout.time_step) > 1) return false;
    const VectorX lag = bodies_.known_velocities(bodies, stage_motions);
    begin_terms(stage, stage_motions, lag, memories, convex);
    const VectorX velocity = solve(stage, integrator, renewed, lag, stage_motions, convex);
    if (is_sdirk2 && !holds(convex, velocity)) return false;
    add_wrenches(stage, convex, velocity, poses, found);
    std::fill(memories.begin(), memories.end(), Memory{});
    for (const FrictionTerm& term : convex.terms) {
      const Vector4 slip = term.slip(velocity);
      Memory& next = memories[term.contact.row] = term.after(slip, stage.duration);
      if (!stage.last) next = between_stages(term, next, slip, stage.duration);
    }

    bodies_.end_stage(velocity, stage_motions, state, stage, bodies);
    if (!stage.last) continue;

    wrenches = found;
    state.memories = memories;
    bodies_.end_substep(bodies, stage, state);
    return true;
  }
}

std::vector<Vector6> RolloutReference::step(MotionState& state) const {
  const Integrator integrator = scene_.rollout.integrator;
  const Real h = scene_.rollout.time_step, begin = static_cast<Real>(state.steps) * h;
  const int count = integrator == Integrator::kEuler ? 1 : count_substeps(scene_, state.poses, state.velocities);
  std::vector<Vector6> wrenches(scene_.pairs->size(), Vector6::Zero());
  for (int i = 0; i < count; ++i) {
    const Substep substep = {begin + i * h / count, h / count, Real{1} / count};
    if (!take(substep, integrator, state, wrenches)) take(substep, Integrator::kMidpoint, state, wrenches);
  }

  // the velocity of a path is that of the last stage of a step that is not divided
  const Stage last = stage_of({begin, h, 1}, integrator, integrator == Integrator::kSdirk2 ? 1 : 0);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].has_path()) state.velocities[i] = bodies_.prescribed_twist(i, state, last);
  }
  bodies_.place_joints(state);
  state.before = state.velocities;
  ++state.steps;
  return wrenches;
}

}  // namespace isopatch::reference
