// SPDX-License-Identifier: Apache-2.0
#include "host/reference/lumped/lumped_law.h"

#include <algorithm>
#include <cmath>

namespace isopatch::reference {
namespace {

using Vector4 = Eigen::Matrix<Real, 4, 1>;  // in the world, and spin times the radius

/// The direction of slip, less than a unit below `slow`.
Vector4 direction(const Vector4& slip, Real slow) {
  const Real speed = slip.norm();
  if (speed >= slow) return slip / speed;
  return slip / slow * (1.5L - speed * speed / (2 * slow * slow));
}

/// A contact whose velocities may still change, with all else held.
struct Held {
  LumpedLaw law;
  LumpedPatch patch;
  Real radius = 0;  // of spin
  Real elastic = 0, damping = 0;
  Real rolling = -1;  // the bound of rolling, if that is held too
  Real time_step = 0;
  Vector4 bent = Vector4::Zero();
  Real sticking = 0, limit = 0;

  Matrix3 plane() const { return Matrix3::Identity() - patch.normal * patch.normal.transpose(); }
  Matrix3 rolling_inertia() const { return patch.spread.trace() * plane() - patch.spread; }
  Vector4 slip(const Vector6& v) const {
    Vector4 slip;
    slip << plane() * v.head<3>(), radius * patch.normal.dot(v.tail<3>());
    return slip;
  }
  Real normal(const Vector6& v) const {
    return elastic * std::max<Real>(0, 1 - damping * patch.normal.dot(v.head<3>()));
  }
  Vector4 bend_rate(const Vector4& slip, const Vector4& along) const;
  Vector4 bristles(const Vector4& slip) const;
  Vector4 friction(const Vector4& slip) const;
  Real roll_share(const Vector6& v) const;
  Vector6 forces(const Vector6& v) const;
};

/// The rate w' of the equation s (sigma_0 w + sigma_1 u) + (1 - s) mu dir = sigma_0 w + sigma_1 w' at the step's end.
Vector4 Held::bend_rate(const Vector4& slip, const Vector4& along) const {
  const BristleFriction& b = law.bristle;
  const Real slide = 1 - sticking;
  return (sticking * b.damping * slip + slide * (law.friction * along - b.stiffness * bent)) /
         (b.damping + slide * b.stiffness * time_step);
}

/// What the bristles' equation gives, with the part that does not come from sliding cut to what is left of the limit.
Vector4 Held::bristles(const Vector4& slip) const {
  const BristleFriction& b = law.bristle;
  const Vector4 along = direction(slip, Real(b.stribeck_velocity) / 100);
  const auto force = [&](const Vector4& by) -> Vector4 {
    const Vector4 rate = bend_rate(slip, by);
    return b.stiffness * (bent + time_step * rate) + b.damping * rate;
  };
  const Vector4 all = force(along), carried = force(Vector4::Zero());
  const Vector4 sliding = all - carried;
  const Real slide = law.friction * (1 - sticking) * (b.damping + b.stiffness * time_step) /
                     (b.damping + (1 - sticking) * b.stiffness * time_step);
  const Real most = std::max<Real>(0, limit - slide);
  return carried.norm() > most ? Vector4(carried * (most / carried.norm()) + sliding) : all;
}

Vector4 Held::friction(const Vector4& slip) const {
  if (law.friction_model == FrictionModel::kBristle) return bristles(slip) + law.bristle.viscous * slip;
  return slip * (law.friction / std::hypot(slip.norm(), Real(law.slip_tolerance)));
}

/// How much of the torque against rolling the load can give.
Real Held::roll_share(const Vector6& v) const {
  const Vector3 roll = plane() * v.tail<3>(), moment = elastic * damping * (rolling_inertia() * roll);
  if (roll.isZero(0) || moment.isZero(0)) return 1;
  const Vector3 axis = roll.normalized();
  return std::min<Real>(1, normal(v) * std::sqrt(axis.dot(rolling_inertia() * axis)) / moment.norm());
}

/// On A: the force, and the torque about the patch's point.
Vector6 Held::forces(const Vector6& v) const {
  const Vector4 b = friction(slip(v));
  const Real share = rolling >= 0 ? rolling : roll_share(v);
  const Vector3 roll = share * elastic * damping * (rolling_inertia() * v.tail<3>());
  Vector6 forces;
  forces << normal(v) * (patch.normal - b.head<3>()), -roll - normal(v) * radius * b[3] * patch.normal;
  return forces;
}

Matrix6 damping_by_differences(Held held, const Vector6& v) {
  held.rolling = held.roll_share(v);
  Matrix6 damping;
  for (Eigen::Index i = 0; i < 6; ++i) {  // of fourth order; friction turns over 1e-6 m/s or more
    const Real size = i >= 3 && held.radius > 0 ? 1e-9L / held.radius : 1e-9L;
    const Vector6 step = size * Vector6::Unit(i);
    const Vector6 near = held.forces(v + step) - held.forces(v - step);
    const Vector6 far = held.forces(v + 2 * step) - held.forces(v - 2 * step);
    damping.col(i) = (far - 8 * near) / (12 * size);
  }
  return damping;
}

/// A bend in the plane of n: as long as before unless the plane has left it, and turned about n.
Vector3 carried(const Vector3& bend, const Vector3& n, Real angle) {
  const Vector3 left = bend - n.dot(bend) * n;
  const Real scale = left.norm() > bend.norm() / 2 ? bend.norm() / left.norm() : 1;
  return Eigen::AngleAxis<Real>(2 * std::atan(angle / 2), n) * Vector3(scale * left);
}

}  // namespace

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

LumpedContact lumped_contact(const LumpedLaw& law, const LumpedPatch& patch, bool has_exponent,
                             const LumpedMotion& motion, const LumpedState& state, double time_step) {
  LumpedContact contact;
  if (!(patch.metric > 0)) return contact;
  const Vector3& n = patch.normal;
  const Vector3 spin_a = vector_of(motion.angular_velocity_a), spin_b = vector_of(motion.angular_velocity_b);
  const Vector3 arm_a = patch.point - vector_of(motion.origin_a), arm_b = patch.point - vector_of(motion.origin_b);
  Vector6 v;
  v << vector_of(motion.velocity_a) + spin_a.cross(arm_a) - vector_of(motion.velocity_b) - spin_b.cross(arm_b),
      spin_a - spin_b;

  std::copy(state.begin(), state.end(), contact.state.begin());
  auto& [impact, offset, x, y, z, twist, dwell, age] = contact.state;
  const Real approach = -n.dot(v.head<3>());
  if (impact == 0) {
    contact.state = {};
    impact = std::max<Real>(approach, law.small_speed);
    if (law.relaxation_time > 0) offset = patch.metric;
  } else if (law.latch == ImpactLatch::kLargest) {
    impact = std::max(impact, approach);
  }
  age += time_step;

  Held held;
  held.law = law;
  held.patch = patch;
  held.radius = law.spin_radius * std::sqrt(patch.spread.trace());
  held.damping = law.restitution ? impact_factor(*law.restitution) / impact : Real(law.dissipation);
  held.elastic =
      law.stiffness * std::pow(std::max<Real>(0, patch.metric - offset), Real(has_exponent ? law.exponent : 1));
  held.time_step = time_step;
  offset = law.relaxation_time > 0 ? offset * std::exp(-Real(time_step) / law.relaxation_time) : 0;

  const Vector3 bend = carried({x, y, z}, n, time_step * n.dot(spin_a + spin_b) / 2);
  held.bent << bend, held.radius * twist;
  const Vector4 slip = held.slip(v);
  if (law.friction_model == FrictionModel::kBristle) {
    const BristleFriction& b = law.bristle;
    held.sticking = std::exp(-slip.squaredNorm() / (Real(b.stribeck_velocity) * b.stribeck_velocity));
    const Real time = held.sticking >= dwell ? Real(b.dwell_time) : Real(b.damping) / b.stiffness;
    dwell = time == 0 ? held.sticking : held.sticking + (dwell - held.sticking) * std::exp(-time_step / time);
    held.limit = law.friction * (1 + (b.static_ratio - 1) * dwell);
    const Vector4 rate = (held.bristles(slip) - b.stiffness * held.bent) / (b.damping + b.stiffness * time_step);
    const Vector4 next = held.bent + time_step * rate;
    x = next[0];
    y = next[1];
    z = next[2];
    twist = held.radius > 0 ? next[3] / held.radius : 0;
  } else {
    x = y = z = twist = dwell = 0;
  }

  const Vector6 forces = held.forces(v);
  contact.force = forces.head<3>();
  contact.torque = arm_a.cross(contact.force) + forces.tail<3>();
  contact.friction_force = contact.force - held.normal(v) * n;
  contact.damping_matrix = damping_by_differences(held, v);
  return contact;
}

}  // namespace isopatch::reference
