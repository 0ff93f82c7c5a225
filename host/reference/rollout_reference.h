// SPDX-License-Identifier: Apache-2.0
//
// One environment stepped in time with dense matrices in extended precision, for comparison with a Simulator. The
// integrators are all but cvode, the points of contact matched and centroid; only the scene's forces act.
#pragma once

#include <cstdint>
#include <vector>

#include "host/reference/rollout/convex_problem.h"
#include "host/reference/scene/environment.h"

namespace isopatch::reference {

/// The RolloutState of one environment.
struct MotionState {
  std::vector<Pose> poses;
  std::vector<Vector6> velocities;  // of the origins and angular, world
  std::vector<JointState> joints;   // in the order of the bodies
  std::vector<Memory> memories;     // of the rows of part pairs, of a scene with contacts that have one
  std::int64_t steps = 0;
};

class RolloutReference {
 public:
  /// Steps as scene.rollout says. Throws Error for the integrator cvode.
  explicit RolloutReference(const SceneDescription& scene);

  MotionState initial_state() const;

  /// Takes a step. Returns for each pair the impulse on body a over the time step, with the torque about its origin.
  std::vector<Vector6> step(MotionState& state) const;

 private:
  /// A sub-step, which all of a step may be.
  struct Substep {
    Real begin, duration;  // s
    Real share;            // of the step
  };
  struct Stage;
  struct StageBody;
  struct StageMotion;

  Stage stage_of(const Substep& substep, Integrator integrator, int index) const;
  Vector6 prescribed_twist(std::size_t body, const MotionState& state, const Stage& stage) const;
  void place_joint(std::size_t body, MotionState& state, const JointState& joint) const;
  void place_joints(MotionState& state) const;
  std::vector<StageBody> begin(const MotionState& state) const;
  Real contact_position(std::size_t body, const Stage& stage, const std::vector<StageBody>& bodies) const;
  std::vector<Pose> contact_poses(const MotionState& state, const Stage& stage,
                                  const std::vector<StageBody>& bodies) const;
  void go_on_from(const std::vector<Pose>& poses, const MotionState& state, const Stage& stage,
                  const std::vector<StageMotion>& motions, std::vector<StageBody>& bodies) const;
  std::vector<StageMotion> motions(const MotionState& state, const Stage& stage, const std::vector<Pose>& poses) const;
  Environment environment_at(const std::vector<Pose>& poses) const;
  void find_contact(const std::vector<Pose>& poses, const std::vector<Memory>& memories, ConvexProblem& problem) const;
  ConvexProblem problem(const Stage& stage, const std::vector<StageBody>& bodies,
                        const std::vector<StageMotion>& motions, const std::vector<Pose>& poses,
                        const std::vector<Memory>& memories) const;
  void begin_terms(const Stage& stage, const std::vector<StageMotion>& motions, const VectorX& velocities,
                   const std::vector<Memory>& memories, ConvexProblem& problem) const;
  VectorX known_velocities(const std::vector<StageBody>& bodies, const std::vector<StageMotion>& motions) const;
  Pose pose_after(std::size_t body, const MotionState& state, const Stage& stage, const Pose& base,
                  const Vector6& momentum) const;
  void damp_all(ConvexProblem& problem, const VectorX& known_velocities, const std::vector<StageMotion>& motions) const;

  /// Takes a sub-step, and adds the wrenches of the pairs. False, with nothing changed, if a pair is too stiff for
  /// sdirk2.
  bool take(const Substep& substep, Integrator integrator, MotionState& state, std::vector<Vector6>& wrenches) const;

  SceneDescription scene_;
  std::vector<MovingBody> bodies_;
  std::vector<Eigen::Index> first_dofs_;  // of each body
  std::vector<std::size_t> joint_bodies_;
  Eigen::Index num_dofs_ = 0;
};

}  // namespace isopatch::reference
