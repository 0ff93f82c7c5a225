// SPDX-License-Identifier: Apache-2.0
//
// The integrals of pressure, damping and friction over one contact polygon.
#pragma once

#include "isopatch/detail/equal_pressure.h"

namespace isopatch::detail {

/// One polygon's share of the wrench on M, in M. Torque about PairFrame::reference_M.
template <class T>
struct Contribution {
  Vec3<T> force, torque;
  Vec3<T> friction_force;   // the tangential part of `force`
  Vec3<T> pressure_moment;  // integral of p (x - reference) dS, N m
  T pressure_integral;      // N, the static normal force
  T max_pressure;           // Pa, at a vertex
  T area;                   // m^2
  Vec3<T> normal;           // unit, from S into M
};

/// Components in the contact plane's axes (u, v, n) of a force, and of its moment about the polygon's middle.
template <class T>
struct PlaneWrench {
  T u = 0, v = 0, n = 0;
  T moment_u = 0, moment_v = 0, moment_n = 0;
};

/// The relative motion of M against S over the contact plane, in the plane's axes, about the polygon's middle. Affine
/// in (X, Y).
template <class T>
struct PlaneMotion {
  T u, v, spin;                  // slip velocity (u - spin Y, v + spin X), m/s and rad/s
  T factor, factor_u, factor_v;  // of damping, 1 - d v_n: its value and slopes, formed in double where it may cancel
};

/// The factor by which damping raises the pressure at one point, never negative.
template <class T>
ISOPATCH_HD T damping_factor(const PlaneMotion<T>& motion, T X, T Y) {
  return max(T(0), std::fma(motion.factor_u, X, std::fma(motion.factor_v, Y, motion.factor)));
}

/// Adds the traction at one point: pressure and damping along the normal, friction in the plane (see the README for the
/// laws). `weight` is the area the point stands for, (X, Y) its place about the middle in metres.
template <class T>
ISOPATCH_HD void add_point(T X, T Y, T weight, T pressure, const PlaneMotion<T>& motion, T friction, T slip_squared,
                           PlaneWrench<T>& sum) {
  const T v_u = std::fma(-motion.spin, Y, motion.u);
  const T v_v = std::fma(motion.spin, X, motion.v);
  const T normal_force = weight * pressure * damping_factor(motion, X, Y);
  const T slip = std::sqrt(std::fma(v_u, v_u, std::fma(v_v, v_v, slip_squared)));
  const T drag = -(friction * normal_force) / slip;

  const T t_u = drag * v_u, t_v = drag * v_v;
  sum.u += t_u;
  sum.v += t_v;
  sum.n += normal_force;
  sum.moment_u = std::fma(Y, normal_force, sum.moment_u);
  sum.moment_v = std::fma(-X, normal_force, sum.moment_v);
  sum.moment_n = std::fma(X, t_v, std::fma(-Y, t_u, sum.moment_n));
}

/// Point `i` of a triangle rule: barycentric coordinates of the second and third corner, and weight. 3 points: degree
/// 2; 6 points: degree 4 (Dunavant, "High degree efficient symmetrical Gaussian quadrature rules for the triangle",
/// IJNME 1985). Three points at a time are alike: one corner weighs `a`, the other two share the rest.
template <class T>
struct TrianglePoint {
  T b, c, weight;
};

template <class T>
ISOPATCH_HD TrianglePoint<T> triangle_point(int points, int i) {
  const bool outer = i >= 3;
  const T a = points == 3 ? T(2.0 / 3) : outer ? T(0.816847572980459) : T(0.108103018168070);
  const T weight = points == 3 ? T(1.0 / 3) : outer ? T(0.109951743655322) : T(0.223381589678011);
  const T rest = T(0.5) * (T(1) - a);
  const int corner = outer ? i - 3 : i;
  return {corner == 1 ? a : rest, corner == 2 ? a : rest, weight};
}

/// The wrench of a moving contact. The fan's apex is the centroid, so triangles appear and vanish with zero area and
/// the result is continuous (PFC fig. 5). Both fan rules integrate p and x p exactly, so the static part is exact; the
/// centroid rule scales the closed form `resting` by its one damping factor, for the same reason.
template <class T>
ISOPATCH_HD PlaneWrench<T> integrate_motion(const PairFrame& f, const Segments<T>& s, int count,
                                            const AreaMoments<T>& m, T scale, T pressure, T slope_u, T slope_v,
                                            const PlaneMotion<T>& motion, const PlaneWrench<T>& resting) {
  const T friction = static_cast<T>(f.friction);
  const T slip_squared = static_cast<T>(f.slip_tolerance * f.slip_tolerance);
  const T cx = m.x / m.one, cy = m.y / m.one;  // centroid about the middle, in units of `scale`
  PlaneWrench<T> sum;

  const auto visit_point = [&](T x, T y, T area) {
    const T X = scale * x, Y = scale * y;
    const T p = std::fma(slope_u, X, std::fma(slope_v, Y, pressure));
    add_point(X, Y, scale * scale * area, p, motion, friction, slip_squared, sum);
  };

  if (f.quadrature == 0) {
    visit_point(cx, cy, m.one);
    const T factor = damping_factor(motion, scale * cx, scale * cy);
    sum.n = factor * resting.n;
    sum.moment_u = factor * resting.moment_u;
    sum.moment_v = factor * resting.moment_v;
    return sum;
  }
  for (int point = 0; point < f.quadrature; ++point) {
    const TrianglePoint<T> q = triangle_point<T>(f.quadrature, point);
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      if (!s.has_part(i)) continue;
      const T x0 = s.x0[i] - cx, y0 = s.y0[i] - cy, x1 = s.x1[i] - cx, y1 = s.y1[i] - cy;
      const T area = T(0.5) * std::fma(x0, y1, -(x1 * y0));
      visit_point(std::fma(q.b, x0, std::fma(q.c, x1, cx)), std::fma(q.b, y0, std::fma(q.c, y1, cy)), q.weight * area);
    }
  }
  return sum;
}

