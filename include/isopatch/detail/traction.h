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
  T u = T(0), v = T(0), n = T(0);
  T moment_u = T(0), moment_v = T(0), moment_n = T(0);
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
  return max(T(0), fused(motion.factor_u, X, fused(motion.factor_v, Y, motion.factor)));
}

/// Adds the traction at one point: pressure and damping along the normal, friction in the plane (see the README for the
/// laws). `weight` is the area the point stands for, (X, Y) its place about the middle in metres.
template <class T>
ISOPATCH_HD void add_point(T X, T Y, T weight, T pressure, const PlaneMotion<T>& motion, T friction, T slip_squared,
                           PlaneWrench<T>& sum) {
  const T v_u = fused(-motion.spin, Y, motion.u);
  const T v_v = fused(motion.spin, X, motion.v);
  const T normal_force = weight * pressure * damping_factor(motion, X, Y);
  const T inverse_slip = inverse_sqrt(fused(v_u, v_u, fused(v_v, v_v, slip_squared)));
  const T drag = -(friction * normal_force) * inverse_slip;

  const T t_u = drag * v_u, t_v = drag * v_v;
  sum.u = sum.u + t_u;
  sum.v = sum.v + t_v;
  sum.n = sum.n + normal_force;
  sum.moment_u = fused(Y, normal_force, sum.moment_u);
  sum.moment_v = fused(-X, normal_force, sum.moment_v);
  sum.moment_n = fused(X, t_v, fused(-Y, t_u, sum.moment_n));
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
  const T friction = cast<T>(f.friction);
  const T slip_squared = cast<T>(f.slip_tolerance * f.slip_tolerance);
  const T cx = m.x / m.one, cy = m.y / m.one;  // centroid about the middle, in units of `scale`
  PlaneWrench<T> sum;

  const auto visit_point = [&](T x, T y, T area) {
    const T X = scale * x, Y = scale * y;
    const T p = fused(slope_u, X, fused(slope_v, Y, pressure));
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
      const MaskOf<T> part = s.has_part(i);
      if (!any(part)) continue;
      const T x0 = s.x0[i] - cx, y0 = s.y0[i] - cy, x1 = s.x1[i] - cx, y1 = s.y1[i] - cy;
      const T area = select(part, T(0.5) * fused(x0, y1, -(x1 * y0)), T(0));
      visit_point(fused(q.b, x0, fused(q.c, x1, cx)), fused(q.b, y0, fused(q.c, y1, cy)), q.weight * area);
    }
  }
  return sum;
}

/// The slope of the contact pressure along the normal, Pa/m (VL eq. 23).
template <class T>
ISOPATCH_HD DoubleOf<T> effective_gradient(const PairFrame& f, const ContactPlane<T>& plane) {
  if (f.rigid_M) return plane.gradient_S;
  if (f.rigid_S) return plane.gradient_M;
  return plane.gradient_M * plane.gradient_S / (plane.gradient_M + plane.gradient_S);
}

/// The motion at a point of the plane, the polygon's middle: `arm` from PairFrame::reference_M, in M.
template <class T, class D = DoubleOf<T>>
ISOPATCH_HD PlaneMotion<T> motion_at(const PairFrame& f, const ContactPlane<T>& plane, Vec3<D> arm) {
  const Basis<D>& axes = plane.axes;
  const Vec3<D> angular = cast<D>(f.angular_M);
  const Vec3<D> velocity = cast<D>(f.velocity_M) + cross(angular, arm);
  D dissipation = D(f.dissipation);
  if (f.pfc_dissipation) {  // approaching never lowers the pressure
    dissipation = dissipation * max(effective_gradient(f, plane), D(0));
  }
  PlaneMotion<T> motion;
  motion.u = cast<T>(dot(velocity, axes.u));
  motion.v = cast<T>(dot(velocity, axes.v));
  motion.spin = cast<T>(dot(angular, plane.normal));
  motion.factor = cast<T>(fused(-dissipation, dot(velocity, plane.normal), D(1)));
  motion.factor_u = cast<T>(dissipation * dot(angular, axes.v));
  motion.factor_v = cast<T>(-dissipation * dot(angular, axes.u));
  return motion;
}

/// Integrates over the polygon `s` on `plane`. False where it has no area or the gradient filter drops it.
template <class T>
ISOPATCH_HD MaskOf<T> integrate(const PairFrame& f, const ContactPlane<T>& plane, const Segments<T>& s, int count,
                                Contribution<T>& out) {
  using D = DoubleOf<T>;
  const AreaMoments<T> m = area_moments(s, count);
  MaskOf<T> found = has_area(m);
  if (f.gradient_filter) {
    const D least = D(-0.38268343236508977);  // cosine of 5 pi / 8
    found = found && !(plane.cosine_M < least || plane.cosine_S < least);
  }
  if (!any(found)) return found;

  // static part in closed form, about the middle
  const T scale = plane.radius, square = scale * scale;
  const Vec3<T> u = cast<T>(plane.axes.u), v = cast<T>(plane.axes.v), n = cast<T>(plane.normal);
  const T slope_u = cast<T>(plane.pressure_u), slope_v = cast<T>(plane.pressure_v);
  const T middle_u = scale * s.middle_x, middle_v = scale * s.middle_y;
  const T pressure = fused(slope_u, middle_u, fused(slope_v, middle_v, cast<T>(plane.pressure)));
  const T rise_u = scale * slope_u, rise_v = scale * slope_v;
  const T total = square * fused(pressure, m.one, fused(rise_u, m.x, rise_v * m.y));
  const T moment_x = square * scale * fused(pressure, m.x, fused(rise_u, m.xx, rise_v * m.xy));
  const T moment_y = square * scale * fused(pressure, m.y, fused(rise_u, m.xy, rise_v * m.yy));

  PlaneWrench<T> w;
  w.n = total;
  w.moment_u = moment_y;  // (X, Y, 0) x (., ., p)
  w.moment_v = -moment_x;

  const Vec3<D> arm_of_origin = plane.origin - cast<D>(f.reference_M);
  const Vec3<T> arm = fused(middle_u, u, fused(middle_v, v, cast<T>(arm_of_origin)));
  if (f.moving) {
    const Vec3<D> middle = fused(cast<D>(middle_u), plane.axes.u, cast<D>(middle_v) * plane.axes.v);
    const PlaneMotion<T> motion = motion_at(f, plane, arm_of_origin + middle);
    w = integrate_motion(f, s, count, m, scale, pressure, slope_u, slope_v, motion, w);
  }

  out.normal = n;
  out.friction_force = fused(w.u, u, w.v * v);
  out.force = fused(w.n, n, out.friction_force);
  out.torque = cross(arm, out.force) + fused(w.moment_u, u, fused(w.moment_v, v, w.moment_n * n));
  out.pressure_integral = total;
  out.pressure_moment = fused(total, arm, fused(moment_x, u, moment_y * v));
  out.area = square * m.one;
  out.max_pressure = T(0);
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T at_vertex = fused(rise_u, s.x0[i], fused(rise_v, s.y0[i], pressure));
    out.max_pressure = select(s.has_part(i), max(out.max_pressure, at_vertex), out.max_pressure);
  }
  return found;
}

}  // namespace isopatch::detail
