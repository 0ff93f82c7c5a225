// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/friction_term.h"

#include "host/reference/rollout/moving_bodies.h"

namespace isopatch::reference {

Eigen::Matrix<Real, 4, 6> FrictionTerm::slip_matrix() const {
  const Vector3& n = contact.normal;
  Eigen::Matrix<Real, 4, 6> S = Eigen::Matrix<Real, 4, 6>::Zero();
  S.topLeftCorner<3, 3>() = Matrix3::Identity() - n * n.transpose();
  S.bottomRightCorner<1, 3>() = spin_radius() * n.transpose();
  return S;
}

void FrictionTerm::begin(const Memory& before, const Vector6& twist, const Vector3& mean_spin, Real step) {
  const Vector3& n = contact.normal;
  begun = touched(contact.law, before, contact.metric, -n.dot(twist.head<3>()));
  friction.law = contact.law;
  friction.time_step = step;
  friction.bent << carried(begun.bend, n, step * n.dot(mean_spin)), spin_radius() * begun.twist;
  hold(slip_matrix() * twist);
}

Memory FrictionTerm::after(const Vector4& slip, Real duration) const {
  Memory next;
  next.impact = begun.impact;
  next.offset = offset_after(contact.law, begun.offset, duration);
  next.age = begun.age + duration;
  if (!friction.has_bristles()) return next;
  const Vector4 bend = friction.next_bend(slip);
  next.bend = bend.head<3>();
  next.twist = spin_radius() > 0 ? bend[3] / spin_radius() : 0;
  next.dwell = friction.dwell;
  return next;
}

Memory between_stages(const FrictionTerm& term, const Memory& first, const Vector4& slip, Real duration) {
  Memory next = first;
  if (!term.friction.has_bristles()) return next;
  const Real beyond = (1 - kGamma) / kGamma;
  next.bend = term.begun.bend + beyond * (first.bend - term.begun.bend);
  next.twist = term.begun.twist + beyond * (first.twist - term.begun.twist);
  next.dwell = dwell_after(term.contact.law, term.sticking_at(slip), term.begun.dwell, duration);
  return next;
}

}  // namespace isopatch::reference
