// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/moving_bodies.h"

#include <algorithm>
#include <numeric>

namespace isopatch::reference {

MovingBodies::MovingBodies(const SceneDescription& scene) {
  for (const Body& body : scene.bodies) {
    if (bodies_.emplace_back(scene, body).is_joint()) joint_bodies_.push_back(bodies_.size() - 1);
  }
  trees_ = Tree::among(bodies_);
  trees_of_.assign(bodies_.size(), -1);
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    for (const Tree::Member& member : trees_[t].members()) trees_of_[member.index] = static_cast<int>(t);
  }

  // degrees of freedom: all of a tree together, in the place of its first body
  constexpr Eigen::Index kNone = -1;
  first_dofs_.assign(bodies_.size(), kNone);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (first_dofs_[i] != kNone) continue;
    first_dofs_[i] = num_dofs_;
    if (in_tree(i)) {
      for (const Tree::Member& member : tree_of(i).members()) first_dofs_[member.index] = num_dofs_;
    }
    num_dofs_ += in_tree(i) ? tree_of(i).num_dofs() : bodies_[i].own_dofs();
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].leader() >= 0) first_dofs_[i] = first_dofs_[static_cast<std::size_t>(bodies_[i].leader())];
  }
  own_dofs_ = first_dofs_;
  std::vector<int> places(bodies_.size(), 0);  // among the members of a tree
  for (const Tree& tree : trees_) {
    for (std::size_t i = 0; i < tree.members().size(); ++i) {
      own_dofs_[tree.members()[i].index] += tree.members()[i].column;
      places[tree.members()[i].index] = static_cast<int>(i);
    }
  }

  placing_order_.resize(joint_bodies_.size());
  std::iota(placing_order_.begin(), placing_order_.end(), std::size_t{0});
  std::stable_sort(placing_order_.begin(), placing_order_.end(),
                   [&](std::size_t a, std::size_t b) { return places[joint_bodies_[a]] < places[joint_bodies_[b]]; });
}

MotionState MovingBodies::initial_state() const {
  MotionState state;
  for (const MovingBody& body : bodies_) {
    state.poses.push_back(body.has_path() ? body.path_pose(0) : body.initial_pose());
    state.velocities.push_back(body.initial_twist());
  }
  for (const std::size_t i : joint_bodies_) state.joints.push_back(bodies_[i].initial_joint());
  place_joints(state);
  state.before = state.velocities;
  return state;
}

Vector6 MovingBodies::prescribed_twist(std::size_t body, const MotionState& state, const Stage& stage) const {
  if (!bodies_[body].is_prescribed()) return Vector6::Zero();
  if (!bodies_[body].has_path()) return state.velocities[body];
  return twist_between(bodies_[body].path_pose(stage.begin), bodies_[body].path_pose(stage.end()), stage.duration);
}

