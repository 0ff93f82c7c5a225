// SPDX-License-Identifier: Apache-2.0
//
// The derivatives of a polygon's wrench by the velocity, in its axes about its middle.
#pragma once

#include "isopatch/detail/math/dual.h"
#include "isopatch/detail/math/matrix6.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"

namespace isopatch::detail {

/// A polygon as plain numbers of double, about its middle, lengths in units of the plane's radius.
struct PlainPolygon {
  BoundarySide<double> side[kMaxLines];
  int count = 0;
  AreaMoments<double> moments;
  PlanePoint<double> centroid;
  PlaneFields<double> fields;
  double radius;   // of the plane, m
  double damping;  // s/m
  PlaneMotion<double> motion;

  template <class T>
  ISOPATCH_HD explicit PlainPolygon(const FoundPolygon<T>& p) : radius(static_cast<double>(p.plane.radius)) {
    const PairContext& f = p.context;
    const ContactPlane<T>& plane = p.plane;
    const Segments<T>& s = p.sides.segments;
    const auto number = [](T value) { return static_cast<double>(value); };
    AreaSums<double> sums;
    for (int i = 0; i < p.sides.num_lines; ++i) {
      if (!s.has_side(i)) continue;
      const BoundarySide<double> at = {number(s.x0[i]), number(s.y0[i]), number(s.x1[i]), number(s.y1[i])};
      sums.add(at.x0, at.y0, at.x1, at.y1, std::fma(at.x0, at.y1, -(at.x1 * at.y0)));
      side[count++] = at;
    }
    moments = sums.moments();
    centroid = {moments.x / moments.one, moments.y / moments.one};
    const double x = number(s.middle_x), y = number(s.middle_y);
    fields.pressure_x = radius * plane.pressure_u;
    fields.pressure_y = radius * plane.pressure_v;
    fields.pressure = std::fma(fields.pressure_x, x, std::fma(fields.pressure_y, y, plane.pressure));
    damping = damping_at(f, cell_of_M(f, p.m), cell_of_S(f, p.s), plane, radius * (x + centroid.x),
                         radius * (y + centroid.y));
    const Vec3d in_plane = fma(radius * x, plane.axes.u, (radius * y) * plane.axes.v);
    motion = motion_at(f, plane.axes, plane.normal, plane.origin - f.frame.reference_M + in_plane);
    set_motion(motion, radius, damping, fields);
  }

  /// Calls add(x, y, area) for the points of a rule.
  template <class Add>
  ISOPATCH_HD void for_each_point_of(int points, const Add& add) const {
    for (int i = 0; i < count; ++i) {
      const BoundarySide<double> at = about(centroid, side[i]);
      for_each_point(points, centroid, at, triangle_area(true, at), add);
    }
  }

  /// Whether the exact rule cuts something off, or does not take points alone for its friction.
  ISOPATCH_HD bool is_hard(const PairLaw& law) const {
    double farthest = 0;
    for (int i = 0; i < count; ++i) {
      const BoundarySide<double> at = about(centroid, side[i]);
      farthest = max(farthest, std::fma(at.x0, at.x0, at.y0 * at.y0));
    }
    return HardParts<double>::make(centroid, farthest, fields, law.traction_friction > 0,
                                   law.slip_tolerance * law.slip_tolerance)
        .any();
  }
};

/// The derivatives of a polygon's wrench by the velocity, in its axes about its middle.
struct VelocityDerivatives {
  Matrix6 damping, secant;
};

/// Integrals over a polygon of a number times 1, x, y, x^2, xy and y^2, from points.
struct WeightedMoments : AreaMoments<double> {
  ISOPATCH_HD WeightedMoments() : AreaMoments<double>{0, 0, 0, 0, 0, 0} {}
  ISOPATCH_HD void add(double at_x, double at_y, double weight) {
    one += weight;
    x = std::fma(weight, at_x, x);
    y = std::fma(weight, at_y, y);
    xx = std::fma(weight * at_x, at_x, xx);
    xy = std::fma(weight * at_x, at_y, xy);
    yy = std::fma(weight * at_y, at_y, yy);
  }
  ISOPATCH_HD void scale(double length) {
    const double square = length * length;
    one *= square;
    x *= square * length, y *= square * length;
    xx *= square * square, xy *= square * square, yy *= square * square;
  }
};

/// From points: minus the derivative of the traction's components u, v and n by the velocity's. Friction turns
/// with the velocity and follows the damped pressure; `held` is of friction that does neither.
struct TractionSlopes {
  WeightedMoments uu, uv, vv, un, vn, nn, held;

  ISOPATCH_HD void add_friction(const PlainPolygon& p, const PairLaw& law, double x, double y, double area) {
    const PlaneFields<double>& at = p.fields;
    const double slip_u = std::fma(-at.spin, y, at.u), slip_v = std::fma(at.spin, x, at.v);
    const double square = std::fma(slip_u, slip_u, std::fma(slip_v, slip_v, law.slip_tolerance * law.slip_tolerance));
    const double inverse = inverse_sqrt(square), pressure = law.traction_friction * area * at.pressure_at(x, y);
    const double load = pressure * at.damping(x, y) * inverse, turned = load * inverse * inverse;
    uu.add(x, y, std::fma(-turned * slip_u, slip_u, load));
    uv.add(x, y, -turned * slip_u * slip_v);
    vv.add(x, y, std::fma(-turned * slip_v, slip_v, load));
    held.add(x, y, load);
    if (!(at.factor_at(x, y) > 0)) return;
    const double damped = -p.damping * pressure * inverse;
    un.add(x, y, damped * slip_u);
    vn.add(x, y, damped * slip_v);
  }
  ISOPATCH_HD void add_normal(const PlainPolygon& p, double x, double y, double area) {
    if (p.fields.factor_at(x, y) > 0) nn.add(x, y, p.damping * area * p.fields.pressure_at(x, y));
  }

