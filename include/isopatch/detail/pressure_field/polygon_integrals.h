// SPDX-License-Identifier: Apache-2.0
//
// The integrals of pressure, damping and friction over one contact polygon.
#pragma once

#include "isopatch/detail/pressure_field/contact_plane.h"

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
};

/// Components in the contact plane's axes (u, v, n) of a force, and of its moment about the polygon's middle.
template <class T>
struct PlaneWrench {
  T u = T(0), v = T(0), n = T(0);
  T moment_u = T(0), moment_v = T(0), moment_n = T(0);
};

/// The quantities that are affine over the contact plane: the pressure, and the motion of M relative to S in the
/// plane's axes. About the polygon's middle, lengths in units of the plane's radius.
template <class T>
struct PlaneFields {
  T pressure, pressure_x, pressure_y;  // Pa
  T u, v, spin;                        // slip velocity (u - spin y, v + spin x), m/s
  T factor, factor_x, factor_y;        // of damping, 1 - d v_n: its value and slopes, formed in double as it may cancel

  /// The factor by which damping raises the pressure at one point, never negative.
  ISOPATCH_HD T damping(T x, T y) const { return max(T(0), fma(factor_x, x, fma(factor_y, y, factor))); }
};

/// Adds the traction at one point: pressure and damping along the normal, and friction in the plane without its
/// coefficient (README.md in this folder has the laws). `weight` is the area that the point (x, y) represents.
template <class T>
ISOPATCH_HD void add_point(T x, T y, T weight, const PlaneFields<T>& at, T slip_squared, PlaneWrench<T>& sum) {
  const T pressure = fma(at.pressure_x, x, fma(at.pressure_y, y, at.pressure));
  const T v_u = fma(-at.spin, y, at.u), v_v = fma(at.spin, x, at.v);
  const T normal_force = weight * pressure * at.damping(x, y);
  const T drag = normal_force * inverse_sqrt(fma(v_u, v_u, fma(v_v, v_v, slip_squared)));

  const T t_u = drag * v_u, t_v = drag * v_v;
  sum.u = sum.u - t_u;
  sum.v = sum.v - t_v;
  sum.n = sum.n + normal_force;
  sum.moment_u = fma(y, normal_force, sum.moment_u);
  sum.moment_v = fma(-x, normal_force, sum.moment_v);
  sum.moment_n = fma(-x, t_v, fma(y, t_u, sum.moment_n));
}

/// Three points of a triangle rule: one corner in turn has the weight `a`, and the other two half of the rest each. 3
/// points: degree 2; 6 points: degree 4 (Dunavant, "High degree efficient symmetrical Gaussian quadrature rules for the
/// triangle", IJNME 1985).
template <class T>
struct TrianglePoints {
  T a, rest, weight;

  ISOPATCH_HD static TrianglePoints make(int points, bool outer) {
    const T a = points == 3 ? T(2.0 / 3) : outer ? T(0.816847572980459) : T(0.108103018168070);
    const T weight = points == 3 ? T(1.0 / 3) : outer ? T(0.109951743655322) : T(0.223381589678011);
    return {a, T(0.5) * (T(1) - a), weight};
  }
};

/// A part of a polygon's boundary, from one end to the other.
template <class T>
struct alignas(4 * sizeof(T)) BoundaryPart {
  T x0, y0, x1, y1;
};

/// Goes through the parts of a boundary where they are: one round for each line, whether it has a part or not.
struct PartsInPlace {
  template <class T, class Visit>
  ISOPATCH_HD void for_each(const Segments<T>& s, int count, const Visit& visit) const {
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      const MaskOf<T> part = s.has_part(i);
      if (any(part)) visit(part, BoundaryPart<T>{s.x0[i], s.y0[i], s.x1[i], s.y1[i]});
    }
  }
};

/// Stores the parts first, so that a lane of a GPU takes one round for each part that it has: fewer rounds of a warp,
/// whose lanes have their parts on different lines, and fewer registers.
template <class T, int size>
struct StoredParts {
  BoundaryPart<T>* parts;  // of this lane: kMaxLines of them, every `size`-th

