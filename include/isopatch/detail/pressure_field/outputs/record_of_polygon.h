// SPDX-License-Identifier: Apache-2.0
//
// The contacts of a polygon for the solver of a time step: a record for each, or several.
#pragma once

#include "isopatch/detail/cells/tet_filter.h"
#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/polygon/matched_points.h"
#include "isopatch/detail/pressure_field/outputs/contact_output.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch::detail {

/// Points of a triangle with ContactPoints::kFan6.
inline constexpr int kFanPoints = 6;

/// The size of the slope of a body's pressure, Pa/m.
template <class D, class Cells>
ISOPATCH_HD D pressure_slope(const PairBody& body, const Cells& cell) {
  if (body.half_space) return D(-half_space_pressure_slope(body));
  return norm(pressure_gradient(body, cell.gradient()));
}

/// By how much the pressure of contact falls at most, for each metre that the bodies move apart: both fields in series,
/// with the sizes of their slopes. Then a step in which they part never has more force than the fields themselves, and
/// gains no energy.
template <class D, class Cells>
ISOPATCH_HD D series_stiffness_density(const PairContext& f, const Cells& m, const Cells& s) {
  if (f.M.rigid) return pressure_slope<D>(f.S, s);
  if (f.S.rigid) return pressure_slope<D>(f.M, m);
  const D slope_M = pressure_slope<D>(f.M, m), slope_S = pressure_slope<D>(f.S, s);
  return slope_M * slope_S / (slope_M + slope_S);
}

/// What all points of a polygon are made from, in doubles. Lengths are in units of the plane's radius.
template <class T>
struct PolygonShape {
  using D = DoubleOf<T>;

  AreaMoments<D> moments;  // about the middle
  D x, y;                  // of the centroid, from the plane's origin
  D third;                 // of the area, m^2
  D gradient;              // the slope of the contact pressure along the normal, Pa/m
  D weight;                // of a pair with a one-sided body, else 1

  /// `weight` is what weigh_pressure() returned for this plane.
  template <class Polygon>
  ISOPATCH_HD PolygonShape(const PairContext& f, const ContactPlane<T>& plane, const Polygon& polygon,
                           const AreaMoments<T>& m, D weight_)
      : moments{cast<D>(m.one), cast<D>(m.x), cast<D>(m.y), cast<D>(m.xx), cast<D>(m.xy), cast<D>(m.yy)},
        x(cast<D>(polygon.middle_x) + moments.x / moments.one),
        y(cast<D>(polygon.middle_y) + moments.y / moments.one),
        third(cast<D>(plane.radius) * cast<D>(plane.radius) * moments.one / D(PointDirections::kPoints)),
        gradient(effective_gradient(f, plane)),
        weight(weight_) {}
};

/// Points about one of a contact plane, in its axes: the middle of them from the plane's origin [m], their arms in
/// units of its radius, a third of their area [m^2] and the stiffness of it [N/m].
template <class D>
struct PlanePoints {
  D x, y;
  PlaneArms<D> arms;
  D third, stiffness;
};

/// By how much more the pressure may change along a contact plane than the slopes across it say.
inline constexpr double kMaxSlopeRatio = 1.5;