  ISOPATCH_HD VelocityDerivatives matrices(double radius) {
    for (WeightedMoments* m : {&uu, &uv, &vv, &un, &vn, &nn, &held}) m->scale(radius);
    VelocityDerivatives out;
    out.damping.force[0] = {{{uu.one, uv.one, un.one}, {uv.one, vv.one, vn.one}, {0, 0, nn.one}}};
    out.damping.force[1] = {{{un.y, -un.x, uv.x - uu.y}, {vn.y, -vn.x, vv.x - uv.y}, {nn.y, -nn.x, 0}}};
    out.damping.torque[0] = {{{0, 0, nn.y}, {0, 0, -nn.x}, {uv.x - uu.y, vv.x - uv.y, vn.x - un.y}}};
    out.damping.torque[1] = {
        {{nn.yy, -nn.xy, 0}, {-nn.xy, nn.xx, 0}, {vn.xy - un.yy, un.xy - vn.xx, vv.xx - 2 * uv.xy + uu.yy}}};
    out.secant.force[0] = {{{held.one, 0, 0}, {0, held.one, 0}, {0, 0, nn.one}}};
    out.secant.force[1] = {{{0, 0, -held.y}, {0, 0, held.x}, {nn.y, -nn.x, 0}}};
    out.secant.torque[0] = transposed(out.secant.force[1]);
    out.secant.torque[1] = {{{nn.yy, -nn.xy, 0}, {-nn.xy, nn.xx, 0}, {0, 0, held.xx + held.yy}}};
    return out;
  }
};

/// By the points of the rule. The exact rule's normal part is a polynomial, for which six points are enough.
ISOPATCH_HD VelocityDerivatives derivatives_by_points(const PlainPolygon& p, const PairLaw& law) {
  TractionSlopes slopes;
  const int points = law.quadrature == 6 ? 6 : 3;
  const bool is_exact = law.quadrature == kExactRule;
  p.for_each_point_of(points, [&](double x, double y, double area) {
    slopes.add_friction(p, law, x, y, area);
    if (!is_exact) slopes.add_normal(p, x, y, area);
  });
  if (is_exact) p.for_each_point_of(6, [&](double x, double y, double area) { slopes.add_normal(p, x, y, area); });
  return slopes.matrices(p.radius);
}

/// Where the rule is no sum over points: the polygon's wrench itself, with numbers that have derivatives. The secant
/// takes six points.
ISOPATCH_HD_LARGE VelocityDerivatives derivatives_by_duals(const PlainPolygon& p, const PairLaw& law) {
  using D = Dual<6>;
  const auto seeded = [](double value, int i) {
    D out(value);
    out.slope[i] = 1;
    return out;
  };
  Segments<D> segments = {};
  segments.middle_x = segments.middle_y = D(0);
  for (int i = 0; i < p.count; ++i) {
    segments.x0[i] = D(p.side[i].x0), segments.y0[i] = D(p.side[i].y0);
    segments.x1[i] = D(p.side[i].x1), segments.y1[i] = D(p.side[i].y1);
  }
  const SidesInPlace<D> sides = {segments, p.count};
  const AreaMoments<D> m = area_moments(sides);
  PlaneFields<D> at;
  at.pressure = D(p.fields.pressure), at.pressure_x = D(p.fields.pressure_x), at.pressure_y = D(p.fields.pressure_y);
  const PlaneMotion<D> moving = {seeded(p.motion.u, 0),      seeded(p.motion.v, 1),      seeded(p.motion.n, 2),
                                 seeded(p.motion.spin_u, 3), seeded(p.motion.spin_v, 4), seeded(p.motion.spin_n, 5)};
  set_motion(moving, D(p.radius), D(p.damping), at);
  PlaneWrench<D> resting;  // which the centroid rule scales
  resting.n = fma(at.pressure, m.one, fma(at.pressure_x, m.x, at.pressure_y * m.y));
  resting.moment_u = fma(at.pressure, m.y, fma(at.pressure_x, m.xy, at.pressure_y * m.yy));
  resting.moment_v = -fma(at.pressure, m.x, fma(at.pressure_x, m.xx, at.pressure_y * m.xy));
  const PlaneWrench<D> w = integrate_motion(law, true, sides, m, at, resting, HardInPlace());

  const double square = p.radius * p.radius, cube = square * p.radius, friction = law.traction_friction;
  const auto row = [](const D& x, double scale, int first) {
    return Vec3d{-scale * x.slope[first], -scale * x.slope[first + 1], -scale * x.slope[first + 2]};
  };
  TractionSlopes slopes;
  p.for_each_point_of(6, [&](double x, double y, double area) {
    slopes.add_friction(p, law, x, y, area);
    slopes.add_normal(p, x, y, area);
  });
  VelocityDerivatives out = slopes.matrices(p.radius);
  for (int i = 0; i < 2; ++i) {
    out.damping.force[i] = {
        {row(w.u, square * friction, 3 * i), row(w.v, square * friction, 3 * i), row(w.n, square, 3 * i)}};
    out.damping.torque[i] = {
        {row(w.moment_u, cube, 3 * i), row(w.moment_v, cube, 3 * i), row(w.moment_n, cube * friction, 3 * i)}};
  }
  return out;
}

}  // namespace isopatch::detail
