// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "isopatch/detail/contact/polygon_record.h"
#include "isopatch/detail/contact/record_rows.h"
#include "isopatch/detail/contact/sinks.h"
#include "isopatch/detail/pressure_field/outputs/found_polygon.h"

namespace isopatch::detail {

/// A key from 0 to 4 that grows with the angle of (x, y), without a transcendental function.
template <class T>
ISOPATCH_HD T angle_order(T x, T y) {
  const T p = x / (std::fabs(x) + std::fabs(y));
  return y >= T(0) ? T(1) - p : T(3) + p;
}

/// The order of the polygon's corners, the beginnings of its sides.
struct CornerOrder {
  int place[kMaxLines];  // of the corner where side i begins; -1 for a line without a side
  int corners = 0;

  /// Counter-clockwise about the middle, which is inside, or the other way round. An index is never dynamic, so that a
  /// GPU keeps all in registers.
  template <class T>
  ISOPATCH_HD CornerOrder(const Segments<T>& s, int count, bool reversed) {
    T key[kMaxLines];
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      const bool side = s.has_side(i);
      key[i] = side ? angle_order(s.x0[i], s.y0[i]) : T(5);  // beyond all angles
      corners += side ? 1 : 0;
    }
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      int before = 0;
      ISOPATCH_UNROLL
      for (int k = 0; k < count; ++k) before += key[k] < key[i] || (key[k] == key[i] && k < i) ? 1 : 0;
      place[i] = !s.has_side(i) ? -1 : reversed ? corners - 1 - before : before;
    }
  }
};

/// Turns the segments into a polygon with its vertices in order, in the world, for results. It is written where it is
/// to be, since an array that is filled in a loop would not be in a GPU's registers; `out` is a PolygonWriter.
template <class T, class Writer>
ISOPATCH_HD void make_polygon(const PairContext& f, int pair, const ContactPlane<T>& plane, const Segments<T>& s,
                              int count, const Contribution<T>& contribution, const Writer& out) {
  // a swapped pair's normal points the other way, and its polygon runs the other way round
  const CornerOrder order(s, count, f.frame.swapped);
  ISOPATCH_NO_UNROLL
  for (int j = 0; j < order.corners; ++j) {
    T x = T(0), y = T(0);
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      x = select(order.place[i] == j, s.x0[i], x);
      y = select(order.place[i] == j, s.y0[i], y);
    }
    const double X = static_cast<double>(plane.radius) * static_cast<double>(s.middle_x + x);
    const double Y = static_cast<double>(plane.radius) * static_cast<double>(s.middle_y + y);
    const Vec3d p_W = apply(f.frame.X_WM, fma(X, plane.axes.u, fma(Y, plane.axes.v, plane.origin)));
    const double pressure = std::fma(plane.pressure_u, X, std::fma(plane.pressure_v, Y, plane.pressure));
    out.corner(j, cast<float>(p_W), static_cast<float>(pressure));
  }
  const Vec3d n_W = (f.frame.swapped ? -1.0 : 1.0) * rotate(f.frame.X_WM, plane.normal);
  out.end({pair, order.corners, cast<float>(n_W), static_cast<float>(contribution.area), f.part_a, f.part_b});
}

/// True if the pressure of each compliant body rises into it across the polygon, by more than 1e-9 of the body's
/// steepest slope, which is above rounding.
template <class T>
ISOPATCH_HD MaskOf<T> resists(const PairContext& f, const ContactPlane<T>& plane) {
  using D = DoubleOf<T>;
  constexpr double kFlat = 1e-9;
  MaskOf<T> found(true);
  if (!f.M.rigid) found = plane.gradient_M > D(kFlat * steepest_slope(f.M));
  if (!f.S.rigid) found = found && plane.gradient_S > D(kFlat * steepest_slope(f.S));
  return found;
}

/// The same polygon as a point contact at its centroid.
template <class T>
ISOPATCH_HD void make_contact(const PairContext& f, int pair, const CellRef& cell_M, const CellRef& cell_S,
                              const ContactPlane<T>& plane, const SidesInPlace<T>& sides,
                              const Contribution<T>& contribution, DiscreteContact& out) {
  const Segments<T>& s = sides.segments;
  const AreaMoments<T> m = area_moments(sides);
  const double X = static_cast<double>(plane.radius) * static_cast<double>(s.middle_x + m.x / m.one);
  const double Y = static_cast<double>(plane.radius) * static_cast<double>(s.middle_y + m.y / m.one);
  const double pressure = std::fma(plane.pressure_u, X, std::fma(plane.pressure_v, Y, plane.pressure));
  const double gradient = effective_gradient(f, plane);
  const Vec3d p_W = apply(f.frame.X_WM, fma(X, plane.axes.u, fma(Y, plane.axes.v, plane.origin)));
  const Vec3d n_W = (f.frame.swapped ? -1.0 : 1.0) * rotate(f.frame.X_WM, plane.normal);

  out = {};
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
  out.dissipation = static_cast<float>(damping_at(f, cell_M, cell_S, plane, X, Y));
  out.friction = static_cast<float>(f.law.friction);
  out.part_a = f.part_a;
  out.part_b = f.part_b;
}

/// A sink of polygons: the rows of their environment, and the rows of all environments in one array.
template <class T, class Packed>
struct PolygonRows {
  const Results& results;
  const Packed& packed;

  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, const FoundPolygon<T>& p) const {
    Polygon* const first = environment_polygons(results).append(warp, p.environment, p.key());
    auto* const second = packed.append(warp, p.environment, p.key());
    if (first == nullptr && second == nullptr) return;
    make_polygon(p.context, p.pair, p.plane, p.sides.segments, p.sides.num_lines, p.contribution,
                 PolygonWriter{first, second});
  }
};

/// The same as point contacts, which polygons have that resist.
template <class T, class Packed>
struct PointContactRows {
  const Results& results;
  const Packed& packed;

  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, const FoundPolygon<T>& p) const {
    const EnvironmentRows<DiscreteContact> rows = environment_contacts(results);
    if (!(rows.is_wanted() || packed.is_wanted()) || !resists(p.context, p.plane)) return;
    append_row<DiscreteContact>(warp, rows, packed, p.environment, p.key(), [&](DiscreteContact& to) {
      make_contact(p.context, p.pair, cell_of_M(p.context, p.m), cell_of_S(p.context, p.s), p.plane, p.sides,
                   p.contribution, to);
    });
  }
};

/// The sinks of all rows; `packed` has the members `polygons` and `contacts`, destinations of all environments.
template <class T, class Packed>
ISOPATCH_HD auto row_sinks(const Results& results, const Packed& packed) {
  using Polygons = PolygonRows<T, std::remove_cvref_t<decltype(packed.polygons)>>;
  using Contacts = PointContactRows<T, std::remove_cvref_t<decltype(packed.contacts)>>;
  return sink_list(Polygons{results, packed.polygons}, Contacts{results, packed.contacts});
}

}  // namespace isopatch::detail
