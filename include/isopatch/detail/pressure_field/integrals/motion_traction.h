// SPDX-License-Identifier: Apache-2.0
//
// The wrench of a contact polygon whose bodies move, by one of the rules.
//
// The exact rule: damping and pressure are affine, so that the normal part is a polynomial, whose integrals follow from
// the polygon's moments up to the third. Friction takes three points a triangle where the slip velocity hardly turns
// within the polygon, the closed form of friction_integral.h where its centre is near, and a mixture in between, so
// that the result is continuous. A polygon in which the bodies part so fast that damping would pull ends where the
// traction does.
#pragma once

#include "isopatch/detail/pressure_field/context/pair_context.h"
#include "isopatch/detail/pressure_field/integrals/friction_integral.h"

namespace isopatch::detail {

/// Integrals over the polygon of x^3, x^2 y, x y^2 and y^3 about its middle.
template <class T>
struct ThirdMoments {
  T xxx = T(0), xxy = T(0), xyy = T(0), yyy = T(0);

  /// Adds the triangle between the middle and a side, with twice its area.
  ISOPATCH_HD void add(const BoundarySide<T>& p, T doubled) {
    const T x = p.x0 + p.x1, y = p.y0 + p.y1;
    const T xx0 = p.x0 * p.x0, xx1 = p.x1 * p.x1, yy0 = p.y0 * p.y0, yy1 = p.y1 * p.y1;
    const T by_20 = T(1.0 / 20) * doubled, by_60 = T(1.0 / 60) * doubled;
    xxx = fma(by_20, x * (xx0 + xx1), xxx);
    yyy = fma(by_20, y * (yy0 + yy1), yyy);
    xxy = fma(by_60, fma(y, x * x, T(2) * fma(p.y0, xx0, p.y1 * xx1)), xxy);
    xyy = fma(by_60, fma(x, y * y, T(2) * fma(p.x0, yy0, p.x1 * yy1)), xyy);
  }
};

/// What one way around the polygon adds up to.
template <class T>
struct FanSum {
  PlaneWrench<T> wrench;  // friction by points
  ThirdMoments<T> third;  // zero where the factor of damping does not vary
  T farthest = T(0);      // squared distance of the farthest corner from the apex
};

template <class T>
ISOPATCH_HD bool damping_varies(const PlaneFields<T>& fields) {
  return any(fields.factor_x != T(0) || fields.factor_y != T(0));
}

/// for_each(visit) goes through the sides.
template <class T, class ForEach>
ISOPATCH_HD FanSum<T> integrate_fan(PlanePoint<T> apex, const PlaneFields<T>& fields, T slip_squared,
                                    const ForEach& for_each) {
  FanSum<T> fan;
  const bool varies = damping_varies(fields);
  for_each([&](MaskOf<T> exists, const BoundarySide<T>& at) {
    const BoundarySide<T> side = about(apex, at);
    fan.farthest = max(fan.farthest, select(exists, fma(side.x0, side.x0, side.y0 * side.y0), T(0)));
    for_each_point(3, apex, side, triangle_area(exists, side),
                   [&](T x, T y, T weight) { add_friction(x, y, weight, fields, slip_squared, fan.wrench); });
    if (varies) fan.third.add(at, T(2) * triangle_area(exists, at));
  });
  return fan;
}

/// The same without friction: only what the normal part needs.
template <class T, class ForEach>
ISOPATCH_HD FanSum<T> integrate_frictionless_fan(PlanePoint<T> apex, const PlaneFields<T>& fields,
                                                 const ForEach& for_each) {
  FanSum<T> fan;
  if (!damping_varies(fields)) return fan;
  for_each([&](MaskOf<T> exists, const BoundarySide<T>& at) {
    const T x = at.x0 - apex.x, y = at.y0 - apex.y;
    fan.farthest = max(fan.farthest, select(exists, fma(x, x, y * y), T(0)));
    fan.third.add(at, T(2) * triangle_area(exists, at));
  });
  return fan;
}

/// The normal part, pressure times the factor of damping, from the polygon's moments about its middle.
template <class T>
ISOPATCH_HD void add_normal_part(const PlaneFields<T>& f, const AreaMoments<T>& m, const ThirdMoments<T>& third,
                                 PlaneWrench<T>& sum) {
  const T one = f.pressure * f.factor;
  const T x = fma(f.pressure, f.factor_x, f.pressure_x * f.factor);
  const T y = fma(f.pressure, f.factor_y, f.pressure_y * f.factor);
  const T xx = f.pressure_x * f.factor_x, yy = f.pressure_y * f.factor_y;
  const T xy = fma(f.pressure_x, f.factor_y, f.pressure_y * f.factor_x);
  const auto integral = [&](T of_one, T of_x, T of_y, T of_xx, T of_xy, T of_yy) {
    return fma(one, of_one, fma(x, of_x, fma(y, of_y, fma(xx, of_xx, fma(xy, of_xy, yy * of_yy)))));
  };
  sum.n = integral(m.one, m.x, m.y, m.xx, m.xy, m.yy);
  sum.moment_u = integral(m.y, m.xy, m.yy, third.xxy, third.xyy, third.yyy);
  sum.moment_v = -integral(m.x, m.xx, m.xy, third.xxx, third.xxy, third.xyy);
}

/// Cuts off the sides where the factor of damping is negative, and adds the edge where it is zero. As
/// the polygon is convex, what is left of its boundary is one piece; the edge leads from the end of the piece to its
/// beginning, which are the ends of sides with the least factor. Where `cuts` is false, the polygon stays as it is.
template <class T, class List>
ISOPATCH_HD void cut_where_damping_ends(MaskOf<T> cuts, const PlaneFields<T>& fields, List& list) {
  const T zero = T(0);
  BoundarySide<T> closing = {zero, zero, zero, zero};
  T least_at_begin = T(1e30f), least_at_end = least_at_begin;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < list.count; ++i) {
    BoundarySide<T>& side = list[i];
    const T begin = fields.factor_at(side.x0, side.y0), end = fields.factor_at(side.x1, side.y1);
    const MaskOf<T> enters = cuts && begin < zero, leaves = cuts && end < zero;
    const MaskOf<T> kept = exists(side) && !(enters && leaves);
    const T t = abs(begin) * reciprocal(max(abs(begin - end), T(1e-30f)));
    const T x = fma(t, side.x1 - side.x0, side.x0), y = fma(t, side.y1 - side.y0, side.y0);
    side = {select(kept, select(enters, x, side.x0), zero), select(kept, select(enters, y, side.y0), zero),
            select(kept, select(leaves, x, side.x1), zero), select(kept, select(leaves, y, side.y1), zero)};

    const MaskOf<T> last = cuts && kept && max(end, zero) < least_at_end;
    closing.x0 = select(last, side.x1, closing.x0);
    closing.y0 = select(last, side.y1, closing.y0);
    least_at_end = select(last, max(end, zero), least_at_end);
    const MaskOf<T> first = cuts && kept && max(begin, zero) < least_at_begin;
    closing.x1 = select(first, side.x0, closing.x1);
    closing.y1 = select(first, side.y0, closing.y1);
    least_at_begin = select(first, max(begin, zero), least_at_begin);
  }
  list[list.count++] = closing;
}

