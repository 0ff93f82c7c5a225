// SPDX-License-Identifier: Apache-2.0
//
// What a contact keeps from step to step: the numbers of ContactStateRow in extended precision; and its friction, for
// each newton of normal force, with all held but the slip.
#pragma once

#include <Eigen/Core>

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

using Vector4 = Eigen::Matrix<Real, 4, 1>;  // in the world, and spin times the radius
using Matrix4 = Eigen::Matrix<Real, 4, 4>;

struct HeldFriction {
  ContactForceLaw law;
  Real time_step = 0;
  Vector4 bent = Vector4::Zero();  // where the step begins, carried
  Real sticking = 0, dwell = 0, limit = 0;

  bool has_bristles() const { return law.friction_model == FrictionModel::kBristle; }

  /// Sets what sticks at this slip, the dwell after a step that begins with `dwell_before`, and the limit. With a share
  /// below 1, what sticks goes that part of the way.
  void hold(const Vector4& slip, Real dwell_before, Real share = 1);

  /// What sticks at this slip in a step that begins with `dwell_before`.
  Real sticking_at(const Vector4& slip, Real dwell_before) const;

  /// What bristles give, without viscous friction.
  Vector4 bristles(const Vector4& slip) const;
  Vector4 friction(const Vector4& slip) const;
  Matrix4 slope(const Vector4& slip) const;      // of friction() by the slip
  Vector4 next_bend(const Vector4& slip) const;  // at the step's end

 private:
  Vector4 carried(const Vector4& slip) const;
  Real slide() const;
};

/// The dwell after `time` seconds of this share that sticks.
Real dwell_after(const ContactForceLaw& law, Real sticking, Real before, Real time);

}  // namespace isopatch::reference
