// SPDX-License-Identifier: Apache-2.0
//
// The points that carry the contact forces of a time step.
#pragma once

#include <vector>

#include "host/reference/environment.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch::reference {

struct ContactPoint {
  std::size_t pair = 0;
  Vector3 position = Vector3::Zero();  // world, m
  Vector3 normal = Vector3::Zero();    // unit, from body b into body a, world
  Real force = 0;                      // of the elastic pressure, N
  Real stiffness = 0;                  // N/m
  Real dissipation = 0;                // d, s/m
  Real friction = 0;                   // mu
};

/// The points of all pairs at the poses of `environment`, whose status must be clean. Throws Error for kFan6.
std::vector<ContactPoint> contact_points(const SceneDescription& scene, const State& state,
                                         const Environment& environment, ContactPoints rule);

}  // namespace isopatch::reference
