// SPDX-License-Identifier: Apache-2.0
#include "host/reference/force_law/contact_state.h"

#include <algorithm>
#include <cmath>

namespace isopatch::reference {
namespace {

/// The direction of slip, less than a unit below `slow`.
Vector4 direction(const Vector4& slip, Real slow) {
  const Real speed = slip.norm();
  if (speed >= slow) return slip / speed;
  return slip / slow * (1.5L - speed * speed / (2 * slow * slow));
}

Matrix4 direction_slope(const Vector4& slip, Real slow) {
  const Real speed = slip.norm();
  const Matrix4 square = slip * slip.transpose();
  if (speed >= slow) return (Matrix4::Identity() - square / (speed * speed)) / speed;
  return (1.5L - speed * speed / (2 * slow * slow)) / slow * Matrix4::Identity() - square / (slow * slow * slow);
}

/// 0 up to .7, 1 from 1 on, with the slope 0 at both.
Real rises(Real load) {
  const Real x = std::clamp<Real>((load - 0.7L) / 0.3L, 0, 1);
  return x * x * (3 - 2 * x);
}

Real slow_speed(const ContactForceLaw& law) { return Real(law.bristle.stribeck_velocity) / 100; }

}  // namespace

Memory touched(const ContactForceLaw& law, const Memory& before, Real metric, Real approach) {
  Memory memory = before;
  if (before.impact == 0) {
    memory = {};
    memory.impact = std::max<Real>(approach, law.small_speed);
    if (law.relaxation_time > 0) memory.offset = metric;
  } else if (law.latch == ImpactLatch::kLargest) {
    memory.impact = std::max(before.impact, approach);
  }
  return memory;
}

Vector3 carried(const Vector3& bend, const Vector3& n, Real angle) {
  const Vector3 left = bend - n.dot(bend) * n;
  const Real scale = left.norm() > bend.norm() / 2 ? bend.norm() / left.norm() : 1;
  return Eigen::AngleAxis<Real>(2 * std::atan(angle / 2), n) * Vector3(scale * left);
}

Real offset_after(const ContactForceLaw& law, Real offset, Real time) {
  return law.relaxation_time > 0 ? offset * std::exp(-time / law.relaxation_time) : 0;
}

Real damping_after(const ContactForceLaw& law, Real impact) {
  return law.restitution ? impact_factor(*law.restitution) / impact : Real(law.dissipation);
}

Real impact_factor(Real restitution) {
  if (restitution == 1) return 0;
  const Real e = restitution;
  Real low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const Real d = (low + high) / 2;
    (std::log1p(d / e) - d * (1 + 1 / e) - std::log1p(-d) < 0 ? low : high) = d;
  }
  return (low + high) / 2 / e;
}

Real dwell_after(const ContactForceLaw& law, Real sticking, Real before, Real time) {
  const BristleFriction& b = law.bristle;
  const Real scale = sticking >= before ? Real(b.dwell_time) : Real(b.damping) / b.stiffness;
  return scale == 0 ? sticking : sticking + (before - sticking) * std::exp(-time / scale);
}

/// The part that would slide does so only near the limit, and in the direction of the bend that all of the slip leaves.
Real HeldFriction::sticking_at(const Vector4& slip, Real dwell_before) const {
  const BristleFriction& b = law.bristle;
  const Real speed = slip.norm() / b.stribeck_velocity;
  Real slides = -std::expm1(-speed * speed);
  if (law.bristle_flow == BristleFlow::kAlways) return 1 - slides;
  const Vector4 after = bent + time_step * slip;
  if (after.isZero(0) || slip.isZero(0)) return 1;
  const Real holds = law.friction * ((1 - dwell_before) + b.static_ratio * dwell_before);
  const Real cosine = after.normalized().dot(slip.normalized());
  slides *= std::clamp<Real>(cosine, 0, 1) * rises(after.norm() * b.stiffness / holds);
  return 1 - slides;
}

void HeldFriction::hold(const Vector4& slip, Real dwell_before, Real share) {
  if (!has_bristles()) return;
  sticking += share * (sticking_at(slip, dwell_before) - sticking);
  dwell = dwell_after(law, sticking, dwell_before, time_step);
  limit = law.friction * (1 + (law.bristle.static_ratio - 1) * dwell);
}

/// What the bristles give besides sliding. Their equation is s (sigma_0 w + sigma_1 u) + (1 - s) mu dir = sigma_0 w +
/// sigma_1 w' at the step's end; this is the part without dir.
Vector4 HeldFriction::carried(const Vector4& slip) const {
  const BristleFriction& b = law.bristle;
  const Real slides = 1 - sticking;
  const Vector4 rate =
      (sticking * b.damping * slip - slides * b.stiffness * bent) / (b.damping + slides * b.stiffness * time_step);
  return b.stiffness * (bent + time_step * rate) + b.damping * rate;
}

/// The force of a direction of 1 that bristles slide along.
Real HeldFriction::slide() const {
  const BristleFriction& b = law.bristle;
  return law.friction * (1 - sticking) * (b.damping + b.stiffness * time_step) /
         (b.damping + (1 - sticking) * b.stiffness * time_step);
}

/// What the bristles' equation gives, with the part that does not come from sliding cut to what is left of the limit.
Vector4 HeldFriction::bristles(const Vector4& slip) const {
  const Vector4 held = carried(slip), slides = slide() * direction(slip, slow_speed(law));
  const Real size = held.norm(), most = std::max<Real>(0, limit - slide());
  return size > most ? Vector4(held * (most / size) + slides) : Vector4(held + slides);
}

Vector4 HeldFriction::friction(const Vector4& slip) const {
  if (has_bristles()) return bristles(slip) + law.bristle.viscous * slip;
  return slip * (law.friction / std::hypot(slip.norm(), Real(law.slip_tolerance)));
}

Matrix4 HeldFriction::slope(const Vector4& slip) const {
  const Matrix4 identity = Matrix4::Identity();
  if (!has_bristles()) {
    const Real root = std::hypot(slip.norm(), Real(law.slip_tolerance));
    return law.friction / root * (identity - slip * slip.transpose() / (root * root));
  }
  const BristleFriction& b = law.bristle;
  const Real of_slip = sticking * b.damping * (b.damping + b.stiffness * time_step) /
                       (b.damping + (1 - sticking) * b.stiffness * time_step);
  const Vector4 held = carried(slip);
  const Real size = held.norm(), most = std::max<Real>(0, limit - slide());
  Matrix4 of_bristles = of_slip * identity;
  if (size > most) of_bristles = of_slip * most / size * (identity - held * held.transpose() / (size * size));
  return of_bristles + slide() * direction_slope(slip, slow_speed(law)) + b.viscous * identity;
}

Vector4 HeldFriction::next_bend(const Vector4& slip) const {
  const BristleFriction& b = law.bristle;
  return bent + time_step * (bristles(slip) - b.stiffness * bent) / (b.damping + b.stiffness * time_step);
}

}  // namespace isopatch::reference
