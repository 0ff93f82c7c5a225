// SPDX-License-Identifier: Apache-2.0
//
// The states that a rollout starts from.
#pragma once

#include <map>
#include <string>

#include "host/cli/commands.h"
#include "host/numpy/npz.h"
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

/// The states in the arrays of a file: those of `isopatch evaluate --states`, `joints` and `steps`; or the results of a
/// rollout, of which the last row is taken, or of an evaluation. Throws Error, naming `source` and the array, for
/// others.
RolloutStart start_from_arrays(const std::map<std::string, detail::LazyArray>& arrays, const Scene& scene,
                               const std::string& source);

}  // namespace isopatch::cli