template <class T>
ISOPATCH_HD PlanePoint<T> centroid_of(const AreaMoments<T>& m) {
  const T per_area = reciprocal(m.one);
  return {m.x * per_area, m.y * per_area};
}

/// How much of friction is taken from the closed form. With q = (v^2 + v_s^2) / (w r)^2, v at the centroid and r the
/// distance of the farthest corner from it: all where q < 2, nothing where q > 3.
template <class T>
struct Blend {
  T share;
  MaskOf<T> any;

  ISOPATCH_HD static Blend make(PlanePoint<T> centroid, T farthest, const PlaneFields<T>& fields, T slip_squared) {
    const T u = fma(-fields.spin, centroid.y, fields.u), v = fma(fields.spin, centroid.x, fields.v);
    const T speed_square = fma(u, u, fma(v, v, slip_squared)), spin_square = fields.spin * fields.spin * farthest;
    const MaskOf<T> any = T(3) * spin_square > speed_square && spin_square > T(1e-30f);
    const T share = fma(-speed_square, reciprocal(select(any, spin_square, T(1))), T(3));
    return {select(any, max(T(0), min(share, T(1))), T(0)), any};
  }
};

/// Friction in closed form, of the lanes of one register that have a share of it.
template <class T, class List, class Register>
ISOPATCH_HD auto friction_in_closed_form(const List& list, PlanePoint<T> centroid, T farthest, const Blend<T>& blend,
                                         const PlaneFields<T>& fields, double slip_tolerance, const Register& lanes) {
  const auto x = lanes.get(centroid.x), y = lanes.get(centroid.y);
  using D = std::remove_cv_t<decltype(x)>;
  const auto affine = [&](T value, T slope_x, T slope_y) {
    const Vec2<D> slope = {lanes.get(slope_x), lanes.get(slope_y)};
    return Affine<D>{fma(slope.x, x, fma(slope.y, y, lanes.get(value))), slope};
  };
  const D spin = lanes.get(select(blend.any, fields.spin, T(1))), per_spin = reciprocal(spin);
  const D u = lanes.get(select(blend.any, fields.u, T(0))), v = lanes.get(select(blend.any, fields.v, T(0)));
  const SpinningTraction<D> traction = {affine(fields.pressure, fields.pressure_x, fields.pressure_y),
                                        affine(fields.factor, fields.factor_x, fields.factor_y),
                                        {fma(-v, per_spin, -x), fma(u, per_spin, -y)},
                                        D(slip_tolerance) * abs(per_spin),
                                        select(spin < D(0), D(-1), D(1))};
  constexpr double kRounding = 4.0 * static_cast<double>(kEpsilon<T>);
  FrictionSums<D> sums(traction, D(kRounding * kRounding) * lanes.get(farthest));
  for_each_side(list, [&](MaskOf<T> exists, const BoundarySide<T>& p) {
    if (!lanes.has_any(exists && blend.any)) return;
    sums.add({lanes.get(p.x0) - x, lanes.get(p.y0) - y}, {lanes.get(p.x1) - x, lanes.get(p.y1) - y});
  });
  return sums.result();
}

