// SPDX-License-Identifier: Apache-2.0
//
// The states that a rollout starts from.
#pragma once

#include "host/cli/commands.h"
#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"

namespace isopatch::cli {

/// The state that each environment of a rollout starts from, and what differs between them all the time.
struct RolloutStart {
  RolloutStateArrays state;
  StateArrays given;  // of the states file: modulus, dissipation, friction, geometry_index and pair_mask

  std::int64_t num_environments() const { return state.num_environments; }

  /// The largest number of steps that an environment has taken.
  std::int64_t steps() const;
};

/// The scene and variations of its free bodies, or the states of a file.
RolloutStart rollout_start(const RolloutArguments& arguments, const Scene& scene);

}  // namespace isopatch::cli
