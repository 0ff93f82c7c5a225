// SPDX-License-Identifier: Apache-2.0
//
// What a contact keeps from step to step: the numbers of ContactStateRow in extended precision.
#pragma once

#include <array>

#include "host/reference/scene/vector.h"
#include "isopatch/scene/contact_force_law.h"

namespace isopatch::reference {

struct Memory {
  Real impact = 0, offset = 0;
  Vector3 bend = Vector3::Zero();
  Real twist = 0, dwell = 0, age = 0;

  template <class Numbers>
  static Memory of(const Numbers& x) {
    return {x[0], x[1], Vector3(x[2], x[3], x[4]), x[5], x[6], x[7]};
  }
  std::array<Real, 8> numbers() const { return {impact, offset, bend[0], bend[1], bend[2], twist, dwell, age}; }
};

/// Where a step begins of a contact with metric > 0 whose bodies approach each other at this speed.
Memory touched(const ContactForceLaw& law, const Memory& before, Real metric, Real approach);

/// A bend in the plane of n: as long as before unless the plane has left it, and turned about n.
Vector3 carried(const Vector3& bend, const Vector3& n, Real angle);

Real offset_after(const ContactForceLaw& law, Real offset, Real time);

/// a, s/m
Real damping_after(const ContactForceLaw& law, Real impact);

/// d / e of a restitution, by bisection.
Real impact_factor(Real restitution);

}  // namespace isopatch::reference
