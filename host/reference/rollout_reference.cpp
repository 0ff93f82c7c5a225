// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout_reference.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "host/reference/lumped_models.h"
#include "host/reference/pressure_field/contact_points.h"
#include "host/reference/rollout/patch_damper.h"
#include "host/reference/rollout/substeps.h"
#include "host/scene/contact_models.h"
#include "isopatch/error.h"

namespace isopatch::reference {

/// A part of a sub-step, and the implicit step that finds its velocities.
struct RolloutReference::Stage {
  Real begin, duration;  // s
  Real step;             // of the implicit step, s
  Real ahead;            // contact is found where known velocities lead in this time, s
  Real drive_time;       // s
  Real weight;           // of its contact forces in the step's
  bool predicted;        // the elastic forces are those at the end of the implicit step
  bool middle;           // bodies go on from where the contact is found
  bool last;

  Real end() const { return begin + duration; }
};

/// A body where a stage begins.
struct RolloutReference::StageBody {
  Pose base;                           // of a body without a joint
  Vector6 momentum = Vector6::Zero();  // about the center of mass; of a body with degrees of freedom
  Vector6 lag = Vector6::Zero();       // the momentum that is known, of a free body
  JointState joint;                    // with the rate that is known
  Real rotor = 0;                      // the rate with which a joint's rotor begins the stage
};

/// How a body can move over a stage: its center of mass has the twist known + freedom v.
struct RolloutReference::StageMotion {
  Matrix6 inertia = Matrix6::Zero();
  Vector6 known = Vector6::Zero();
  Vector6 inertial_force = Vector6::Zero();  // the force that turning with the parent takes
  Vector3 center = Vector3::Zero();          // of a body without degrees of freedom the origin
  Eigen::Matrix<Real, 6, Eigen::Dynamic> freedom;
};

namespace {

Vector6 gravity_on(const MassiveBody& body, const std::array<double, 3>& gravity) {
  Vector6 force;
  force << body.mass * Vector3(gravity[0], gravity[1], gravity[2]), Vector3::Zero();
  return force;
}

const Real kGamma = 1 - 1 / std::sqrt(Real{2});

}  // namespace

RolloutReference::RolloutReference(const SceneDescription& scene) : scene_(scene) {
  if (scene.rollout.integrator == Integrator::kCvode) throw Error("the reference has no integrator cvode");
  for (const Pair& pair : *scene.pairs) {
    for (const auto& model : detail::part_pair_models(pair, scene)) {
      if (model.value_or(ContactModel::kPressureField) <= ContactModel::kPoint) continue;
      throw Error("the reference steps no contact model but those of the library");
    }
  }
  for (const Body& body : scene_.bodies) {
    if (bodies_.emplace_back(scene_, body).is_joint()) joint_bodies_.push_back(bodies_.size() - 1);
    first_dofs_.push_back(num_dofs_);
    num_dofs_ += bodies_.back().own_dofs();
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].leader() >= 0) first_dofs_[i] = first_dofs_[static_cast<std::size_t>(bodies_[i].leader())];
  }
}

RolloutReference::Stage RolloutReference::stage_of(const Substep& substep, Integrator integrator, int index) const {
  const auto [begin, h, share] = substep;
  if (integrator == Integrator::kEuler) return {begin, h, h, 0, begin + h, share, false, false, true};
  if (integrator == Integrator::kMidpoint) return {begin, h, h, h / 2, begin + h / 2, share, false, true, true};
  const Real first = (1 - kGamma) * h, step = kGamma * h;
  if (index == 0) return {begin, first, step, step, begin + step, share * (1 - kGamma), true, false, false};
  return {begin + first, step, step, step, begin + h, share * kGamma, true, false, true};
}

/// Of the origin.
Vector6 RolloutReference::prescribed_twist(std::size_t body, const MotionState& state, const Stage& stage) const {
  if (!bodies_[body].is_prescribed()) return Vector6::Zero();
  if (!bodies_[body].has_path()) return state.velocities[body];
  return twist_between(bodies_[body].path_pose(stage.begin), bodies_[body].path_pose(stage.end()), stage.duration);
}

