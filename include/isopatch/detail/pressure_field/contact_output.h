// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/pressure_field/polygon_integrals.h"
#include "isopatch/results.h"

namespace isopatch::detail {

/// A key from 0 to 4 that grows with the angle of (x, y), without a transcendental function.
template <class T>
ISOPATCH_HD T angle_order(T x, T y) {
  const T p = x / (std::fabs(x) + std::fabs(y));
  return y >= T(0) ? T(1) - p : T(3) + p;
}

/// Turns the segments into a polygon with its vertices in order, in the world, for results.
template <class T>
ISOPATCH_HD Polygon make_polygon(const PairContext& f, int pair, const ContactPlane<T>& plane, const Segments<T>& s,
                                 int count, const Contribution<T>& contribution) {
  // start points by angle about the middle, which is inside; insertion sort of at most eight points
  T order[kMaxLines];
  int line[kMaxLines];
  int vertices = 0;
  for (int i = 0; i < count; ++i) {
    if (!s.has_part(i)) continue;
    const T key = angle_order(s.x0[i], s.y0[i]);
    int at = vertices++;
    for (; at > 0 && order[at - 1] > key; --at) order[at] = order[at - 1], line[at] = line[at - 1];
    order[at] = key;
    line[at] = i;
  }

  Polygon out = {};
  out.pair = pair;
  out.num_vertices = vertices;
  for (int j = 0; j < vertices; ++j) {
    // a swapped pair's normal points the other way, and its polygon runs the other way round
    const int i = line[f.frame.swapped ? vertices - 1 - j : j];
    const double X = static_cast<double>(plane.radius) * static_cast<double>(s.middle_x + s.x0[i]);
    const double Y = static_cast<double>(plane.radius) * static_cast<double>(s.middle_y + s.y0[i]);
    const Vec3d p_W = apply(f.frame.X_WM, fma(X, plane.axes.u, fma(Y, plane.axes.v, plane.origin)));
    out.vertices[j][0] = static_cast<float>(p_W.x);
    out.vertices[j][1] = static_cast<float>(p_W.y);
    out.vertices[j][2] = static_cast<float>(p_W.z);
    out.pressures[j] = static_cast<float>(std::fma(plane.pressure_u, X, std::fma(plane.pressure_v, Y, plane.pressure)));
  }
  const Vec3d n_W = (f.frame.swapped ? -1.0 : 1.0) * rotate(f.frame.X_WM, plane.normal);
  out.normal[0] = static_cast<float>(n_W.x);
  out.normal[1] = static_cast<float>(n_W.y);
  out.normal[2] = static_cast<float>(n_W.z);
  out.area = static_cast<float>(contribution.area);
  out.part_a = f.part_a;
  out.part_b = f.part_b;
  return out;
}

/// True if the pressure of each compliant body rises into it across the polygon, by more than 1e-9 of the body's
/// steepest slope, which is above rounding.
template <class T>
ISOPATCH_HD bool resists(const PairContext& f, const ContactPlane<T>& plane) {
  constexpr double kFlat = 1e-9;
  return (f.M.rigid || plane.gradient_M > kFlat * steepest_slope(f.M)) &&
         (f.S.rigid || plane.gradient_S > kFlat * steepest_slope(f.S));
}

/// The same polygon as a point contact at its centroid.
template <class T>
ISOPATCH_HD DiscreteContact make_contact(const PairContext& f, int pair, const ContactPlane<T>& plane,
                                         const Segments<T>& s, int count, const Contribution<T>& contribution) {
  const AreaMoments<T> m = area_moments(s, count);
  const double X = static_cast<double>(plane.radius) * static_cast<double>(s.middle_x + m.x / m.one);
  const double Y = static_cast<double>(plane.radius) * static_cast<double>(s.middle_y + m.y / m.one);
  const double pressure = std::fma(plane.pressure_u, X, std::fma(plane.pressure_v, Y, plane.pressure));
  const double gradient = effective_gradient(f, plane);
  const Vec3d p_W = apply(f.frame.X_WM, fma(X, plane.axes.u, fma(Y, plane.axes.v, plane.origin)));
  const Vec3d n_W = (f.frame.swapped ? -1.0 : 1.0) * rotate(f.frame.X_WM, plane.normal);

  DiscreteContact out = {};
  out.pair = pair;
  out.point[0] = static_cast<float>(p_W.x);
  out.point[1] = static_cast<float>(p_W.y);
  out.point[2] = static_cast<float>(p_W.z);
  out.normal[0] = static_cast<float>(n_W.x);
  out.normal[1] = static_cast<float>(n_W.y);
  out.normal[2] = static_cast<float>(n_W.z);
  out.area = static_cast<float>(contribution.area);
  out.pressure = static_cast<float>(pressure);
  out.stiffness = static_cast<float>(static_cast<double>(contribution.area) * gradient);
  out.distance = static_cast<float>(-pressure / gradient);
  out.dissipation = static_cast<float>(f.law.pfc_dissipation ? f.law.dissipation * gradient : f.law.dissipation);
  out.friction = static_cast<float>(f.law.friction);
  out.part_a = f.part_a;
  out.part_b = f.part_b;
  return out;
}

}  // namespace isopatch::detail