/// The slope of the contact pressure along the normal, Pa/m (VL eq. 23).
template <class T>
ISOPATCH_HD double effective_gradient(const PairFrame& f, const ContactPlane<T>& plane) {
  if (f.rigid_M) return plane.gradient_S;
  if (f.rigid_S) return plane.gradient_M;
  return plane.gradient_M * plane.gradient_S / (plane.gradient_M + plane.gradient_S);
}

/// Integrates over the polygon `s` on `plane`. Returns false if it has no area or the gradient filter drops it.
template <class T>
ISOPATCH_HD bool integrate(const PairFrame& f, const ContactPlane<T>& plane, const Segments<T>& s, int count,
                           Contribution<T>& out) {
  const AreaMoments<T> m = area_moments(s, count);
  if (!has_area(m)) return false;
  constexpr double kFilterCosine = -0.38268343236508977;  // 5 pi / 8
  if (f.gradient_filter && (plane.cosine_M < kFilterCosine || plane.cosine_S < kFilterCosine)) return false;

  // static part in closed form, about the middle
  const T scale = plane.radius, square = scale * scale;
  const Vec3<T> u = cast<T>(plane.axes.u), v = cast<T>(plane.axes.v), n = cast<T>(plane.normal);
  const T slope_u = static_cast<T>(plane.pressure_u), slope_v = static_cast<T>(plane.pressure_v);
  const T middle_u = scale * s.middle_x, middle_v = scale * s.middle_y;
  const T pressure = std::fma(slope_u, middle_u, std::fma(slope_v, middle_v, static_cast<T>(plane.pressure)));
  const T rise_u = scale * slope_u, rise_v = scale * slope_v;
  const T total = square * std::fma(pressure, m.one, std::fma(rise_u, m.x, rise_v * m.y));
  const T moment_x = square * scale * std::fma(pressure, m.x, std::fma(rise_u, m.xx, rise_v * m.xy));
  const T moment_y = square * scale * std::fma(pressure, m.y, std::fma(rise_u, m.xy, rise_v * m.yy));

  PlaneWrench<T> w;
  w.n = total;
  w.moment_u = moment_y;  // (X, Y, 0) x (., ., p)
  w.moment_v = -moment_x;

  // motion
  const Vec3d arm_d = plane.origin - f.reference_M;
  const Vec3<T> arm = fused(middle_u, u, fused(middle_v, v, cast<T>(arm_d)));
  if (f.moving) {
    double dissipation = f.dissipation;
    if (f.pfc_dissipation) {  // approaching never lowers the pressure
      dissipation *= max(effective_gradient(f, plane), 0.0);
    }
    const Vec3d middle =
        fused(static_cast<double>(middle_u), plane.axes.u, static_cast<double>(middle_v) * plane.axes.v);
    const Vec3d velocity = f.velocity_M + cross(f.angular_M, arm_d + middle);
    PlaneMotion<T> motion;
    motion.u = static_cast<T>(dot(velocity, plane.axes.u));
    motion.v = static_cast<T>(dot(velocity, plane.axes.v));
    motion.spin = static_cast<T>(dot(f.angular_M, plane.normal));
    motion.factor = static_cast<T>(std::fma(-dissipation, dot(velocity, plane.normal), 1.0));
    motion.factor_u = static_cast<T>(dissipation * dot(f.angular_M, plane.axes.v));
    motion.factor_v = static_cast<T>(-dissipation * dot(f.angular_M, plane.axes.u));
    w = integrate_motion(f, s, count, m, scale, pressure, slope_u, slope_v, motion, w);
  }

  out.normal = n;
  out.friction_force = fused(w.u, u, w.v * v);
  out.force = fused(w.n, n, out.friction_force);
  out.torque = cross(arm, out.force) + fused(w.moment_u, u, fused(w.moment_v, v, w.moment_n * n));
  out.pressure_integral = total;
  out.pressure_moment = fused(total, arm, fused(moment_x, u, moment_y * v));
  out.area = square * m.one;
  out.max_pressure = 0;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T at_vertex = std::fma(rise_u, s.x0[i], std::fma(rise_v, s.y0[i], pressure));
    out.max_pressure = s.has_part(i) ? max(out.max_pressure, at_vertex) : out.max_pressure;
  }
  return true;
}

}  // namespace isopatch::detail