/// Sets pose and velocity of a body on a joint.
void RolloutReference::place_joint(std::size_t i, MotionState& state, const JointState& joint) const {
  Pose parent;
  Vector6 parent_twist = Vector6::Zero();
  if (bodies_[i].parent() >= 0) {
    parent = state.poses[static_cast<std::size_t>(bodies_[i].parent())];
    parent_twist = state.velocities[static_cast<std::size_t>(bodies_[i].parent())];
  }
  const Pose in_parent = bodies_[i].joint_pose(joint.position);
  state.poses[i] = composed(parent, in_parent);
  state.velocities[i] = twist_at(parent_twist, state.poses[i].position - parent.position) +
                        joint.rate * in_axes(parent, bodies_[i].joint_twist(in_parent.position));
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
  MotionState state;
  for (const MovingBody& body : bodies_) {
    state.poses.push_back(body.has_path() ? body.path_pose(0) : body.initial_pose());
    state.velocities.push_back(body.initial_twist());
  }
  for (const std::size_t i : joint_bodies_) state.joints.push_back(bodies_[i].initial_joint());
  place_joints(state);
  const Environment environment = environment_at(state.poses);
  for (const LumpedState& memory : environment.memories) state.memories.push_back(Memory::of(memory));
  return state;
}

/// Those that follow others first get their state.
void RolloutReference::place_joints(MotionState& state) const {
  for (std::size_t j = 0; j < joint_bodies_.size(); ++j) {
    const MovingBody& body = bodies_[joint_bodies_[j]];
    if (body.leader() < 0) continue;
    const auto leader = std::find(joint_bodies_.begin(), joint_bodies_.end(), static_cast<std::size_t>(body.leader()));
    state.joints[j] = body.following(state.joints[static_cast<std::size_t>(leader - joint_bodies_.begin())]);
  }
  for (std::size_t j = 0; j < joint_bodies_.size(); ++j) place_joint(joint_bodies_[j], state, state.joints[j]);
}

std::vector<RolloutReference::StageBody> RolloutReference::begin(const MotionState& state) const {
  std::vector<StageBody> result(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    result[i].base = state.poses[i];
    if (bodies_[i].num_dofs() == 0) continue;
    const MassiveBody& mass = bodies_[i].mass();
    const Vector6 twist = twist_at(state.velocities[i], mass.arm(state.poses[i]));
    result[i].momentum = result[i].lag = mass.spatial_inertia(state.poses[i]) * twist;
  }
  for (std::size_t j = 0; j < joint_bodies_.size(); ++j) {
    result[joint_bodies_[j]].joint = state.joints[j];
    result[joint_bodies_[j]].rotor = state.joints[j].rate;
  }
  return result;
}

/// Where a body on a joint is along it when a stage finds contact.
Real RolloutReference::contact_position(std::size_t i, const Stage& stage, const std::vector<StageBody>& bodies) const {
  const JointState& own = bodies[i].joint;
  if (!stage.middle) return own.position + stage.ahead * own.rate;
  if (bodies_[i].leader() < 0) return bodies_[i].position_in_middle(own, stage.ahead);
  const auto leader = static_cast<std::size_t>(bodies_[i].leader());
  return bodies_[i].following({contact_position(leader, stage, bodies), 0}).position;
}

/// Where a stage finds contact.
std::vector<Pose> RolloutReference::contact_poses(const MotionState& state, const Stage& stage,
                                                  const std::vector<StageBody>& bodies) const {
  const Real ahead = stage.ahead;
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].is_free()) {
      poses.push_back(bodies_[i].mass().moved_freely(bodies[i].base, bodies[i].lag, ahead));
    } else if (stage.middle && bodies_[i].has_path()) {
      poses.push_back(bodies_[i].path_pose(stage.begin + ahead));
    } else {
      poses.push_back(moved(bodies[i].base, prescribed_twist(i, state, stage), ahead));
    }
  }
  for (const std::size_t i : joint_bodies_) {
    const int parent = bodies_[i].parent();
    poses[i] = composed(parent < 0 ? Pose{} : poses[static_cast<std::size_t>(parent)],
                        bodies_[i].joint_pose(contact_position(i, stage, bodies)));
  }
  return poses;
}

