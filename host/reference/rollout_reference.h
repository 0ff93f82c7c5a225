// SPDX-License-Identifier: Apache-2.0
//
// One environment stepped in time with dense matrices in extended precision, for comparison with a Simulator. The
// points of contact are matched or centroid; only the scene's forces act.
#pragma once

#include <vector>

#include "host/reference/rollout/midpoint_contacts.h"
#include "host/reference/rollout/moving_bodies.h"
#include "host/reference/scene/environment.h"

namespace isopatch::reference {

class RolloutReference {
 public:
  /// Steps as scene.rollout says.
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

  Stage stage_of(const Substep& substep, Integrator integrator, int index) const;
  Environment environment_at(const std::vector<Pose>& poses) const;
  /// Its bodies with these velocities.
  std::vector<DampedBody> moving(const std::vector<StageMotion>& motions, const VectorX& velocities) const;
  void find_contact(const std::vector<Pose>& poses, const std::vector<DampedBody>& bodies,
                    const std::vector<Memory>& memories, bool with_motion, ConvexProblem& problem) const;
  ConvexProblem problem(const Stage& stage, const std::vector<StageBody>& bodies,
                        const std::vector<StageMotion>& motions, const std::vector<Pose>& poses,
                        const std::vector<Memory>& memories) const;
  void begin_terms(const Stage& stage, const std::vector<StageMotion>& motions, const VectorX& velocities,
                   const std::vector<Memory>& memories, ConvexProblem& problem) const;
  std::vector<std::pair<std::size_t, Bounce>> damp_all(ConvexProblem& problem, const Stage& stage,
                                                       const VectorX& known_velocities,
                                                       const std::vector<StageMotion>& motions) const;

  /// The velocities of a stage, with the terms of `convex` as they are then.
  VectorX solve(const Stage& stage, Integrator integrator, Real renewed, const VectorX& lag,
                const std::vector<StageMotion>& motions, ConvexProblem& convex) const;

  /// Whether sdirk2 may keep these velocities: no joint is stopped, and nothing bounces more than it should.
  bool holds(const ConvexProblem& convex, const VectorX& velocity) const;

  void add_wrenches(const Stage& stage, const ConvexProblem& convex, const VectorX& velocity,
                    const std::vector<Pose>& poses, std::vector<Vector6>& wrenches) const;

  /// Takes a sub-step, and adds the wrenches of the pairs. False, with nothing changed, if a pair is too stiff for
  /// sdirk2.
  bool take(const Substep& substep, Integrator integrator, MotionState& state, std::vector<Vector6>& wrenches) const;

  SceneDescription scene_;
  MovingBodies bodies_;
};

}  // namespace isopatch::reference
