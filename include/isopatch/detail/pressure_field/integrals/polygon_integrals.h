// SPDX-License-Identifier: Apache-2.0
//
// The integrals of pressure, damping and friction over one contact polygon.
#pragma once

#include "isopatch/detail/pressure_field/cells/contact_plane.h"
#include "isopatch/detail/pressure_field/integrals/motion_traction.h"

namespace isopatch::detail {

/// What one polygon contributes to the wrench on M, in M. Torque about PairContext::reference_M.
template <class T>
struct Contribution {
  Vec3<T> force, torque;
  Vec3<T> friction;         // the tangential part of `force`
  Vec3<T> pressure_moment;  // integral of p (x - reference) dS, N m
  T pressure_integral;      // N, the static normal force
  T max_pressure;           // Pa, at a vertex
  T area;                   // m^2
  Vec3<T> normal;           // unit, from S into M
  T far_side;               // N, what it adds to the sum behind kFarSide; positive on a far side
};

/// The slope of the contact pressure along the normal, Pa/m (VL eq. 23).
template <class T>
ISOPATCH_HD DoubleOf<T> effective_gradient(const PairContext& f, const ContactPlane<T>& plane) {
  if (f.M.rigid) return plane.gradient_S;
  if (f.S.rigid) return plane.gradient_M;
  return plane.gradient_M * plane.gradient_S / (plane.gradient_M + plane.gradient_S);
}

/// The smoothed gradient of the extent of M at a point of it.
template <class Cells, class D>
ISOPATCH_HD Vec3<D> smoothed_gradient_M(const PairContext& f, const Cells& m, Vec3<D> point) {
  return m.smoothed_gradient(f.M.hierarchy, point - m.vertex0());
}

/// That of the extent of S at a point in M; the gradient is in S.
template <class Cells, class D>
ISOPATCH_HD Vec3<D> smoothed_gradient_S(const PairContext& f, const Cells& s, Vec3<D> point) {
  const Vec3<D> in_S = apply_back(f.X_MS, point);
  if (f.S.half_space) return {D(0), D(0), half_space_smoothed_slope(f.S, in_S.z)};
  return s.smoothed_gradient(f.S.hierarchy, in_S - s.vertex0());
}

/// The damping d at a point of the contact plane, at x and y [m] along its axes from its origin, in s/m. By PFC it is
/// chi g / E, with the slopes of both pressures from the smoothed gradients, so that it does not jump where the surface
/// passes from one layer of tets to the next. Approaching never lowers the pressure: a slope that falls into its body
/// counts as 0.
template <class T, class Cells, class D = DoubleOf<T>>
ISOPATCH_HD D damping_at(const PairContext& f, const Cells& m, const Cells& s, const ContactPlane<T>& plane, D x, D y) {
  const D dissipation = D(f.law.dissipation);
  if (!f.law.pfc_dissipation) return dissipation;
  const Vec3<D> point = fma(x, plane.axes.u, fma(y, plane.axes.v, plane.origin));
  D slope_M = D(0), slope_S = D(0);
  if (!f.M.rigid) {
    const Vec3<D> gradient = smoothed_gradient_M(f, m, point);
    slope_M = max(dot(pressure_gradient(f.M, gradient), plane.normal), D(0));
  }
  if (!f.S.rigid) {
    const Vec3<D> gradient = rotate(f.X_MS, smoothed_gradient_S(f, s, point));
    slope_S = max(-dot(pressure_gradient(f.S, gradient), plane.normal), D(0));
  }
  if (f.M.rigid) return dissipation * slope_S;
  if (f.S.rigid) return dissipation * slope_M;
  return dissipation * (slope_M * slope_S / max(slope_M + slope_S, D(0x1p-100)));
}

/// The weight of a polygon whose centroid is at x and y [m] along the plane's axes from its origin; 1 where no body is
/// one-sided.
template <class T, class Cells, class D = DoubleOf<T>>
ISOPATCH_HD D one_sided_weight(const PairContext& f, const Cells& m, const Cells& s, const ContactPlane<T>& plane, D x,
                               D y) {
  D weight = D(1);
  const Vec3<D> point = fma(x, plane.axes.u, fma(y, plane.axes.v, plane.origin));
  if (f.law.weigh_by_M) {
    const Vec3<D> gradient = smoothed_gradient_M(f, m, point);
    weight = near_side(NearSide::kSmoothed, dot(gradient, plane.normal), gradient, f.M.field->max_gradient);
  }
  if (f.law.weigh_by_S) {
    const Vec3<D> gradient = smoothed_gradient_S(f, s, point), normal = rotate_back(f.X_MS, plane.normal);
    const double steepest = f.S.field->max_gradient;
    weight = min(weight, near_side(NearSide::kSmoothed, -dot(gradient, normal), gradient, steepest));
  }
  return weight;
}

/// Weighs the pressure of a polygon and its slopes, where a body is one-sided; returns the weight.
template <class T, class Cells, class Polygon, class D = DoubleOf<T>>
ISOPATCH_HD D weigh_pressure(const PairContext& f, const Cells& m, const Cells& s, const Polygon& polygon,
                             const AreaMoments<T>& moments, ContactPlane<T>& plane) {
  if (!f.law.is_weighed()) return D(1);
  const T per_area = reciprocal(moments.one);
  const D weight = one_sided_weight(f, m, s, plane, cast<D>(plane.radius * fma(moments.x, per_area, polygon.middle_x)),
                                    cast<D>(plane.radius * fma(moments.y, per_area, polygon.middle_y)));
  plane.pressure = weight * plane.pressure;
  plane.pressure_u = weight * plane.pressure_u;
  plane.pressure_v = weight * plane.pressure_v;
  plane.gradient_M = weight * plane.gradient_M;
  plane.gradient_S = weight * plane.gradient_S;
  return weight;
}

/// The pressure about the polygon's middle, and its integral over the polygon in units of the plane's radius squared.
template <class T, class Polygon>
ISOPATCH_HD T integrate_pressure(const ContactPlane<T>& plane, const Polygon& s, const AreaMoments<T>& m,
                                 PlaneFields<T>& fields) {
  fields.pressure_x = plane.radius * cast<T>(plane.pressure_u);
  fields.pressure_y = plane.radius * cast<T>(plane.pressure_v);
  fields.pressure = fma(fields.pressure_x, s.middle_x, fma(fields.pressure_y, s.middle_y, cast<T>(plane.pressure)));
  return fma(fields.pressure, m.one, fma(fields.pressure_x, m.x, fields.pressure_y * m.y));
}

/// The part of a pair's load on far sides of walls from which on kFarSide is set.
inline constexpr double kFarSideFraction = 0.01;

/// What a polygon adds to the sum behind kFarSide, which is positive where the load on far sides is more than its share
/// of the whole. `load` is the integral of the pressure, and `weight` that of weigh_pressure(), which has not weighed
/// that load.
template <class T, class D = DoubleOf<T>>
ISOPATCH_HD T far_side_excess(const PairContext& f, const ContactPlane<T>& plane, D weight, T load) {
  return (T(1 - kFarSideFraction) - (f.law.is_weighed() ? cast<T>(weight) : plane.near_side)) * load;
}

/// How M moves relative to S, in the axes u, v and n of the plane: its velocity at the polygon's middle, m/s, and its
/// angular velocity, rad/s.
template <class D>
struct PlaneMotion {
  D u, v, n;
  D spin_u, spin_v, spin_n;
};

/// Fills in the motion about the polygon's middle: `radius` of the plane, m; `damping` in s/m.
template <class T, class D>
ISOPATCH_HD void set_motion(const PlaneMotion<D>& motion, T radius, D damping, PlaneFields<T>& fields) {
  fields.u = cast<T>(motion.u);
  fields.v = cast<T>(motion.v);
  fields.spin = radius * cast<T>(motion.spin_n);
  fields.factor = cast<T>(fma(-damping, motion.n, D(1)));
  fields.factor_x = radius * cast<T>(damping * motion.spin_v);
  fields.factor_y = -(radius * cast<T>(damping * motion.spin_u));
}

/// `arm` leads from PairContext::reference_M, in M.
template <class D>
ISOPATCH_HD PlaneMotion<D> motion_at(const PairContext& f, const Basis<D>& axes, Vec3<D> normal, Vec3<D> arm) {
  const Vec3<D> angular = cast<D>(f.motion.angular);
  const Vec3<D> velocity = cast<D>(f.motion.velocity) + cross(angular, arm);
  return {dot(velocity, axes.u), dot(velocity, axes.v), dot(velocity, normal),
          dot(angular, axes.u),  dot(angular, axes.v),  dot(angular, normal)};
}

/// Whether what is left of the lines has an area.
template <class T, class Sides>
ISOPATCH_HD MaskOf<T> is_polygon(const Sides& sides, const AreaMoments<T>& m) {
  return has_area(m) && has_three_sides(sides, m.one);
}

/// The integrals over a polygon. What needs no wrench is as in Contribution.
template <class T>
struct PolygonIntegral {
  PlaneWrench<T> wrench;  // lengths in units of the plane's radius; friction without its coefficient
  Basis<T> axes;          // of the plane
  Vec3<T> arm;            // of the polygon's middle from PairContext::reference_M, m
  Vec3<T> normal, pressure_moment;
  T pressure_integral, max_pressure, area, far_side;
};

/// Integrates over the polygon `s` with these sides on `plane`, whose pressure is weighed where a body is one-sided.
/// False where it has no area.
template <class T, class Cells, class Polygon, class Sides, class Hard>
ISOPATCH_HD MaskOf<T> integrate(const PairContext& f, const Cells& cell_M, const Cells& cell_S, ContactPlane<T>& plane,
                                const Polygon& s, const Sides& sides, PolygonIntegral<T>& out, const Hard& hard) {
  using D = DoubleOf<T>;
  const AreaMoments<T> m = area_moments(sides);
  const MaskOf<T> found = is_polygon(sides, m);
  if (!any(found)) return found;

  PlaneFields<T> fields;
  T pressure = integrate_pressure(plane, s, m, fields);
  const T scale = plane.radius, square = scale * scale, load = square * pressure;
  const D weight = weigh_pressure(f, cell_M, cell_S, s, m, plane);
  if (f.law.is_weighed()) pressure = integrate_pressure(plane, s, m, fields);
  out.far_side = far_side_excess(f, plane, weight, load);

  // static part in closed form, about the middle
  const T moment_x = fma(fields.pressure, m.x, fma(fields.pressure_x, m.xx, fields.pressure_y * m.xy));
  const T moment_y = fma(fields.pressure, m.y, fma(fields.pressure_x, m.xy, fields.pressure_y * m.yy));
  out.wrench = {};
  out.wrench.n = pressure;
  out.wrench.moment_u = moment_y;  // (x, y, 0) x (., ., p)
  out.wrench.moment_v = -moment_x;

  out.area = square * m.one;
  out.max_pressure = T(0);
  sides.for_each_line([&](MaskOf<T> exists, const BoundarySide<T>& side) {
    const T at_vertex = fma(fields.pressure_x, side.x0, fma(fields.pressure_y, side.y0, fields.pressure));
    out.max_pressure = select(exists, max(out.max_pressure, at_vertex), out.max_pressure);
  });

  const T middle_u = scale * s.middle_x, middle_v = scale * s.middle_y;
  const Vec3<D> arm_of_origin = plane.origin - cast<D>(f.frame.reference_M);
  out.axes = {cast<T>(plane.axes.u), cast<T>(plane.axes.v)};
  out.normal = cast<T>(plane.normal);
  out.arm = fma(middle_u, out.axes.u, fma(middle_v, out.axes.v, cast<T>(arm_of_origin)));
  const T cube = square * scale;
  out.pressure_integral = square * pressure;
  out.pressure_moment =
      fma(out.pressure_integral, out.arm, fma(cube * moment_x, out.axes.u, (cube * moment_y) * out.axes.v));
  if (f.motion.moving) {
    const Vec3<D> middle = fma(cast<D>(middle_u), plane.axes.u, cast<D>(middle_v) * plane.axes.v);
    const T per_area = reciprocal(m.one);
    const D damping = damping_at(f, cell_M, cell_S, plane, cast<D>(fma(scale, m.x * per_area, middle_u)),
                                 cast<D>(fma(scale, m.y * per_area, middle_v)));
    set_motion(motion_at(f, plane.axes, plane.normal, arm_of_origin + middle), plane.radius, damping, fields);
    out.wrench = integrate_motion(f.law, found, sides, m, fields, out.wrench, hard);
  }
  return found;
}

/// What a polygon with these integrals contributes.
template <class T>
ISOPATCH_HD Contribution<T> contribution_of(const PairContext& f, const ContactPlane<T>& plane,
                                            const PolygonIntegral<T>& integral) {
  const PlaneWrench<T>& w = integral.wrench;
  const T scale = plane.radius, square = scale * scale, cube = square * scale;
  const Vec3<T>&u = integral.axes.u, &v = integral.axes.v, &n = integral.normal;
  T friction_u = w.u, friction_v = w.v, moment_n = w.moment_n;
  if (f.motion.moving) {
    const T friction = cast<T>(f.law.traction_friction);
    friction_u = friction * w.u;
    friction_v = friction * w.v;
    moment_n = friction * w.moment_n;
  }
  Contribution<T> out;
  out.normal = n;
  out.friction = fma(square * friction_u, u, (square * friction_v) * v);
  out.force = fma(square * w.n, n, out.friction);
  out.torque =
      cross(integral.arm, out.force) + fma(cube * w.moment_u, u, fma(cube * w.moment_v, v, (cube * moment_n) * n));
  out.pressure_integral = integral.pressure_integral;
  out.pressure_moment = integral.pressure_moment;
  out.area = integral.area;
  out.max_pressure = integral.max_pressure;
  out.far_side = integral.far_side;
  return out;
}

}  // namespace isopatch::detail