/// Lets bodies go on from where the contact is found; those on joints with the momentum that they have there before the
/// sub-step.
void RolloutReference::go_on_from(const std::vector<Pose>& poses, const MotionState& state, const Stage& stage,
                                  const std::vector<StageMotion>& motions, std::vector<StageBody>& bodies) const {
  std::vector<Real> positions(bodies_.size());
  for (const std::size_t i : joint_bodies_) positions[i] = contact_position(i, stage, bodies);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies[i].base = poses[i];
    if (!bodies_[i].is_joint()) continue;
    bodies[i].joint.position = positions[i];
    Vector6 twist = bodies[i].joint.rate / bodies_[i].ratio() * motions[i].freedom;
    if (bodies_[i].parent() >= 0) {
      const auto parent = static_cast<std::size_t>(bodies_[i].parent());
      twist += twist_at(state.velocities[parent], motions[i].center - poses[parent].position);
    }
    bodies[i].momentum = motions[i].inertia * twist;
  }
}

std::vector<RolloutReference::StageMotion> RolloutReference::motions(const MotionState& state, const Stage& stage,
                                                                     const std::vector<Pose>& poses) const {
  std::vector<StageMotion> result(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const MovingBody& body = bodies_[i];
    StageMotion& motion = result[i];
    motion.center = poses[i].position;
    motion.freedom.resize(6, body.num_dofs());
    if (body.num_dofs() == 0) {
      motion.known = prescribed_twist(i, state, stage);
      continue;
    }
    motion.center += body.mass().arm(poses[i]);
    motion.inertia = body.mass().spatial_inertia(poses[i]);
    if (body.is_free()) {
      motion.freedom.setIdentity();
      continue;
    }
    if (body.parent() < 0) {
      motion.freedom = body.ratio() * body.joint_twist(motion.center);
      continue;
    }
    const auto parent = static_cast<std::size_t>(body.parent());
    const Vector3 arm = motion.center - poses[parent].position;
    motion.freedom =
        body.ratio() * in_axes(poses[parent], body.joint_twist(poses[parent].orientation.conjugate() * arm));
    const Vector6 twist = prescribed_twist(parent, state, stage);
    motion.known = twist_at(twist, arm);
    if (stage.predicted) continue;
    const Vector3 omega = twist.tail<3>();
    motion.inertial_force << body.mass().mass * omega.cross(omega.cross(arm)),
        omega.cross(body.mass().inertia_in_world(poses[i]) * omega);
  }
  return result;
}

void RolloutReference::find_contact(const std::vector<Pose>& poses, const std::vector<Memory>& memories,
                                    ConvexProblem& problem) const {
  State contact;
  contact.num_environments = 1;
  const Environment environment = environment_at(poses);
  std::vector<MemoryContact> contacts;
  problem.points = contact_points(scene_, contact, environment, scene_.rollout.points, contacts);
  find_lumped_contacts(scene_, contact, environment, memories, problem.points, contacts);
  for (const MemoryContact& found : contacts) {
    FrictionTerm& term = problem.terms.emplace_back();
    term.contact = found;
    for (std::size_t i = 0; i < problem.points.size(); ++i) {
      if (problem.points[i].row == found.row) term.points.push_back(i);
    }
  }
}

