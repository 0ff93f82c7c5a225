// SPDX-License-Identifier: Apache-2.0
//
// Damping and friction over one contact polygon by points: the traction law at a point, and the rules that say where
// the points are.
#pragma once

#include "isopatch/detail/polygon/boundary_sides.h"

namespace isopatch::detail {

/// Components in the contact plane's axes (u, v, n) of a force, and of its moment about the polygon's middle.
template <class T>
struct PlaneWrench {
  T u = T(0), v = T(0), n = T(0);
  T moment_u = T(0), moment_v = T(0), moment_n = T(0);
};

template <class T>
ISOPATCH_HD PlaneWrench<T> select(MaskOf<T> mask, const PlaneWrench<T>& a, const PlaneWrench<T>& b) {
  return {select(mask, a.u, b.u),
          select(mask, a.v, b.v),
          select(mask, a.n, b.n),
          select(mask, a.moment_u, b.moment_u),
          select(mask, a.moment_v, b.moment_v),
          select(mask, a.moment_n, b.moment_n)};
}

/// A point of the contact plane, about the polygon's middle.
template <class T>
struct PlanePoint {
  T x, y;
};

/// The quantities that are affine over the contact plane: the pressure, and the motion of M relative to S in the
/// plane's axes. About the polygon's middle, lengths in units of the plane's radius.
template <class T>
struct PlaneFields {
  T pressure, pressure_x, pressure_y;  // Pa
  T u, v, spin;                        // slip velocity (u - spin y, v + spin x), m/s
  T factor, factor_x, factor_y;        // of damping, 1 - d v_n: its value and slopes, formed in double as it may cancel

  /// The factor by which damping changes the pressure at one point; where it is negative, the bodies part without any.
  ISOPATCH_HD T factor_at(T x, T y) const { return fma(factor_x, x, fma(factor_y, y, factor)); }
  ISOPATCH_HD T damping(T x, T y) const { return max(T(0), factor_at(x, y)); }
  ISOPATCH_HD T pressure_at(T x, T y) const { return fma(pressure_x, x, fma(pressure_y, y, pressure)); }
};

/// Adds friction at one point, without its coefficient; returns the normal force there (README.md beside this folder
/// has the laws). `weight` is the area that the point (x, y) represents.
template <class T>
ISOPATCH_HD T add_friction(T x, T y, T weight, const PlaneFields<T>& at, T slip_squared, PlaneWrench<T>& sum) {
  const T v_u = fma(-at.spin, y, at.u), v_v = fma(at.spin, x, at.v);
  const T normal_force = weight * at.pressure_at(x, y) * at.damping(x, y);
  const T drag = normal_force * inverse_sqrt(fma(v_u, v_u, fma(v_v, v_v, slip_squared)));

  const T t_u = drag * v_u, t_v = drag * v_v;
  sum.u = sum.u - t_u;
  sum.v = sum.v - t_v;
  sum.moment_n = fma(-x, t_v, fma(y, t_u, sum.moment_n));
  return normal_force;
}

/// Adds the traction at one point: pressure and damping along the normal, and friction in the plane.
template <class T>
ISOPATCH_HD void add_point(T x, T y, T weight, const PlaneFields<T>& at, T slip_squared, PlaneWrench<T>& sum) {
  const T normal_force = add_friction(x, y, weight, at, slip_squared, sum);
  sum.n = sum.n + normal_force;
  sum.moment_u = fma(y, normal_force, sum.moment_u);
  sum.moment_v = fma(-x, normal_force, sum.moment_v);
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

/// Calls add(x, y, weight) for the points of the triangle between `apex` and a side, whose ends are
/// given about the apex. `points` are 3 or 6.
template <class T, class Add>
ISOPATCH_HD void for_each_point(int points, PlanePoint<T> apex, const BoundarySide<T>& side, T area, const Add& add) {
  for (int first = 0; first < points; first += 3) {
    const TrianglePoints<T> q = TrianglePoints<T>::make(points, first > 0);
    const T weight = q.weight * area;
    ISOPATCH_UNROLL_ON_GPU
    for (int corner = 0; corner < 3; ++corner) {
      const T b = corner == 1 ? q.a : q.rest, c = corner == 2 ? q.a : q.rest;
      add(fma(b, side.x0, fma(c, side.x1, apex.x)), fma(b, side.y0, fma(c, side.y1, apex.y)), weight);
    }
  }
}

/// The side with its ends about the apex.
template <class T>
ISOPATCH_HD BoundarySide<T> about(PlanePoint<T> apex, const BoundarySide<T>& side) {
  return {side.x0 - apex.x, side.y0 - apex.y, side.x1 - apex.x, side.y1 - apex.y};
}

/// The wrench by one point, which also scales the closed form of the pressure, `resting`, by its one damping factor.
template <class T>
ISOPATCH_HD PlaneWrench<T> integrate_by_centroid(PlanePoint<T> centroid, T area, const PlaneFields<T>& fields,
                                                 T slip_squared, const PlaneWrench<T>& resting) {
  PlaneWrench<T> sum;
  add_point(centroid.x, centroid.y, area, fields, slip_squared, sum);
  const T factor = fields.damping(centroid.x, centroid.y);
  sum.n = factor * resting.n;
  sum.moment_u = factor * resting.moment_u;
  sum.moment_v = factor * resting.moment_v;
  return sum;
}

}  // namespace isopatch::detail