/// Sets pose and velocity of a body on a joint.
void MovingBodies::place_joint(std::size_t i, MotionState& state, const JointState& joint) const {
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

/// Those that follow others first get their state.
void MovingBodies::place_joints(MotionState& state) const {
  for (std::size_t j = 0; j < joint_bodies_.size(); ++j) {
    const MovingBody& body = bodies_[joint_bodies_[j]];
    if (body.leader() < 0) continue;
    const auto leader = std::find(joint_bodies_.begin(), joint_bodies_.end(), static_cast<std::size_t>(body.leader()));
    state.joints[j] = body.following(state.joints[static_cast<std::size_t>(leader - joint_bodies_.begin())]);
  }
  for (const std::size_t j : placing_order_) place_joint(joint_bodies_[j], state, state.joints[j]);
}

std::vector<StageBody> MovingBodies::begin(const MotionState& state) const {
  std::vector<StageBody> result(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    result[i].base = state.poses[i];
    if (bodies_[i].num_dofs() == 0) continue;
    const MassiveBody& mass = bodies_[i].mass();
    const Vector6 twist = twist_at(state.velocities[i], mass.arm(state.poses[i]));
    result[i].momentum = result[i].lag = mass.spatial_inertia(state.poses[i]) * twist;
  }
  for (std::size_t j = 0; j < joint_bodies_.size(); ++j) {
    StageBody& body = result[joint_bodies_[j]];
    body.joint = state.joints[j];
    body.joint.position = bodies_[joint_bodies_[j]].within_stops(body.joint.position);
    body.rotor = body.joint.rate;
  }
  for (const std::size_t i : joint_bodies_) {
    if (bodies_[i].leader() < 0) continue;
    result[i].joint.position =
        bodies_[i].following(result[static_cast<std::size_t>(bodies_[i].leader())].joint).position;
  }
  return result;
}

/// From the time `begin`, at which they are among `bodies`.
MovingBases MovingBodies::moving_bases(const MotionState& state, const Stage& stage, Real begin,
                                       const std::vector<StageBody>& bodies) const {
  Bases at;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    at.poses.push_back(bodies[i].base);
    at.twists.push_back(prescribed_twist(i, state, stage));
  }
  const auto poses = [this, at, begin](Real time) {
    std::vector<Pose> result = at.poses;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_[i].is_prescribed()) continue;
      result[i] = bodies_[i].has_path() ? bodies_[i].path_pose(begin + time) : moved(at.poses[i], at.twists[i], time);
    }
    return result;
  };
  return {poses, at.twists, at.twists};
}

/// From where its members are among `bodies`, at these velocities.
void MovingBodies::move_tree(const Tree& tree, const VectorX& velocity, const MovingBases& bases, Real duration,
                             std::vector<StageBody>& bodies) const {
  TreeState moving = {{}, {}, velocity};
  for (const Tree::Member& member : tree.members()) {
    moving.poses.push_back(bodies[member.index].base);
    moving.positions.push_back(bodies[member.index].joint.position);
  }
  tree.move_freely(bases, duration, moving);
  const std::vector<StageMotion> motions = tree.motions(moving.poses, {bases.poses(duration), bases.twists});
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Tree::Member& member = tree.members()[i];
    StageBody& body = bodies[member.index];
    body.base = moving.poses[i];
    body.momentum = body.lag = motions[i].inertia * (motions[i].known + motions[i].freedom * moving.velocity);
    if (member.body.is_free()) continue;
    const Real rate = member.body.ratio() * moving.velocity[member.column];
    body.joint = {moving.positions[i], rate};
    body.rotor = rate;
  }
}

void MovingBodies::move_trees(const MotionState& state, const Stage& stage, std::vector<StageBody>& bodies) const {
  if (trees_.empty()) return;
  MovingBases bases = moving_bases(state, stage, stage.begin, bodies);
  bases.before = state.before;
  for (const Tree& tree : trees_) {
    VectorX velocity(tree.num_dofs());
    for (const Tree::Member& member : tree.members()) {
      const StageBody& body = bodies[member.index];
      if (member.body.is_free()) {
        const Matrix6 inertia = member.body.mass().spatial_inertia(body.base);
        velocity.segment<6>(member.column) = inertia.inverse() * body.lag;
      } else if (member.leader < 0) {
        velocity[member.column] = body.joint.rate;
      }
    }
    move_tree(tree, velocity, bases, stage.ahead, bodies);
  }
}

