// SPDX-License-Identifier: Apache-2.0
//
// How two parts resist, by their materials and motion.
#pragma once

#include <cstddef>

#include "host/reference/scene/environment.h"

namespace isopatch::reference {

/// The material of a pair and its motion at an environment's state.
struct ContactLaw {
  DissipationModel model = DissipationModel::kHuntCrossley;
  Quadrature quadrature = Quadrature::kExact;
  Real slip_tolerance = 0;
  Real modulus = 0;      // effective, Pa
  Real dissipation = 0;  // s/m or s
  Real friction = 0;

  /// velocity of a relative to b at x is velocity + angular_velocity x (x - origin)
  Vector3 velocity = Vector3::Zero();  // at the frame's origin
  Vector3 angular_velocity = Vector3::Zero();
};

/// The contact law of two parts of a pair's bodies, in the frame of its body a. A material given per environment
/// overrides the pair's own value.
ContactLaw contact_law(const SceneDescription& scene, const State& state, const Environment& environment,
                       std::size_t pair, const PartIndices& parts);

/// The same for a contact with state. Its stiffness is the pair's, or 0 where that follows from the parts. Without a
/// slip tolerance of the scene it is `usual_slip_tolerance`.
ContactForceLaw memory_law(const SceneDescription& scene, const State& state, const Environment& environment,
                           std::size_t pair, const PartIndices& parts, double usual_slip_tolerance);

}  // namespace isopatch::reference
