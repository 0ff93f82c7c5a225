// SPDX-License-Identifier: Apache-2.0
//
// A point that carries a contact force of a time step: all that the step knows of the contact model.
#pragma once

#include <cstddef>

#include "host/reference/scene/vector.h"

namespace isopatch::reference {

/// The row of points that are of no contact with state.
inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

struct ContactPoint {
  std::size_t pair = 0;
  std::size_t row = kNoRow;            // of the part pair, if its contact has a memory
  Vector3 position = Vector3::Zero();  // world, m
  Vector3 normal = Vector3::Zero();    // unit, from body b into body a, world
  Real force = 0;                      // of the elastic pressure, N
  Real stiffness = 0;                  // N/m
  Real dissipation = 0;                // d, s/m
  Real friction = 0;                   // mu
  Vector3 slope = Vector3::Zero();     // of the elastic force along the contact surface, N/m
  Real share_b = 0;                    // of body b in the velocity with which the pressure field moves
};

}  // namespace isopatch::reference