/// Replaces friction by points, in `sum`, by its mixture with the closed form.
template <class T, class List>
ISOPATCH_HD void blend_friction(const List& list, PlanePoint<T> centroid, T farthest, const Blend<T>& blend,
                                const PlaneFields<T>& fields, double slip_tolerance, PlaneWrench<T>& sum) {
  PlaneFriction<T> closed = {T(0), T(0), T(0)};
  DoubleRegister<T>::for_each([&](const auto& lanes) {
    if (!lanes.has_any(blend.any)) return;
    const auto friction = friction_in_closed_form(list, centroid, farthest, blend, fields, slip_tolerance, lanes);
    closed.u = lanes.replace(closed.u, friction.u);
    closed.v = lanes.replace(closed.v, friction.v);
    closed.moment = lanes.replace(closed.moment, friction.moment);
  });

  const T moment = fma(centroid.x, closed.v, fma(-centroid.y, closed.u, closed.moment));
  const auto mix = [&](T points, T exact) {
    return select(blend.any, fma(blend.share, exact - points, points), points);
  };
  sum.u = mix(sum.u, closed.u);
  sum.v = mix(sum.v, closed.v);
  sum.moment_n = mix(sum.moment_n, moment);
}

/// A polygon for which the points of a fan are not good enough: damping ends in it, where `cuts`, or the direction of
/// friction turns. `wrench` and `farthest` are of the fan.
template <class T>
struct DeferredPolygon {
  T area;
  MaskOf<T> cuts;
  PlanePoint<T> centroid;
  Blend<T> blend;
  PlaneWrench<T> wrench;
  T farthest;
};

/// The wrench of a hard polygon with these sides, friction without its coefficient.
template <class T, class List>
ISOPATCH_HD PlaneWrench<T> integrate_hard(List& list, DeferredPolygon<T> polygon, const PlaneFields<T>& fields,
                                          double slip_tolerance) {
  const T slip_squared = cast<T>(slip_tolerance * slip_tolerance);
  auto& [area, cuts, centroid, blend, wrench, farthest] = polygon;
  if (any(cuts)) {
    cut_where_damping_ends(cuts, fields, list);
    AreaMoments<T> left = area_moments_of<T>(list);
    // an area within the rounding of its terms may be none, or negative, and has no centroid
    const MaskOf<T> found = left.one > T(16) * T(kEpsilon<T>) * area;
    left.one = select(found, left.one, area);  // which is not used
    const PlanePoint<T> apex = centroid_of(left);
    FanSum<T> of_left =
        integrate_fan(apex, fields, slip_squared, [&](const auto& visit) { for_each_side(list, visit); });
    add_normal_part(fields, left, of_left.third, of_left.wrench);
    centroid = {select(cuts, apex.x, centroid.x), select(cuts, apex.y, centroid.y)};
    wrench = select(cuts, select(found, of_left.wrench, PlaneWrench<T>{}), wrench);
    farthest = select(cuts, select(found, of_left.farthest, T(0)), farthest);
    blend = Blend<T>::make(centroid, farthest, fields, slip_squared);
  }
  if (any(blend.any)) blend_friction(list, centroid, farthest, blend, fields, slip_tolerance, wrench);
  return wrench;
}

