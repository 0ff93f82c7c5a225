// SPDX-License-Identifier: Apache-2.0
//
// Checks of the calls of a simulator, before anything is read or written through their pointers.
#pragma once

#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"

namespace isopatch::detail {

/// Throws Error, naming the array, for a negative number of environments, a required array that is null, an address
/// that is not a multiple of the element's size, and arrays that share bytes.
void check_state_arguments(const char* call, const ArrayCounts& counts, const RolloutState& state);

/// The same for a step; fills in strides that are kContiguous, and checks them as for an evaluation.
void check_step_arguments(const ArrayCounts& counts, const RolloutState& state, RolloutInput& input,
                          RolloutOutput& output, int num_steps);

void check_reset_arguments(const ArrayCounts& counts, const RolloutState& state, const std::uint8_t* mask,
                           const RolloutState& initial);

}  // namespace isopatch::detail