/// Begins the contacts with a memory, at known velocities.
void RolloutReference::begin_terms(const Stage& stage, const std::vector<StageMotion>& motions,
                                   const VectorX& velocities, const std::vector<Memory>& memories,
                                   ConvexProblem& problem) const {
  const auto spin = [&](int index) -> Vector3 {
    const auto i = static_cast<std::size_t>(index);
    const VectorX own = velocities.segment(first_dofs_[i], bodies_[i].num_dofs());
    return (motions[i].known + motions[i].freedom * own).tail<3>();
  };
  for (FrictionTerm& term : problem.terms) {
    const Pair& pair = (*scene_.pairs)[term.contact.pair];
    term.begin(memories[term.contact.row], term.jacobian * velocities + term.known, (spin(pair.a) + spin(pair.b)) / 2,
               stage.step);
    if (!term.contact.is_lumped) continue;
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
  problem.mass = MatrixX::Zero(num_dofs_, num_dofs_);
  VectorX free_momentum = VectorX::Zero(num_dofs_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Eigen::Index first = first_dofs_[i], count = bodies_[i].num_dofs();
    if (count == 0) continue;
    const StageMotion& motion = motions[i];
    const Vector6 force = gravity_on(bodies_[i].mass(), scene_.rollout.gravity) - motion.inertial_force;
    const Vector6 momentum = bodies[i].momentum + stage.step * force - motion.inertia * motion.known;
    problem.mass.block(first, first, count, count) += motion.freedom.transpose() * motion.inertia * motion.freedom;
    free_momentum.segment(first, count) += motion.freedom.transpose() * momentum;
    if (!bodies_[i].is_joint()) continue;
    problem.mass(first, first) += bodies_[i].armature();
    free_momentum[first] += bodies_[i].armature() * bodies[i].rotor;
  }
  problem.free_velocity = problem.mass.inverse() * free_momentum;
  for (const std::size_t i : joint_bodies_) {
    if (bodies_[i].leader() >= 0) continue;
    const JointState& joint = bodies[i].joint;
    const Eigen::Index dof = first_dofs_[i];
    problem.joints.push_back(
        {dof, bodies_[i].joint_force(joint, stage.step, stage.drive_time, problem.mass(dof, dof), stage.middle,
                                     joint.position - stage.ahead * joint.rate, problem.slip_tolerance)});
  }

  // contact
  find_contact(poses, memories, problem);
  const auto rows = static_cast<Eigen::Index>(3 * problem.points.size());
  problem.jacobian = MatrixX::Zero(rows, num_dofs_);
  problem.known = VectorX::Zero(rows);
  /// Adds the part of a pair's bodies in the relative twist at a position: to six rows, or to the first three.
  const auto add_bodies = [&](const Pair& pair, const Vector3& position, auto jacobian, auto known) {
    for (const Real sign : {Real{1}, Real{-1}}) {
      const auto body = static_cast<std::size_t>(sign > 0 ? pair.a : pair.b);
      Matrix6 J = Matrix6::Identity();
      J.topRows<3>() = velocity_at(position - motions[body].center);
      known += sign * (J * motions[body].known).head(known.size());
      jacobian.middleCols(first_dofs_[body], bodies_[body].num_dofs()) +=
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
    term.jacobian.setZero(6, num_dofs_);
    add_bodies((*scene_.pairs)[term.contact.pair], term.contact.position, term.jacobian.middleRows<6>(0),
               term.known.segment<6>(0));
  }
  return problem;
}

VectorX RolloutReference::known_velocities(const std::vector<StageBody>& bodies,
                                           const std::vector<StageMotion>& motions) const {
  VectorX velocities(num_dofs_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].is_free()) velocities.segment<6>(first_dofs_[i]) = motions[i].inertia.inverse() * bodies[i].lag;
    if (bodies_[i].own_dofs() == 1) velocities[first_dofs_[i]] = bodies[i].joint.rate;
  }
  return velocities;
}

/// Where a stage ends; of a body without a joint.
Pose RolloutReference::pose_after(std::size_t i, const MotionState& state, const Stage& stage, const Pose& base,
                                  const Vector6& momentum) const {
  const Real onward = stage.middle ? stage.duration - stage.ahead : stage.duration;
  if (bodies_[i].is_free()) return bodies_[i].mass().moved_freely(base, momentum, onward);
  if (bodies_[i].has_path()) return bodies_[i].path_pose(stage.end());
  return moved(base, prescribed_twist(i, state, stage), onward);
}

/// Changes the points of all pairs as midpoint does.
void RolloutReference::damp_all(ConvexProblem& problem, const VectorX& known_velocities,
                                const std::vector<StageMotion>& motions) const {
  std::map<std::size_t, std::vector<std::size_t>> points;
  for (std::size_t i = 0; i < problem.points.size(); ++i) points[problem.points[i].pair].push_back(i);
  const auto body = [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    const VectorX own = known_velocities.segment(first_dofs_[i], bodies_[i].num_dofs());
    return DampedBody{bodies_[i].is_free(), bodies_[i].is_joint(), bodies_[i].mass().mass, motions[i].center,
                      Vector6(motions[i].known + motions[i].freedom * own)};
  };
  for (const auto& [pair, of_pair] : points) {
    const auto is_whole_contact = [&of_pair = of_pair](const FrictionTerm& term) {
      return term.contact.is_ball && term.points.size() == of_pair.size() && term.points == of_pair;
    };
    const bool rolls = std::any_of(problem.terms.begin(), problem.terms.end(), is_whole_contact);
    damp(problem, of_pair, body((*scene_.pairs)[pair].a), body((*scene_.pairs)[pair].b), rolls);
  }
}

