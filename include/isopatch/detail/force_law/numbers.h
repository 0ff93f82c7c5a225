// SPDX-License-Identifier: Apache-2.0
//
// The law of a single contact as numbers for the arithmetic: the ContactForceLaw of isopatch/scene/contact_force_law.h
// with the material of one environment; and the law of the single contacts of a pair, as a scene gives it.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

struct BristleNumbers {
  double stiffness;          // sigma_0, 1/m
  double damping;            // sigma_1, s/m
  double viscous;            // sigma_2, s/m
  double stribeck_velocity;  // v_S, m/s
  double dwell_time;         // s
  double static_ratio;       // >= 1
};

struct LawNumbers {
  double stiffness;        // N/m^3, or N/m^exponent of a point contact
  double exponent;         // 1 of an overlap
  double dissipation;      // s/m; of use without restitution
  double restitution;      // e, if there is an impact factor
  double impact_factor;    // of e: damping is this over the impact speed (restitution.h); negative: none
  double small_speed;      // m/s
  double relaxation_time;  // s
  double friction;         // of sliding
  double slip_tolerance;   // m/s, without bristles
  double spin_radius;      // factor on the patch's radius in friction
  BristleNumbers bristle;
  bool has_bristles, flows_always;
  bool latches_largest;
};

struct PairForceLaw {
  LawNumbers numbers;  // friction and dissipation come from the materials
  bool has_stiffness;  // else it follows from the materials
  bool inside;         // what a ball touches is the hole that has the shape
  bool exact_spheres;  // a sphere on a half space is a ball, whatever its mesh
};

}  // namespace isopatch::detail
