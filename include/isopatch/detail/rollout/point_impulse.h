// SPDX-License-Identifier: Apache-2.0
//
// The impulse of one contact point over a time step, as a function of its velocity at the end of the step, and the
// convex potential it is the slope of (Castro, Han, Masterjohn, "Irrotational Contact Fields", 2023, with the lagged
// friction limit). u is the velocity of body A relative to B at the point, n the normal from B into A, so v_n = n . u
// is positive where they part.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// A point over a step of `step` seconds.
struct PointLaw {
  double step;         // h, s
  double force;        // f0, elastic, at the beginning of the step, N; not negative
  double stiffness;    // k, N/m
  double dissipation;  // d, s/m
};

struct NormalImpulse {
  double value;  // gamma, N s; never negative
  double fall;   // how much it falls for each m/s that the bodies part faster, N s^2/m; never negative
};

/// gamma = h max(0, f0 - h k v_n) max(0, 1 - d v_n): elastic force and damping at the end of the step.
ISOPATCH_HD NormalImpulse normal_impulse(const PointLaw& p, double v_n) {
  const double elastic = std::fma(-p.step * p.stiffness, v_n, p.force), damping = std::fma(-p.dissipation, v_n, 1.0);
  if (!(elastic > 0) || !(damping > 0)) return {0, 0};
  return {p.step * elastic * damping, p.step * std::fma(p.step * p.stiffness, damping, p.dissipation * elastic)};
}

/// The integral of gamma from 0 to v_n, J.
ISOPATCH_HD double normal_work(const PointLaw& p, double v_n) {
  const double softness = p.step * p.stiffness;
  double w = v_n;  // no further than where the impulse ends
  if (softness * w > p.force) w = p.force / softness;
  if (p.dissipation * w > 1) w = 1 / p.dissipation;
  const double elastic = w * std::fma(-0.5 * softness, w, p.force);
  const double damped = 0.5 * p.dissipation * w * w * std::fma(-2.0 / 3 * softness, w, p.force);
  return p.step * (elastic - damped);
}

/// The largest friction impulse of a point, and the slip below which friction is less.
struct FrictionLimit {
  double impulse;         // mu times the normal impulse of a velocity that is known, N s
  double slip_tolerance;  // v_s, m/s
};

/// What a point does at a velocity: the impulse on A, and the symmetric matrix -d impulse / d u, positive semidefinite.
struct PointImpulse {
  Vec3d impulse;        // N s
  double normal;        // its normal part
  double along_normal;  // the matrix is along_normal n n^T + across (1 - n n^T) - along_slip t t^T, N s^2/m
  double across, along_slip;
  Vec3d slip;  // t: the tangential velocity, m/s
};

ISOPATCH_HD PointImpulse point_impulse(const PointLaw& p, const FrictionLimit& friction, Vec3d n, Vec3d u) {
  const double v_n = dot(n, u);
  const Vec3d slip = fma(-v_n, n, u);
  const NormalImpulse normal = normal_impulse(p, v_n);
  const double inverse = 1 / std::sqrt(std::fma(friction.slip_tolerance, friction.slip_tolerance, dot(slip, slip)));
  const double across = friction.impulse * inverse;
  return {fma(normal.value, n, -across * slip), normal.value, normal.fall, across, across * inverse * inverse, slip};
}

/// The potential whose negative slope with respect to u is the impulse, J.
ISOPATCH_HD double point_potential(const PointLaw& p, const FrictionLimit& friction, Vec3d n, Vec3d u) {
  const double v_n = dot(n, u), v_s = friction.slip_tolerance;
  const Vec3d slip = fma(-v_n, n, u);
  const double slip_squared = dot(slip, slip), root = std::sqrt(std::fma(v_s, v_s, slip_squared));
  return std::fma(friction.impulse, slip_squared / (root + v_s), -normal_work(p, v_n));
}

}  // namespace isopatch::detail