bool RolloutReference::take(const Substep& substep, Integrator integrator, MotionState& state,
                            std::vector<Vector6>& wrenches) const {
  const bool passes_given = scene_.rollout.friction_passes.has_value();
  const int passes = passes_given ? *scene_.rollout.friction_passes : integrator == Integrator::kMidpoint ? 12 : 3;
  const Real renewed = integrator == Integrator::kSdirk2 ? 0 : 0.01L;
  std::vector<Vector6> found = wrenches;
  std::vector<StageBody> bodies = begin(state);
  std::vector<Memory> memories = state.memories;
  for (int index = 0;; ++index) {
    const Stage stage = stage_of(substep, integrator, index);
    const std::vector<Pose> poses = contact_poses(state, stage, bodies);
    const std::vector<StageMotion> stage_motions = motions(state, stage, poses);
    if (stage.middle) go_on_from(poses, state, stage, stage_motions, bodies);
    ConvexProblem convex = problem(stage, bodies, stage_motions, poses, memories);
    if (integrator == Integrator::kSdirk2 && stiffest_pair(convex, substep.duration) > 1) return false;
    const VectorX lag = known_velocities(bodies, stage_motions);
    begin_terms(stage, stage_motions, lag, memories, convex);
    convex.begin_limits(lag, stage.predicted);
    if (stage.middle) damp_all(convex, lag, stage_motions);
    const VectorX velocity = convex.solve(lag, passes, renewed);
    for (const auto& [dof, force] : convex.joints) {
      if (integrator == Integrator::kSdirk2 && force.of_stop(velocity[dof]) != 0) return false;
    }

    const auto add_force = [&](std::size_t pair, const Vector3& position, const Vector6& impulse) {
      const Vector6 wrench = stage.weight / stage.step * impulse;
      const Pose& pose_a = poses[static_cast<std::size_t>((*scene_.pairs)[pair].a)];
      found[pair] += wrench;
      found[pair].tail<3>() += (position - pose_a.position).cross(wrench.head<3>());
    };
    for (std::size_t i = 0; i < convex.points.size(); ++i) {
      Vector6 impulse = Vector6::Zero();
      impulse.head<3>() = convex.impulse(i, velocity);
      add_force(convex.points[i].pair, convex.points[i].position, impulse);
    }
    std::fill(memories.begin(), memories.end(), Memory{});
    for (const FrictionTerm& term : convex.terms) {
      add_force(term.contact.pair, term.contact.position, term.on_a(velocity));
      const Vector4 slip = term.slip(velocity);
      Memory& next = memories[term.contact.row] = term.after(slip, stage.duration);
      if (!stage.last) next = between_stages(term, next, slip, stage.duration);
    }

    // momenta are extrapolated from the first stage to the second
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const StageMotion& motion = stage_motions[i];
      StageBody& body = bodies[i];
      const VectorX own = velocity.segment(first_dofs_[i], bodies_[i].num_dofs());
      body.lag = motion.inertia * (motion.known + motion.freedom * own);
      body.momentum += (1 - kGamma) / kGamma * (body.lag - body.momentum);
      if (bodies_[i].is_joint()) {
        const Real onward = stage.middle ? stage.duration - stage.ahead : stage.duration;
        const Real rate = bodies_[i].ratio() * own[0];
        body.joint = {body.joint.position + onward * rate, rate};
        body.rotor += (1 - kGamma) / kGamma * (rate - body.rotor);
      } else {
        body.base = pose_after(i, state, stage, body.base, body.lag);
      }
    }
    if (!stage.last) continue;

    wrenches = found;
    state.memories = memories;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].has_path()) state.velocities[i] = prescribed_twist(i, state, stage);
      if (bodies_[i].is_joint()) continue;
      state.poses[i] = bodies[i].base;
      if (!bodies_[i].is_free()) continue;
      const MassiveBody& mass = bodies_[i].mass();
      const Vector6 twist = mass.spatial_inertia(state.poses[i]).inverse() * bodies[i].lag;
      state.velocities[i] = twist_at(twist, -mass.arm(state.poses[i]));
    }
    for (std::size_t j = 0; j < joint_bodies_.size(); ++j) state.joints[j] = bodies[joint_bodies_[j]].joint;
    place_joints(state);
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
    if (bodies_[i].has_path()) state.velocities[i] = prescribed_twist(i, state, last);
  }
  place_joints(state);
  ++state.steps;
  return wrenches;
}

}  // namespace isopatch::reference