template <class T, class Sides>
ISOPATCH_HD_LARGE PlaneWrench<T> integrate_hard_in_place(const Sides& sides, DeferredPolygon<T> polygon,
                                                         const PlaneFields<T>& fields, double slip_tolerance) {
  typename Sides::List list(sides);
  return integrate_hard(list, polygon, fields, slip_tolerance);
}

/// Integrates hard polygons where they are met.
struct HardInPlace {
  template <class T, class Sides>
  ISOPATCH_HD PlaneWrench<T> operator()(MaskOf<T>, const Sides& sides, const DeferredPolygon<T>& polygon,
                                        const PlaneFields<T>& fields, double slip_tolerance) const {
    return integrate_hard_in_place(sides, polygon, fields, slip_tolerance);
  }
};

/// What makes a polygon hard: where no corner's factor of damping is below that at the centroid less the slope times
/// the distance of the farthest one, nothing is cut. The margin of a thousandth is above what rounding may hide of
/// that; a polygon that it adds is cut where there is nothing to cut, and keeps its integrals but for rounding.
template <class T>
struct HardParts {
  MaskOf<T> cuts;
  Blend<T> blend;

  ISOPATCH_HD static HardParts make(PlanePoint<T> centroid, T farthest, const PlaneFields<T>& fields, bool has_friction,
                                    T slip_squared) {
    const T factor = fields.factor_at(centroid.x, centroid.y);
    const T slope_square = fma(fields.factor_x, fields.factor_x, fields.factor_y * fields.factor_y);
    return {factor < T(0) || T(1.001f) * slope_square * farthest > factor * factor,
            has_friction ? Blend<T>::make(centroid, farthest, fields, slip_squared) : Blend<T>{T(0), MaskOf<T>(false)}};
  }
  ISOPATCH_HD MaskOf<T> any() const { return cuts || blend.any; }
};

/// The wrench by the exact rule, friction without its coefficient; where that is 0, it may be left out. `hard`
/// integrates the hard ones among the polygons that are `found`.
template <class T, class Sides, class Hard>
ISOPATCH_HD PlaneWrench<T> integrate_exactly(MaskOf<T> found, const Sides& sides, const AreaMoments<T>& m,
                                             PlanePoint<T> centroid, const PlaneFields<T>& fields, bool has_friction,
                                             double slip_tolerance, const Hard& hard) {
  const T slip_squared = cast<T>(slip_tolerance * slip_tolerance);
  const auto for_each = [&](const auto& visit) { sides.for_each(visit); };
  FanSum<T> fan = has_friction ? integrate_fan(centroid, fields, slip_squared, for_each)
                               : integrate_frictionless_fan(centroid, fields, for_each);
  add_normal_part(fields, m, fan.third, fan.wrench);

  const HardParts<T> parts = HardParts<T>::make(centroid, fan.farthest, fields, has_friction, slip_squared);
  const MaskOf<T> is_hard = found && parts.any();
  if (!any(is_hard)) return fan.wrench;
  return hard(is_hard, sides, DeferredPolygon<T>{m.one, parts.cuts, centroid, parts.blend, fan.wrench, fan.farthest},
              fields, slip_tolerance);
}

/// The wrench with damping and friction, lengths in units of the plane's radius. The fan's apex is the centroid, so
/// triangles appear and vanish with zero area and the result is continuous (PFC fig. 5). Both fan rules integrate p and
/// x p exactly, so the static part is exact; the centroid rule is exact there too. Friction without its coefficient.
template <class T, class Sides, class Hard>
ISOPATCH_HD PlaneWrench<T> integrate_motion(const PairLaw& law, MaskOf<T> found, const Sides& sides,
                                            const AreaMoments<T>& m, const PlaneFields<T>& fields,
                                            const PlaneWrench<T>& resting, const Hard& hard) {
  const T slip_squared = cast<T>(law.slip_tolerance * law.slip_tolerance);
  const PlanePoint<T> centroid = centroid_of(m);
  if (law.quadrature == kExactRule) {
    return integrate_exactly(found, sides, m, centroid, fields, law.traction_friction > 0, law.slip_tolerance, hard);
  }
  if (law.quadrature == kCentroidRule) return integrate_by_centroid(centroid, m.one, fields, slip_squared, resting);
  PlaneWrench<T> sum;
  sides.for_each([&](MaskOf<T> exists, const BoundarySide<T>& at) {
    const BoundarySide<T> side = about(centroid, at);
    for_each_point(law.quadrature, centroid, side, triangle_area(exists, side),
                   [&](T x, T y, T weight) { add_point(x, y, weight, fields, slip_squared, sum); });
  });
  return sum;
}

}  // namespace isopatch::detail
