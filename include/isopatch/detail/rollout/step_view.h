// SPDX-License-Identifier: Apache-2.0
//
// What a call of steps reads and writes, and what an environment keeps in the meantime.
#pragma once

#include "isopatch/detail/rollout/joint_wrench.h"
#include "isopatch/detail/rollout/step_output.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// What a call steps, by value: views of memory that something else owns.
struct StepView {
  SceneView scene;
  RolloutView rollout;
  RolloutState state;
  InputView input;
  bool finds_joint_wrenches = false;  // RolloutOutput::joint_wrench is asked for

  ISOPATCH_HD EnvironmentState environment(std::int64_t index) const {
    return EnvironmentState::of(state, index, scene.num_bodies, rollout.num_joints);
  }
  ISOPATCH_HD ForceLayout forces() const {
    return {scene.num_pairs, rollout.num_joints, scene.num_bodies, rollout.num_loops};
  }
  ISOPATCH_HD int num_forces() const { return forces().size(); }
};

/// What an environment keeps while its contact is searched for.
struct StepProgress {
  StepPlan* plan;
  StageBody* bodies;      // with sdirk2 twice: also as they are where the sub-step begins
  double* poses;          // of bodies, where the contact of the stage is found; not numbers where there is none to find
  double* twists;         // of their origins there, as far as they are known; null: no model asks for them
  double* forces;         // of the stages of the step so far, as StepView::forces(); with sdirk2 twice: also of the
                          // sub-steps before
  double* sums;           // of the pairs' of the steps of the call so far; null where no mean is asked for
  double* contact_state;  // where the stage begins; with sdirk2 twice: also where the sub-step begins
  double* next_contact_state;  // after the stage at hand
  const PlateContact* plates;  // of the stage, by their rows of the contact state
  StepCounts* counts;
  TreeMemory trees;
};

/// Whether a model may find how its contacts move, in a scene in host memory.
inline bool asks_for_twists(const SceneView& scene) {
  for (int i = 0; i < scene.num_pair_views; ++i) {
    if (scene.pairs[i].has_plates) return true;
  }
  return false;
}

ISOPATCH_HD InputArray array_of(const double* data, std::int64_t stride) {
  InputArray array;
  array.data = data;
  array.stride = stride;
  return array;
}

/// The view of what a stage finds contact in: poses and contact states of the environments, so far apart. `twists` may
/// be null.
ISOPATCH_HD State search_state(const StepView& step, const double* poses, const double* twists, std::int64_t stride,
                               const double* contact_state, std::int64_t state_stride) {
  State contact;
  static_cast<ParameterInputs<InputViews>&>(contact) = step.input.input;
  contact.num_environments = step.state.num_environments;
  contact.poses = array_of(poses, stride);
  contact.velocities = array_of(twists, stride / kPoseSize * kVelocitySize);
  contact.contact_state = array_of(contact_state, state_stride);
  return contact;
}

}  // namespace isopatch::detail
