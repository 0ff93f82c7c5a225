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

/// Where the weight of near_side(), clamp(4 cosine + this, 0, 1), falls from 1 to 0.
enum class NearSide : int {
  kSmoothed = 2,  // for smoothed gradients: 1 up to 104.5 degrees, 0 from 120
  kOfCells = 3    // for those of cells, which point sideways near the rim of a body: 1 up to 120 degrees, 0 from 138.6
};

/// How much of the pressure at a point of the contact plane presses on the near side of a wall. `cosine` is that of the
/// angle between the normal and the other body's gradient times the gradient's size; where that is a millionth of
/// `steepest`, it says nothing.
template <class D>
ISOPATCH_HD D near_side(NearSide by, D cosine, Vec3<D> gradient, double steepest) {
  const D square = dot(gradient, gradient), least = D(1e-6 * steepest);
  const MaskOf<D> flat = square < least * least;
  const D ramp = fma(D(4) * cosine, inverse_sqrt(select(flat, D(1), square)), D(static_cast<double>(by)));
  return select(flat, D(1), max(D(0), min(ramp, D(1))));
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
template <class T, class Cells, class D = DoubleOf<T>>
ISOPATCH_HD D weigh_pressure(const PairContext& f, const Cells& m, const Cells& s, const Segments<T>& segments,
                             const AreaMoments<T>& moments, ContactPlane<T>& plane) {
  if (!f.law.is_weighed()) return D(1);
  const T per_area = reciprocal(moments.one);
  const D weight = one_sided_weight(f, m, s, plane, cast<D>(plane.radius * fma(moments.x, per_area, segments.middle_x)),
                                    cast<D>(plane.radius * fma(moments.y, per_area, segments.middle_y)));
  plane.pressure = weight * plane.pressure;
  plane.pressure_u = weight * plane.pressure_u;
  plane.pressure_v = weight * plane.pressure_v;
  plane.gradient_M = weight * plane.gradient_M;
  plane.gradient_S = weight * plane.gradient_S;
  return weight;
}

/// The pressure about the polygon's middle, and its integral over the polygon in units of the plane's radius squared.
template <class T>
ISOPATCH_HD T integrate_pressure(const ContactPlane<T>& plane, const Segments<T>& s, const AreaMoments<T>& m,
                                 PlaneFields<T>& fields) {
  fields.pressure_x = plane.radius * cast<T>(plane.pressure_u);
  fields.pressure_y = plane.radius * cast<T>(plane.pressure_v);
  fields.pressure = fma(fields.pressure_x, s.middle_x, fma(fields.pressure_y, s.middle_y, cast<T>(plane.pressure)));
  return fma(fields.pressure, m.one, fma(fields.pressure_x, m.x, fields.pressure_y * m.y));
}

/// The weight of a polygon for kFarSide where no body is one-sided: the smaller one of both compliant bodies, by the
/// gradients of the cells themselves. Few are below 1, and only where a pressure falls into its body, so that the rest
/// needs no square root.
template <class T, class Cells, class D = DoubleOf<T>>
ISOPATCH_HD D near_side_of_cells(const PairContext& f, const Cells& m, const Cells& s, const ContactPlane<T>& plane,
                                 MaskOf<T> found) {
  D weight = D(1);
  if (!any(found && (plane.gradient_M < D(0) || plane.gradient_S < D(0)))) return weight;
  if (!f.M.rigid) {
    const Vec3<D> gradient = pressure_gradient(f.M, m.gradient());
    weight = near_side(NearSide::kOfCells, plane.gradient_M, gradient, steepest_slope(f.M));
  }
  if (!f.S.rigid) {
    const Vec3<D> gradient =
        f.S.half_space ? Vec3<D>{D(0), D(0), D(half_space_pressure_slope(f.S))} : pressure_gradient(f.S, s.gradient());
    weight = min(weight, near_side(NearSide::kOfCells, plane.gradient_S, gradient, steepest_slope(f.S)));
  }
  return weight;
}

/// The part of a pair's load on far sides of walls from which on kFarSide is set.
inline constexpr double kFarSideFraction = 0.01;

/// What a polygon adds to the sum behind kFarSide, which is positive where the load on far sides is more than its share
/// of the whole. `load` is the integral of the pressure, and `weight` that of weigh_pressure(), which has not weighed
/// that load.
template <class T, class Cells, class D = DoubleOf<T>>
ISOPATCH_HD T far_side_excess(const PairContext& f, const Cells& m, const Cells& s, const ContactPlane<T>& plane,
                              MaskOf<T> found, D weight, T load) {
  if (!f.law.is_weighed()) weight = near_side_of_cells(f, m, s, plane, found);
  return (T(1 - kFarSideFraction) - cast<T>(weight)) * load;
}

/// Fills in the motion about the polygon's middle: `arm` from PairContext::reference_M, in M; `damping` in s/m.
template <class T, class D = DoubleOf<T>>
ISOPATCH_HD void set_motion(const PairContext& f, const ContactPlane<T>& plane, Vec3<D> arm, D damping,
                            PlaneFields<T>& fields) {
  const Basis<D>& axes = plane.axes;
  const Vec3<D> angular = cast<D>(f.motion.angular);
  const Vec3<D> velocity = cast<D>(f.motion.velocity) + cross(angular, arm);
  fields.u = cast<T>(dot(velocity, axes.u));
  fields.v = cast<T>(dot(velocity, axes.v));
  fields.spin = plane.radius * cast<T>(dot(angular, plane.normal));
  fields.factor = cast<T>(fma(-damping, dot(velocity, plane.normal), D(1)));
  fields.factor_x = plane.radius * cast<T>(damping * dot(angular, axes.v));
  fields.factor_y = -(plane.radius * cast<T>(damping * dot(angular, axes.u)));
}

/// Whether the polygon with these moments has an area and passes the gradient filter.
template <class T>
ISOPATCH_HD MaskOf<T> counts_as_polygon(const PairContext& f, const ContactPlane<T>& plane, const Segments<T>& s,
                                        int count, const AreaMoments<T>& m) {
  using D = DoubleOf<T>;
  const MaskOf<T> found = has_area(m) && has_three_sides(s, count, m.one);
  if (!f.law.gradient_filter) return found;
  const D least = D(-0.38268343236508977);  // cosine of 5 pi / 8
  return found && !(plane.cosine_M < least || plane.cosine_S < least);
}

/// The integrals over a polygon in the axes of its plane, lengths in units of the plane's radius.
template <class T>
struct PolygonIntegral {
  PlaneWrench<T> wrench;  // friction without its coefficient
  Vec3<T> arm;            // of the polygon's middle from PairContext::reference_M, m
  T area, far_side;
  T pressure, moment_x, moment_y, max_pressure;  // of the pressure without damping, as in Contribution
};

/// Integrates over the polygon `s` on `plane`, whose pressure is weighed where a body is one-sided. False where it has
/// no area or the gradient filter drops it.
template <class T, class Cells, class SideLoop, class Hard>
ISOPATCH_HD MaskOf<T> integrate(const PairContext& f, const Cells& cell_M, const Cells& cell_S, ContactPlane<T>& plane,
                                const Segments<T>& s, int count, PolygonIntegral<T>& out, const SideLoop& sides,
                                const Hard& hard) {
  using D = DoubleOf<T>;
  const AreaMoments<T> m = area_moments(s, count);
  const MaskOf<T> found = counts_as_polygon(f, plane, s, count, m);
  if (!any(found)) return found;

  PlaneFields<T> fields;
  out.pressure = integrate_pressure(plane, s, m, fields);
  const T scale = plane.radius, load = scale * scale * out.pressure;
  const D weight = weigh_pressure(f, cell_M, cell_S, s, m, plane);
  if (f.law.is_weighed()) out.pressure = integrate_pressure(plane, s, m, fields);
  out.far_side = far_side_excess(f, cell_M, cell_S, plane, found, weight, load);

  // static part in closed form, about the middle
  out.moment_x = fma(fields.pressure, m.x, fma(fields.pressure_x, m.xx, fields.pressure_y * m.xy));
  out.moment_y = fma(fields.pressure, m.y, fma(fields.pressure_x, m.xy, fields.pressure_y * m.yy));
  out.wrench = {};
  out.wrench.n = out.pressure;
  out.wrench.moment_u = out.moment_y;  // (x, y, 0) x (., ., p)
  out.wrench.moment_v = -out.moment_x;

  const T middle_u = scale * s.middle_x, middle_v = scale * s.middle_y;
  const Vec3<D> arm_of_origin = plane.origin - cast<D>(f.frame.reference_M);
  out.arm = fma(middle_u, cast<T>(plane.axes.u), fma(middle_v, cast<T>(plane.axes.v), cast<T>(arm_of_origin)));
  if (f.motion.moving) {
    const Vec3<D> middle = fma(cast<D>(middle_u), plane.axes.u, cast<D>(middle_v) * plane.axes.v);
    const T per_area = reciprocal(m.one);
    const D damping = damping_at(f, cell_M, cell_S, plane, cast<D>(fma(scale, m.x * per_area, middle_u)),
                                 cast<D>(fma(scale, m.y * per_area, middle_v)));
    set_motion(f, plane, arm_of_origin + middle, damping, fields);
    out.wrench = integrate_motion(f.law, found, s, count, m, fields, out.wrench, sides, hard);
  }

  out.area = m.one;
  out.max_pressure = T(0);
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T at_vertex = fma(fields.pressure_x, s.x0[i], fma(fields.pressure_y, s.y0[i], fields.pressure));
    out.max_pressure = select(s.has_side(i), max(out.max_pressure, at_vertex), out.max_pressure);
  }
  return found;
}

/// What a polygon with these integrals contributes.
template <class T>
ISOPATCH_HD Contribution<T> contribution_of(const PairContext& f, const ContactPlane<T>& plane,
                                            const PolygonIntegral<T>& integral) {
  const PlaneWrench<T>& w = integral.wrench;
  const T scale = plane.radius, square = scale * scale, cube = square * scale;
  const Vec3<T> u = cast<T>(plane.axes.u), v = cast<T>(plane.axes.v), n = cast<T>(plane.normal);
  T friction_u = w.u, friction_v = w.v, moment_n = w.moment_n;
  if (f.motion.moving) {
    const T friction = cast<T>(f.law.friction);
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
  out.pressure_integral = square * integral.pressure;
  out.pressure_moment =
      fma(out.pressure_integral, integral.arm, fma(cube * integral.moment_x, u, (cube * integral.moment_y) * v));
  out.area = square * integral.area;
  out.max_pressure = integral.max_pressure;
  out.far_side = integral.far_side;
  return out;
}

}  // namespace isopatch::detail