  template <class Visit>
  ISOPATCH_HD void for_each(const Segments<T>& s, int count, const Visit& visit) const {
    int stored = 0;
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      if (s.has_part(i)) parts[size * stored++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
    for (int i = 0; i < stored; ++i) visit(true, parts[size * i]);
  }
};

/// The wrench with damping and friction, lengths in units of the plane's radius. The fan's apex is the centroid, so
/// triangles appear and vanish with zero area and the result is continuous (PFC fig. 5). Both fan rules integrate p and
/// x p exactly, so the static part is exact; the centroid rule is exact there too, as it scales the closed form
/// `resting` by its one damping factor.
template <class T, class PartLoop>
ISOPATCH_HD PlaneWrench<T> integrate_motion(const PairContext& f, const Segments<T>& s, int count,
                                            const AreaMoments<T>& m, const PlaneFields<T>& fields,
                                            const PlaneWrench<T>& resting, const PartLoop& parts) {
  const T friction = cast<T>(f.law.friction);
  const T slip_squared = cast<T>(f.law.slip_tolerance * f.law.slip_tolerance);
  const T per_area = reciprocal(m.one), cx = m.x * per_area, cy = m.y * per_area;  // centroid about the middle
  PlaneWrench<T> sum;
  if (f.law.quadrature == 0) {
    add_point(cx, cy, m.one, fields, slip_squared, sum);
    const T factor = fields.damping(cx, cy);
    sum.n = factor * resting.n;
    sum.moment_u = factor * resting.moment_u;
    sum.moment_v = factor * resting.moment_v;
  }
  parts.for_each(s, count, [&](MaskOf<T> part, const BoundaryPart<T>& ends) {
    const T x0 = ends.x0 - cx, y0 = ends.y0 - cy, x1 = ends.x1 - cx, y1 = ends.y1 - cy;
    const T area = select(part, T(0.5) * fma(x0, y1, -(x1 * y0)), T(0));
    for (int first = 0; first < f.law.quadrature; first += 3) {
      const TrianglePoints<T> q = TrianglePoints<T>::make(f.law.quadrature, first > 0);
      const T weight = q.weight * area;
      ISOPATCH_UNROLL_ON_GPU
      for (int corner = 0; corner < 3; ++corner) {
        const T b = corner == 1 ? q.a : q.rest, c = corner == 2 ? q.a : q.rest;
        add_point(fma(b, x0, fma(c, x1, cx)), fma(b, y0, fma(c, y1, cy)), weight, fields, slip_squared, sum);
      }
    }
  });
  sum.u = friction * sum.u;
  sum.v = friction * sum.v;
  sum.moment_n = friction * sum.moment_n;
  return sum;
}

/// The slope of the contact pressure along the normal, Pa/m (VL eq. 23).
template <class T>
ISOPATCH_HD DoubleOf<T> effective_gradient(const PairContext& f, const ContactPlane<T>& plane) {
  if (f.M.rigid) return plane.gradient_S;
  if (f.S.rigid) return plane.gradient_M;
  return plane.gradient_M * plane.gradient_S / (plane.gradient_M + plane.gradient_S);
}

/// Fills in the motion about the polygon's middle: `arm` from PairContext::reference_M, in M.
template <class T, class D = DoubleOf<T>>
ISOPATCH_HD void set_motion(const PairContext& f, const ContactPlane<T>& plane, Vec3<D> arm, PlaneFields<T>& fields) {
  const Basis<D>& axes = plane.axes;
  const Vec3<D> angular = cast<D>(f.motion.angular);
  const Vec3<D> velocity = cast<D>(f.motion.velocity) + cross(angular, arm);
  D dissipation = D(f.law.dissipation);
  if (f.law.pfc_dissipation) {  // approaching never lowers the pressure
    dissipation = dissipation * max(effective_gradient(f, plane), D(0));
  }
  fields.u = cast<T>(dot(velocity, axes.u));
  fields.v = cast<T>(dot(velocity, axes.v));
  fields.spin = plane.radius * cast<T>(dot(angular, plane.normal));
  fields.factor = cast<T>(fma(-dissipation, dot(velocity, plane.normal), D(1)));
  fields.factor_x = plane.radius * cast<T>(dissipation * dot(angular, axes.v));
  fields.factor_y = -(plane.radius * cast<T>(dissipation * dot(angular, axes.u)));
}

/// Whether the polygon with these moments has an area and passes the gradient filter.
template <class T>
ISOPATCH_HD MaskOf<T> counts_as_polygon(const PairContext& f, const ContactPlane<T>& plane, const Segments<T>& s,
                                        int count, const AreaMoments<T>& m) {
  using D = DoubleOf<T>;
  const MaskOf<T> found = has_area(m) && has_three_parts(s, count, m.one);
  if (!f.law.gradient_filter) return found;
  const D least = D(-0.38268343236508977);  // cosine of 5 pi / 8
  return found && !(plane.cosine_M < least || plane.cosine_S < least);
}

/// Integrates over the polygon `s` on `plane`. False where it has no area or the gradient filter drops it.
template <class T, class PartLoop = PartsInPlace>
ISOPATCH_HD MaskOf<T> integrate(const PairContext& f, const ContactPlane<T>& plane, const Segments<T>& s, int count,
                                Contribution<T>& out, const PartLoop& parts = {}) {
  using D = DoubleOf<T>;
  const AreaMoments<T> m = area_moments(s, count);
  const MaskOf<T> found = counts_as_polygon(f, plane, s, count, m);
  if (!any(found)) return found;

  // static part in closed form, about the middle, lengths in units of the radius
  const T scale = plane.radius;
  const Vec3<T> u = cast<T>(plane.axes.u), v = cast<T>(plane.axes.v), n = cast<T>(plane.normal);
  PlaneFields<T> fields;
  fields.pressure_x = scale * cast<T>(plane.pressure_u);
  fields.pressure_y = scale * cast<T>(plane.pressure_v);
  fields.pressure = fma(fields.pressure_x, s.middle_x, fma(fields.pressure_y, s.middle_y, cast<T>(plane.pressure)));
  const T total = fma(fields.pressure, m.one, fma(fields.pressure_x, m.x, fields.pressure_y * m.y));
  const T moment_x = fma(fields.pressure, m.x, fma(fields.pressure_x, m.xx, fields.pressure_y * m.xy));
  const T moment_y = fma(fields.pressure, m.y, fma(fields.pressure_x, m.xy, fields.pressure_y * m.yy));

  PlaneWrench<T> w;
  w.n = total;
  w.moment_u = moment_y;  // (x, y, 0) x (., ., p)
  w.moment_v = -moment_x;

  const T middle_u = scale * s.middle_x, middle_v = scale * s.middle_y;
  const Vec3<D> arm_of_origin = plane.origin - cast<D>(f.frame.reference_M);
  const Vec3<T> arm = fma(middle_u, u, fma(middle_v, v, cast<T>(arm_of_origin)));
  if (f.motion.moving) {
    const Vec3<D> middle = fma(cast<D>(middle_u), plane.axes.u, cast<D>(middle_v) * plane.axes.v);
    set_motion(f, plane, arm_of_origin + middle, fields);
    w = integrate_motion(f, s, count, m, fields, w, parts);
  }

  const T square = scale * scale, cube = square * scale;
  out.normal = n;
  out.friction = fma(square * w.u, u, (square * w.v) * v);
  out.force = fma(square * w.n, n, out.friction);
  out.torque = cross(arm, out.force) + fma(cube * w.moment_u, u, fma(cube * w.moment_v, v, (cube * w.moment_n) * n));
  out.pressure_integral = square * total;
  out.pressure_moment = fma(out.pressure_integral, arm, fma(cube * moment_x, u, (cube * moment_y) * v));
  out.area = square * m.one;
  out.max_pressure = T(0);
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T at_vertex = fma(fields.pressure_x, s.x0[i], fma(fields.pressure_y, s.y0[i], fields.pressure));
    out.max_pressure = select(s.has_part(i), max(out.max_pressure, at_vertex), out.max_pressure);
  }
  return found;
}

}  // namespace isopatch::detail
