// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::detail {

/// What a scene and a call give to every step of an environment. `contact` has the poses where the contact is found.
struct StageInput {
  const SceneView& scene;
  const RolloutView& view;
  const State& contact;
  const InputView& input;
  std::int64_t environment;
  EnvironmentState state;

  ISOPATCH_HD const double* poses() const {  // where the contact is found
    return static_cast<const double*>(contact.poses.data) + environment * contact.poses.stride;
  }
};

}  // namespace isopatch::detail
