// SPDX-License-Identifier: Apache-2.0
#include "host/reference/force_law/force_law.h"

#include <algorithm>
#include <cmath>

namespace isopatch::reference {
namespace {

/// A contact whose velocities may still change, with all else held.
struct Held {
  ContactPatch patch;
  HeldFriction friction;
  Real radius = 0;  // of spin
  Real elastic = 0, damping = 0;
  Real rolling = -1;  // the bound of rolling, if that is held too

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
  Real roll_share(const Vector6& v) const;
  Vector6 forces(const Vector6& v) const;
};

/// How much of the torque against rolling the load can give.
Real Held::roll_share(const Vector6& v) const {
  const Vector3 roll = plane() * v.tail<3>(), moment = elastic * damping * (rolling_inertia() * roll);
  if (roll.isZero(0) || moment.isZero(0)) return 1;
  const Vector3 axis = roll.normalized();
  return std::min<Real>(1, normal(v) * std::sqrt(axis.dot(rolling_inertia() * axis)) / moment.norm());
}

/// On A: the force, and the torque about the patch's point.
Vector6 Held::forces(const Vector6& v) const {
  const Vector4 b = friction.friction(slip(v));
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

}  // namespace

Real elastic_force(const ContactForceLaw& law, bool has_exponent, Real metric, Real offset) {
  return law.stiffness * std::pow(std::max<Real>(0, metric - offset), Real(has_exponent ? law.exponent : 1));
}

SingleContact single_contact(const ContactForceLaw& law, const ContactPatch& patch, bool has_exponent,
                             const ContactMotion& motion, const ContactStateRow& state, double time_step) {
  SingleContact contact;
  if (!(patch.metric > 0)) return contact;
  const Vector3& n = patch.normal;
  const Vector3 spin_a = vector_of(motion.angular_velocity_a), spin_b = vector_of(motion.angular_velocity_b);
  const Vector3 arm_a = patch.point - vector_of(motion.origin_a), arm_b = patch.point - vector_of(motion.origin_b);
  Vector6 v;
  v << vector_of(motion.velocity_a) + spin_a.cross(arm_a) - vector_of(motion.velocity_b) - spin_b.cross(arm_b),
      spin_a - spin_b;

  const Memory begun = touched(law, Memory::of(state), patch.metric, -n.dot(v.head<3>()));
  Held held;
  held.patch = patch;
  held.radius = law.spin_radius * std::sqrt(patch.spread.trace());
  held.damping = damping_after(law, begun.impact);
  held.elastic = elastic_force(law, has_exponent, patch.metric, begun.offset);
  held.friction.law = law;
  held.friction.time_step = time_step;
  held.friction.bent << carried(begun.bend, n, time_step * n.dot(spin_a + spin_b) / 2), held.radius * begun.twist;
  const Vector4 slip = held.slip(v);
  held.friction.hold(slip, begun.dwell);

  Memory next;
  next.impact = begun.impact;
  next.offset = offset_after(law, begun.offset, time_step);
  next.age = begun.age + time_step;
  if (held.friction.has_bristles()) {
    const Vector4 bend = held.friction.next_bend(slip);
    next.bend = bend.head<3>();
    next.twist = held.radius > 0 ? bend[3] / held.radius : 0;
    next.dwell = held.friction.dwell;
  }
  contact.state = next.numbers();
  contact.offset = begun.offset;
  contact.elastic = held.elastic;
  contact.damping = held.damping;
  contact.normal_force = held.normal(v);

  const Vector6 forces = held.forces(v);
  contact.force = forces.head<3>();
  contact.torque = arm_a.cross(contact.force) + forces.tail<3>();
  contact.friction_force = contact.force - contact.normal_force * n;
  contact.damping_matrix = damping_by_differences(held, v);
  return contact;
}

}  // namespace isopatch::reference
