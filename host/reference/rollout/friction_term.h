// SPDX-License-Identifier: Apache-2.0
//
// The friction of a contact with state in a stage: a term of the convex problem, in place of the friction of the
// contact's points.
#pragma once

#include <vector>

#include "host/reference/contact/stateful_contact.h"
#include "host/reference/force_law/contact_state.h"
#include "host/reference/force_law/held_friction.h"
#include "host/reference/rollout/rigid_body.h"

namespace isopatch::reference {

struct FrictionTerm {
  StatefulContact contact;
  std::vector<std::size_t> points;  // of the contact
  Memory begun;                     // where the stage begins, of a contact that has begun
  HeldFriction friction;
  Real impulse = 0;  // n0: of the points along their normals, that friction is in proportion to, N s

  Eigen::Matrix<Real, 6, Eigen::Dynamic> jacobian;  // of the twist of a relative to b at the contact
  Vector6 known = Vector6::Zero();

  Real spin_radius() const { return contact.law.spin_radius * contact.radius; }

  /// From a relative twist at the contact to the slip of four numbers.
  Eigen::Matrix<Real, 4, 6> slip_matrix() const;

  Vector4 slip(const Eigen::Matrix<Real, Eigen::Dynamic, 1>& velocity) const {
    return slip_matrix() * (jacobian * velocity + known);
  }

  /// On body a: an impulse, and its moment about the contact.
  Vector6 on_a(const Eigen::Matrix<Real, Eigen::Dynamic, 1>& velocity) const {
    return -impulse * (slip_matrix().transpose() * friction.friction(slip(velocity)));
  }

  /// Begins with the memory before the stage, at a known relative twist and the mean angular velocity of both bodies;
  /// `step` is that of the implicit step.
  void begin(const Memory& before, const Vector6& twist, const Vector3& mean_spin, Real step);

  /// Holds what this slip gives; what sticks goes this part of the way.
  void hold(const Vector4& slip, Real share = 1) { friction.hold(slip, begun.dwell, share); }

  Real sticking_at(const Vector4& slip) const { return friction.sticking_at(slip, begun.dwell); }

  /// After a stage of `duration` seconds at this slip.
  Memory after(const Vector4& slip, Real duration) const;
};

/// What the second stage of sdirk2 begins with: `first` is after() the first one, at this slip.
Memory between_stages(const FrictionTerm& term, const Memory& first, const Vector4& slip, Real duration);

}  // namespace isopatch::reference
