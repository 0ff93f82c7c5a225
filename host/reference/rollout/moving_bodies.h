// SPDX-License-Identifier: Apache-2.0
//
// How the bodies of a scene move in a stage of a step: where contact is found, what they weigh and how they can move
// there, and where the velocities that are found lead them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "host/reference/force_law/contact_state.h"
#include "host/reference/rollout/tree.h"

namespace isopatch::reference {

/// The RolloutState of one environment.
struct MotionState {
  std::vector<Pose> poses;
  std::vector<Vector6> velocities;  // of the origins and angular, world
  std::vector<JointState> joints;   // in the order of the bodies
  std::vector<Vector6> before;      // the velocities that the last step left
  std::vector<Memory> memories;     // of the rows of part pairs, of a scene with contacts that have one
  std::int64_t steps = 0;
};

/// A part of a sub-step, and the implicit step that finds its velocities.
struct Stage {
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
struct StageBody {
  Pose base;                           // of a body without a joint
  Vector6 momentum = Vector6::Zero();  // about the center of mass; of a body with degrees of freedom
  Vector6 lag = Vector6::Zero();       // the momentum that is known, of a free body
  JointState joint;                    // with the rate that is known
  Real rotor = 0;                      // the rate with which a joint's rotor begins the stage
  Real drift = 0;                      // the rate with which a joint goes on to the middle of a step
};

/// Of sdirk2.
inline const Real kGamma = 1 - 1 / std::sqrt(Real{2});

class MovingBodies {
 public:
  explicit MovingBodies(const SceneDescription& scene);

  std::size_t size() const { return bodies_.size(); }
  const MovingBody& operator[](std::size_t i) const { return bodies_[i]; }
  const std::vector<std::size_t>& on_joints() const { return joint_bodies_; }

  bool have_trees() const { return !trees_.empty(); }

  /// Degrees of freedom of all bodies.
  Eigen::Index num_dofs() const { return num_dofs_; }

  /// The degrees of freedom that a body has columns for: its own ones, or the one of the joint that it follows, or all
  /// of its tree.
  Eigen::Index first_dof(std::size_t i) const { return first_dofs_[i]; }
  Eigen::Index num_dofs(std::size_t i) const { return in_tree(i) ? tree_of(i).num_dofs() : bodies_[i].num_dofs(); }

  /// The first degree of freedom that only its own motion has, or the one of the joint that it follows.
  Eigen::Index own_dof(std::size_t i) const { return own_dofs_[i]; }

  /// Without memories.
  MotionState initial_state() const;

  /// Sets poses and velocities of bodies on joints.
  void place_joints(MotionState& state) const;

  std::vector<StageBody> begin(const MotionState& state) const;

  /// Moves trees to where a stage finds contact.
  void move_trees(const MotionState& state, const Stage& stage, std::vector<StageBody>& bodies) const;

  /// Finds with which rates joints that are in no tree go on to the middle of a step, as their parents change their
  /// velocities.
  void find_drifts(const MotionState& state, const Stage& stage, std::vector<StageBody>& bodies) const;

  /// Where a stage finds contact.
  std::vector<Pose> contact_poses(const MotionState& state, const Stage& stage,
                                  const std::vector<StageBody>& bodies) const;

  /// Lets bodies go on from where the contact is found; those on joints that are in no tree with the momentum that they
  /// have there before the sub-step.
  void go_on_from(const std::vector<Pose>& poses, const MotionState& state, const Stage& stage,
                  const std::vector<StageMotion>& motions, std::vector<StageBody>& bodies) const;

  std::vector<StageMotion> motions(const MotionState& state, const Stage& stage, const std::vector<Pose>& poses) const;

  /// Of the origin; zero of a body that is not prescribed.
  Vector6 prescribed_twist(std::size_t body, const MotionState& state, const Stage& stage) const;

  VectorX known_velocities(const std::vector<StageBody>& bodies, const std::vector<StageMotion>& motions) const;

  /// Where a stage leads at these velocities; momenta of bodies in no tree are extrapolated from the first stage to the
  /// second.
  void end_stage(const VectorX& velocity, const std::vector<StageMotion>& motions, const MotionState& state,
                 const Stage& stage, std::vector<StageBody>& bodies) const;

  /// The state after the last stage of a sub-step.
  void end_substep(const std::vector<StageBody>& bodies, const Stage& stage, MotionState& state) const;

 private:
  bool in_tree(std::size_t body) const { return trees_of_[body] >= 0; }
  const Tree& tree_of(std::size_t body) const { return trees_[static_cast<std::size_t>(trees_of_[body])]; }
  MovingBases moving_bases(const MotionState& state, const Stage& stage, Real begin,
                           const std::vector<StageBody>& bodies) const;
  void move_tree(const Tree& tree, const VectorX& velocity, const MovingBases& bases, Real duration,
                 std::vector<StageBody>& bodies) const;
  void place_joint(std::size_t body, MotionState& state, const JointState& joint) const;
  Real contact_position(std::size_t body, const Stage& stage, const std::vector<StageBody>& bodies) const;
  Pose pose_after(std::size_t body, const MotionState& state, const Stage& stage, const Pose& base,
                  const Vector6& momentum) const;

  std::vector<MovingBody> bodies_;
  std::vector<Tree> trees_;
  std::vector<int> trees_of_;                        // of each body; -1: none
  std::vector<Eigen::Index> first_dofs_, own_dofs_;  // of each body
  std::vector<std::size_t> joint_bodies_;
  std::vector<std::size_t> placing_order_;  // of their indices: each after the body that carries it
  Eigen::Index num_dofs_ = 0;
};

}  // namespace isopatch::reference