void MovingBodies::find_drifts(const MotionState& state, const Stage& stage, std::vector<StageBody>& bodies) const {
  std::vector<Real> lost(bodies_.size(), 0), mass(bodies_.size(), 0);  // of the joints that are followed
  for (const std::size_t i : joint_bodies_) {
    if (in_tree(i)) continue;
    const std::size_t own = bodies_[i].leader() < 0 ? i : static_cast<std::size_t>(bodies_[i].leader());
    Pose parent;
    Vector6 change = Vector6::Zero();
    if (bodies_[i].parent() >= 0) {
      const auto p = static_cast<std::size_t>(bodies_[i].parent());
      parent = bodies_[p].has_path() ? bodies_[p].path_pose(stage.begin + stage.ahead)
                                     : moved(bodies[p].base, prescribed_twist(p, state, stage), stage.ahead);
      change = state.before[p] - prescribed_twist(p, state, stage);
    }
    const Pose at = composed(parent, bodies_[i].joint_pose(bodies[i].joint.position));
    const Vector3 arm = at.position + bodies_[i].mass().arm(at) - parent.position;
    const Vector6 along =
        bodies_[i].ratio() * in_axes(parent, bodies_[i].joint_twist(parent.orientation.conjugate() * arm));
    const Vector6 momentum = bodies_[i].mass().spatial_inertia(at) * along;
    mass[own] += momentum.dot(along) + (own == i ? bodies_[i].armature() : Real{0});
    lost[own] += momentum.dot(twist_at(change, arm));
  }
  for (const std::size_t i : joint_bodies_) {
    if (!in_tree(i) && bodies_[i].leader() < 0) bodies[i].drift = bodies[i].joint.rate + lost[i] / mass[i];
  }
}

/// Where a body on a joint is along it when a stage finds contact.
Real MovingBodies::contact_position(std::size_t i, const Stage& stage, const std::vector<StageBody>& bodies) const {
  const JointState& own = bodies[i].joint;
  if (!stage.middle) return own.position + stage.ahead * own.rate;
  if (bodies_[i].leader() < 0) return bodies_[i].position_in_middle({own.position, bodies[i].drift}, stage.ahead);
  const auto leader = static_cast<std::size_t>(bodies_[i].leader());
  return bodies_[i].following({contact_position(leader, stage, bodies), 0}).position;
}

std::vector<Pose> MovingBodies::contact_poses(const MotionState& state, const Stage& stage,
                                              const std::vector<StageBody>& bodies) const {
  const Real ahead = stage.ahead;
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (in_tree(i)) {
      poses.push_back(bodies[i].base);
    } else if (bodies_[i].moves_freely()) {
      poses.push_back(bodies_[i].moved_on(bodies[i].base, bodies[i].lag, ahead));
    } else if (stage.middle && bodies_[i].has_path()) {
      poses.push_back(bodies_[i].path_pose(stage.begin + ahead));
    } else {
      poses.push_back(moved(bodies[i].base, prescribed_twist(i, state, stage), ahead));
    }
  }
  for (const std::size_t i : joint_bodies_) {
    if (in_tree(i)) continue;
    const int parent = bodies_[i].parent();
    poses[i] = composed(parent < 0 ? Pose{} : poses[static_cast<std::size_t>(parent)],
                        bodies_[i].joint_pose(contact_position(i, stage, bodies)));
  }
  return poses;
}

void MovingBodies::go_on_from(const std::vector<Pose>& poses, const MotionState& state, const Stage& stage,
                              const std::vector<StageMotion>& motions, std::vector<StageBody>& bodies) const {
  std::vector<Real> positions(bodies_.size());
  for (const std::size_t i : joint_bodies_) {
    if (!in_tree(i)) positions[i] = contact_position(i, stage, bodies);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies[i].base = poses[i];
    if (!bodies_[i].is_joint() || in_tree(i)) continue;
    bodies[i].joint.position = positions[i];
    Vector6 twist = bodies[i].joint.rate / bodies_[i].ratio() * motions[i].freedom;
    if (bodies_[i].parent() >= 0) {
      const auto parent = static_cast<std::size_t>(bodies_[i].parent());
      twist += twist_at(state.before[parent], motions[i].center - poses[parent].position);
    }
    bodies[i].momentum = motions[i].inertia * twist;
  }
}