/// The record of some points, with positions from `origin_W` in the world [m]; it has no key yet.
template <class T, class D = DoubleOf<T>>
ISOPATCH_HD SolverContact<T> record_of(const PairContext& f, const Vec3d& origin_W, const ContactPlane<T>& plane,
                                       const PlanePoints<D>& points, D damping) {
  const auto [X, Y, arms, third, stiffness] = points;
  const D radius = cast<D>(plane.radius), to_a = D(f.frame.swapped ? -1.0 : 1.0);
  const Vec3<D> u = rotate(f.frame.X_WM, plane.axes.u), v = rotate(f.frame.X_WM, plane.axes.v);
  const Vec3<D> origin = rotate(f.frame.X_WM, plane.origin) + cast<D>(f.frame.X_WM.translation - origin_W);
  SolverContact<T> out;
  out.centroid = cast<T>(fma(X, u, fma(Y, v, origin)));
  out.arm[0] = cast<T>(radius * fma(arms.xx, u, arms.xy * v));
  out.arm[1] = cast<T>(radius * fma(arms.xy, u, arms.yy * v));
  out.normal = cast<T>(to_a * rotate(f.frame.X_WM, plane.normal));
  const D pressure = fma(plane.pressure_u, X, fma(plane.pressure_v, Y, plane.pressure));
  out.force = cast<T>(third * pressure);
  out.change[0] = cast<T>(third * radius * fma(plane.pressure_u, arms.xx, plane.pressure_v * arms.xy));
  out.change[1] = cast<T>(third * radius * fma(plane.pressure_u, arms.xy, plane.pressure_v * arms.yy));
  out.stiffness = cast<T>(stiffness);
  out.dissipation = cast<T>(damping);
  // the slope along the plane that goes with the stiffness, which is not that of the slope across it
  const D across = third * effective_gradient(f, plane), most = D(kMaxSlopeRatio);
  const D along = third * select(across > D(0), min(stiffness / across, most), most);
  out.slope = cast<T>(fma(along * plane.pressure_u, u, (along * plane.pressure_v) * v));
  const D share_M = f.M.rigid   ? D(1)
                    : f.S.rigid ? D(0)
                                : max(min(plane.gradient_M / (plane.gradient_M + plane.gradient_S), D(1)), D(0));
  out.share_b = cast<T>(f.frame.swapped ? D(1) - share_M : share_M);
  out.friction = f.law.friction;
  return out;
}

/// The points of a polygon that has one record, with kMatched or kCentroid; false where it has none. With kCentroid,
/// when the three points are one, a polygon across which the pressure does not rise into both bodies is left out.
template <class T, class Cells, class D = DoubleOf<T>>
ISOPATCH_HD MaskOf<T> points_of_polygon(const PairContext& f, const Cells& m, const Cells& s, ContactPoints points,
                                        const ContactPlane<T>& plane, const PolygonShape<T>& shape,
                                        PlanePoints<D>& out) {
  const D radius = cast<D>(plane.radius), zero = D(0);
  out = {radius * shape.x, radius * shape.y, {zero, zero, zero}, shape.third, zero};
  if (points == ContactPoints::kMatched) {
    out.stiffness = shape.third * shape.weight * series_stiffness_density<D>(f, m, s);
    return matched_arms(shape.moments, out.arms) && shape.weight > D(0);
  }
  out.stiffness = shape.third * shape.gradient;
  return resists(f, plane);
}

/// The record of such a polygon; false where it has none.
template <class T, class Cells>
ISOPATCH_HD MaskOf<T> make_solver_contact(const PairContext& f, const Cells& m, const Cells& s, ContactPoints points,
                                          const Vec3d& origin_W, const ContactPlane<T>& plane,
                                          const PolygonShape<T>& shape, SolverContact<T>& out) {
  PlanePoints<DoubleOf<T>> at;
  const MaskOf<T> found = points_of_polygon(f, m, s, points, plane, shape, at);
  out = record_of(f, origin_W, plane, at, damping_at(f, m, s, plane, at.x, at.y));
  return found;
}

/// With kFan6, each point of the rule of six on the fan about the centroid has a record, of three points that are one.
/// `side` is about the polygon's middle, and `fall` the stiffness of an area, Pa/m.
template <class T>
ISOPATCH_HD PlanePoints<double> point_of_fan(const ContactPlane<T>& plane, const PolygonShape<T>& shape,
                                             const BoundarySide<T>& side, int point, double fall) {
  const double cx = shape.moments.x / shape.moments.one, cy = shape.moments.y / shape.moments.one;
  const double x0 = static_cast<double>(side.x0) - cx, y0 = static_cast<double>(side.y0) - cy,
               x1 = static_cast<double>(side.x1) - cx, y1 = static_cast<double>(side.y1) - cy;
  const double area = 0.5 * std::fma(x0, y1, -(x1 * y0));
  const TrianglePoints<double> rule = TrianglePoints<double>::make(kFanPoints, point >= 3);
  const double b = point % 3 == 1 ? rule.a : rule.rest, c = point % 3 == 2 ? rule.a : rule.rest;
  const double radius = static_cast<double>(plane.radius);
  const double third = radius * radius * (rule.weight * area) / PointDirections::kPoints;
  return {radius * (shape.x + std::fma(b, x0, c * x1)),
          radius * (shape.y + std::fma(b, y0, c * y1)),
          {0, 0, 0},
          third,
          third * fall};
}

