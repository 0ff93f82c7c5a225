// SPDX-License-Identifier: Apache-2.0
//
// A contact with state in a time step: the plate that its points have in common.
#pragma once

#include <cstddef>

#include "host/reference/scene/vector.h"
#include "isopatch/scene/contact_force_law.h"

namespace isopatch::reference {

struct StatefulContact {
  std::size_t pair = 0, row = 0;
  ContactForceLaw law;
  bool is_single_contact = false;                                // the law gives the damping of its points
  bool is_ball = false;                                          // its patch does not turn with the ball
  Real metric = 0;                                               // of a single contact
  Vector3 position = Vector3::Zero(), normal = Vector3::Zero();  // world
  Real radius = 0;                                               // of gyration about the normal, m
};

}  // namespace isopatch::reference