std::vector<StageMotion> MovingBodies::motions(const MotionState& state, const Stage& stage,
                                               const std::vector<Pose>& poses) const {
  std::vector<StageMotion> result(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const MovingBody& body = bodies_[i];
    StageMotion& motion = result[i];
    if (in_tree(i)) continue;
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
    if (body.is_planar()) {
      motion.freedom.setZero();
      motion.freedom(0, 0) = motion.freedom(1, 1) = motion.freedom(5, 2) = 1;
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
  Bases bases = {poses, {}};
  for (std::size_t i = 0; i < bodies_.size(); ++i) bases.twists.push_back(prescribed_twist(i, state, stage));
  for (const Tree& tree : trees_) {
    std::vector<Pose> of_members;
    for (const Tree::Member& member : tree.members()) of_members.push_back(poses[member.index]);
    const std::vector<StageMotion> motions = tree.motions(of_members, bases);
    for (std::size_t i = 0; i < motions.size(); ++i) result[tree.members()[i].index] = motions[i];
  }
  return result;
}

VectorX MovingBodies::known_velocities(const std::vector<StageBody>& bodies,
                                       const std::vector<StageMotion>& motions) const {
  VectorX velocities(num_dofs_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].is_free()) velocities.segment<6>(own_dofs_[i]) = motions[i].inertia.inverse() * bodies[i].lag;
    if (bodies_[i].is_planar()) {
      const auto& freedom = motions[i].freedom;
      const MatrixX mass = freedom.transpose() * motions[i].inertia * freedom;
      velocities.segment<3>(own_dofs_[i]) = mass.inverse() * (freedom.transpose() * bodies[i].lag);
    }
    if (bodies_[i].own_dofs() == 1) velocities[own_dofs_[i]] = bodies[i].joint.rate;
  }
  return velocities;
}

/// Where a stage ends; of a body without a joint.
Pose MovingBodies::pose_after(std::size_t i, const MotionState& state, const Stage& stage, const Pose& base,
                              const Vector6& momentum) const {
  const Real onward = stage.middle ? stage.duration - stage.ahead : stage.duration;
  if (bodies_[i].moves_freely()) return bodies_[i].moved_on(base, momentum, onward);
  if (bodies_[i].has_path()) return bodies_[i].path_pose(stage.end());
  return moved(base, prescribed_twist(i, state, stage), onward);
}

void MovingBodies::end_stage(const VectorX& velocity, const std::vector<StageMotion>& motions, const MotionState& state,
                             const Stage& stage, std::vector<StageBody>& bodies) const {
  const Real before = stage.middle ? stage.ahead : 0, onward = stage.duration - before;
  for (const Tree& tree : trees_) {
    const VectorX own = velocity.segment(first_dofs_[tree.members().front().index], tree.num_dofs());
    move_tree(tree, own, moving_bases(state, stage, stage.begin + before, bodies), onward, bodies);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (in_tree(i)) continue;
    const StageMotion& motion = motions[i];
    StageBody& body = bodies[i];
    const VectorX own = velocity.segment(first_dofs_[i], bodies_[i].num_dofs());
    body.lag = motion.inertia * (motion.known + motion.freedom * own);
    body.momentum += (1 - kGamma) / kGamma * (body.lag - body.momentum);
    if (bodies_[i].is_joint()) {
      const Real rate = bodies_[i].ratio() * own[0];
      body.joint = {body.joint.position + onward * rate, rate};
      body.rotor += (1 - kGamma) / kGamma * (rate - body.rotor);
    } else {
      body.base = pose_after(i, state, stage, body.base, body.lag);
    }
  }
}

void MovingBodies::end_substep(const std::vector<StageBody>& bodies, const Stage& stage, MotionState& state) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].has_path()) state.velocities[i] = prescribed_twist(i, state, stage);
    if (bodies_[i].is_joint()) continue;
    state.poses[i] = bodies[i].base;
    if (!bodies_[i].moves_freely()) continue;
    const Vector6 twist = bodies_[i].twist_of(state.poses[i], bodies[i].lag);
    state.velocities[i] = twist_at(twist, -bodies_[i].mass().arm(state.poses[i]));
  }
  for (std::size_t j = 0; j < joint_bodies_.size(); ++j) state.joints[j] = bodies[joint_bodies_[j]].joint;
  place_joints(state);
  state.before = state.velocities;
}

}  // namespace isopatch::reference
