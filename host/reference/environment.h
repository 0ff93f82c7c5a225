// SPDX-License-Identifier: Apache-2.0
//
// One environment's inputs, read from the caller's arrays and checked.
#pragma once

#include <cstdint>
#include <vector>

#include "host/reference/pressure_field/traction.h"
#include "isopatch/scene.h"
#include "isopatch/state.h"

namespace isopatch::reference {

struct BodyState {
  Transform X_WB;
  Vector3 velocity = Vector3::Zero();
  Vector3 angular_velocity = Vector3::Zero();
  double modulus = 0;
  double dissipation = 0;
  double friction = 0;
  const Geometry* geometry = nullptr;
};

struct Environment {
  std::vector<BodyState> bodies;
  std::vector<bool> enabled;  // by pair
  std::uint32_t status = 0;   // with any fault the rest must not be used
};

Environment read_environment(const SceneDescription& scene, const State& state, std::int64_t index);

/// The contact law of a pair in the frame of its body a. A material given per environment overrides the pair's own
/// value.
ContactLaw contact_law(const SceneDescription& scene, const State& state, const Environment& environment,
                       std::size_t pair);

}  // namespace isopatch::reference
