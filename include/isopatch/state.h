// SPDX-License-Identifier: Apache-2.0
//
// What changes between environments and evaluations. All memory belongs to the caller.
#pragma once

#include <cstdint>

#include "isopatch/parameter_inputs.h"

namespace isopatch {

/// The state of N environments with B bodies, C parts and P pairs each; C is B where no body lists parts. Pointers are
/// host pointers for the cpu and reference backends, device pointers for cuda. Null optional arrays mean the scene's
/// value in every environment.
struct State : ParameterInputs<InputViews> {
  std::int64_t num_environments = 0;  ///< N; 0 is an Error if there are poses, and no work without

  InputArray poses;  ///< N x B x 7   x y z [m], quaternion w x y z (normalised on use), body to world    (required)
  InputArray velocities;     ///< N x B x 6   linear [m/s] of the body origin, angular [rad/s], world; null: at rest
  InputArray contact_state;  ///< N x Q x S   of the contact models, S = Scene::contact_state_size(); null: the scene's

  double time_step = 0;  ///< s, >= 0: of contacts with state; 0: the forces of the present state, bristles do not move
};

/// Calls visit(info, array) for every input of a State; given several objects with members of these names, calls
/// visit(info, array of the first, array of the second, ...).
template <class Visit, class... States>
constexpr void for_each_input(const Visit& visit, States&... s) {
  visit(ArrayInfo{"poses", "real", Per::kBody, 7, "m; unit quaternion w x y z"}, s.poses...);
  visit(ArrayInfo{"velocities", "real", Per::kBody, 6, "m/s; rad/s"}, s.velocities...);
  for_each_parameter_input(visit, s...);
  visit(ArrayInfo{"contact_state", "real", Per::kPartPair, 0, ""}, s.contact_state...);
}

}  // namespace isopatch
