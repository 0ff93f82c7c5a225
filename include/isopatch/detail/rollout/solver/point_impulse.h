// SPDX-License-Identifier: Apache-2.0
//
// The impulse of one contact point over a time step, as a function of its velocity at the end of the step, and the
// convex potential whose slope it is (Castro, Han, Masterjohn, "Irrotational Contact Fields", 2023, with the lagged
// friction limit). u is the velocity of body A relative to B at the point, n the normal from B into A, so v_n = n . u
// is positive if they part.
#pragma once

#include "isopatch/detail/force_law/restitution.h"
#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// A point over a step of `step` seconds. T is double, or a SIMD vector of them.
template <class T = double>
struct PointLaw {
  T step;         // h, s
  T force;        // f0, elastic: at v_n = 0, N
  T stiffness;    // k, N/m
  T dissipation;  // d, s/m
};

template <class T = double>
struct NormalImpulse {
  T value;  // gamma, N s; never negative
  T fall;   // how much it decreases for each m/s that the bodies part faster, N s^2/m; never negative
};

/// gamma = h max(0, f0 - h k v_n) max(0, 1 - d v_n): elastic force and damping at the end of the step.
template <class T>
ISOPATCH_HD NormalImpulse<T> normal_impulse(const PointLaw<T>& p, T v_n) {
  const T zero = T(0.0);
  const T elastic = max(fma(-p.step * p.stiffness, v_n, p.force), zero), damping = damped_share(p.dissipation, v_n);
  const MaskOf<T> pushes = elastic > zero && damping > zero;
  const T fall = p.step * fma(p.step * p.stiffness, damping, p.dissipation * elastic);
  return {p.step * elastic * damping, select(pushes, fall, zero)};
}

/// The integral of gamma from 0 to v_n, J; if f0 is negative, up to a constant.
template <class T>
ISOPATCH_HD T normal_work(const PointLaw<T>& p, T v_n) {
  const T softness = p.step * p.stiffness;
  T w = v_n;  // no further than where the impulse ends
  w = select(softness * w > p.force, p.force / softness, w);
  w = select(p.dissipation * w > T(1.0), T(1.0) / p.dissipation, w);
  const T elastic = w * fma(T(-0.5) * softness, w, p.force);
  const T damped = T(0.5) * p.dissipation * w * w * fma(T(-2.0 / 3) * softness, w, p.force);
  return p.step * (elastic - damped);
}

/// The largest friction impulse of a point, and the slip below which friction is less.
template <class T = double>
struct FrictionLimit {
  T impulse;         // mu times the normal impulse of a velocity that is known, N s
  T slip_tolerance;  // v_s, m/s
};

/// What a point does at a velocity: the impulse on A, and the symmetric matrix -d impulse / d u, positive semidefinite.
template <class T = double>
struct PointImpulse {
  Vec3<T> impulse;  // N s
  T normal;         // its normal part
  T along_normal;   // the matrix is along_normal n n^T + across (1 - n n^T) - along_slip t t^T, N s^2/m
  T across, along_slip;
  Vec3<T> slip;  // t: the tangential velocity, m/s
};

template <class T>
ISOPATCH_HD PointImpulse<T> point_impulse(const PointLaw<T>& p, const FrictionLimit<T>& friction, Vec3<T> n,
                                          Vec3<T> u) {
  const T v_n = dot(n, u);
  const Vec3<T> slip = fma(-v_n, n, u);
  const NormalImpulse<T> normal = normal_impulse(p, v_n);
  const T inverse = inverse_sqrt(fma(friction.slip_tolerance, friction.slip_tolerance, dot(slip, slip)));
  const T across = friction.impulse * inverse;
  return {fma(normal.value, n, -across * slip), normal.value, normal.fall, across, across * inverse * inverse, slip};
}

/// The potential whose negative slope with respect to u is the impulse, J.
template <class T>
ISOPATCH_HD T point_potential(const PointLaw<T>& p, const FrictionLimit<T>& friction, Vec3<T> n, Vec3<T> u) {
  const T v_n = dot(n, u), v_s = friction.slip_tolerance;
  const Vec3<T> slip = fma(-v_n, n, u);
  const T slip_squared = dot(slip, slip), root = sqrt(fma(v_s, v_s, slip_squared));
  return fma(friction.impulse, slip_squared / (root + v_s), -normal_work(p, v_n));
}

}  // namespace isopatch::detail