/// The same cells. What was read of them before is read again on a GPU, where it would be spilled meanwhile.
ISOPATCH_HD const AcceptedCells& read_again(const AcceptedCells& cells) {
  const AcceptedCells* at = &cells;
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(at));
#endif
  return *at;
}

/// What a part pair's records are made with, and where they go.
template <class T, class Append>
struct ContactRecords {
  int part_pair;
  ContactPoints points;
  const Vec3d& origin_W;     // the pair's point in the world, m
  const double& load_bound;  // of the pair, N
  const Append& append;      // takes a record

  ISOPATCH_HD FixedPointScale<T> load_scale() const { return FixedPointScale<T>::from_bound(load_bound); }

  /// Hands over the records of the polygon of two cells that passed the gate. False if they have none after all.
  template <class Lines>
  ISOPATCH_HD bool make(const PairContext& f, const AcceptedCells& at, const Lines& lines, SignSum<T>& far_side) const {
    const CellRef m = cell_of_M(f, at.m), s = cell_of_S(f, at.s);
    ContactPlane<T> plane;
    typename Lines::template Polygon<T> polygon;
    if (!make_contact_plane(f, m, s, at.bounds, lines, plane)) return false;
    if (!lines.clip(plane.line, plane.num_lines, polygon)) return false;
    const auto& sides = lines.sides(polygon, plane.num_lines);
    const AreaMoments<T> moments = area_moments(sides);
    if (!is_polygon(sides, moments)) return false;
    if (f.pass == Pass::kUnfiltered) return true;
    PlaneFields<T> fields;
    const T load = plane.radius * plane.radius * integrate_pressure(plane, polygon, moments, fields);
    const AcceptedCells& again = Lines::kInMemory ? read_again(at) : at;
    const double weight = weigh_pressure(f, cell_of_M(f, again.m), cell_of_S(f, again.s), polygon, moments, plane);
    const T excess = far_side_excess(f, plane, weight, load);
    if constexpr (Lines::kInMemory) renew_axes(plane);
    append_all(f, again, plane, sides, PolygonShape<T>(f, plane, polygon, moments, weight));
    far_side.add(load_scale().to_quanta * excess);
    return true;
  }

 private:
  template <class Sides>
  ISOPATCH_HD void append_all(const PairContext& f, const AcceptedCells& at, const ContactPlane<T>& plane,
                              const Sides& sides, const PolygonShape<T>& shape) const {
    const CellRef m = cell_of_M(f, at.m), s = cell_of_S(f, at.s);
    const ContactKey key = ContactKey::of_part_pair(part_pair, at.m, at.s);
    const double radius = static_cast<double>(plane.radius);
    const double damping = damping_at(f, m, s, plane, radius * shape.x, radius * shape.y);
    PlanePoints<double> found;
    if (points != ContactPoints::kFan6) {
      if (!points_of_polygon(f, m, s, points, plane, shape, found)) return;
      return append_record(f, plane, found, damping, key.word());
    }
    const double fall = shape.weight * series_stiffness_density<double>(f, m, s);
    const typename Sides::List list(sides);
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < kFanPoints * list.count; ++i) {
      found = point_of_fan(plane, shape, list[i / kFanPoints], i % kFanPoints, fall);
      append_record(f, plane, found, damping, key.word_of_point(i));
    }
  }

  ISOPATCH_HD void append_record(const PairContext& f, const ContactPlane<T>& plane, const PlanePoints<double>& at,
                                 double damping, std::uint64_t key) const {
    SolverContact<T> record = record_of(f, origin_W, plane, at, damping);
    record.key = key;
    append(record);
  }
};

/// The point in the world that the contacts of a pair are given from, m.
ISOPATCH_HD Vec3d contact_origin(const SceneView& scene, const State& state, std::int64_t environment,
                                 const PairView& pair) {
  return pair_origin(make_body_bounds(scene, state, environment, pair.a),
                     make_body_bounds(scene, state, environment, pair.b));
}

}  // namespace isopatch::detail
