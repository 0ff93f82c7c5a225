// SPDX-License-Identifier: Apache-2.0
//
// What a time step knows of the contacts that a model finds: points that carry a force, and of a contact with state the
// plate that its points have in common.
#pragma once

#include <cstddef>

#include "host/reference/scene/vector.h"
#include "isopatch/scene/contact_force_law.h"

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

struct StatefulContact {
  std::size_t pair = 0, row = 0;
  ContactForceLaw law;
  bool is_single_contact = false;                                // the law gives the damping of its points
  bool is_ball = false;                                          // its patch does not turn with the ball
  Real metric = 0;                                               // of a single contact
  Real thickness = 0, growth = 0;                                // of an overlap of meshes: V, and its rate, over |a|
  Vector3 velocity = Vector3::Zero();                            // of its centre, relative to body b
  Vector3 position = Vector3::Zero(), normal = Vector3::Zero();  // world
  Real radius = 0;                                               // of gyration about the normal, m
};

}  // namespace isopatch::reference
