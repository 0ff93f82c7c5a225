// SPDX-License-Identifier: Apache-2.0
//
// The contact polygons of a pair as a solve reads them again and again: in blocks of 32, in which the same number of
// all polygons stands side by side, one for each lane of a sum (lane_sums.h).
#pragma once

#include <type_traits>

#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/polygon/matched_points.h"
#include "isopatch/detail/rollout/solver/point_impulse.h"
#include "isopatch/detail/simt/lane_sums.h"

namespace isopatch::detail {

/// A polygon's three points. T is double, or a SIMD vector of them.
template <class T>
struct PolygonPoints {
  static constexpr int kPoints = PointDirections::kPoints;

  Vec3<T> normal;
  T stiffness, dissipation;
  T friction;            // mu
  Vec3<T> arm[kPoints];  // from the pair's point, m
  T force[kPoints];      // elastic, at rest, N
  T limit[kPoints];      // of the friction impulse, N s

  /// Calls visit(number) for all of them in one order.
  template <class Visit>
  ISOPATCH_HD void for_each(const Visit& visit) {
    visit(normal.x), visit(normal.y), visit(normal.z);
    visit(stiffness), visit(dissipation), visit(friction);
    ISOPATCH_UNROLL
    for (int k = 0; k < kPoints; ++k) visit(arm[k].x), visit(arm[k].y), visit(arm[k].z), visit(force[k]);
    ISOPATCH_UNROLL
    for (int k = 0; k < kPoints; ++k) visit(limit[k]);
  }

  ISOPATCH_HD PointLaw<T> law(int k, T step) const { return {step, force[k], stiffness, dissipation}; }
};

/// The points of a polygon whose friction limits are not known yet. Pressure is positive inside it; rounding is cut.
template <class T>
ISOPATCH_HD PolygonPoints<T> points_of(const SolverContact<T>& polygon, T friction) {
  PolygonPoints<T> points;
  points.normal = polygon.normal;
  points.stiffness = polygon.stiffness;
  points.dissipation = polygon.dissipation;
  points.friction = friction;
  ISOPATCH_UNROLL
  for (int k = 0; k < PointDirections::kPoints; ++k) {
    const T x = T(PointDirections::x(k)), y = T(PointDirections::y(k));
    points.arm[k] = fma(x, polygon.arm[0], fma(y, polygon.arm[1], polygon.centroid));
    points.force[k] = max(fma(x, polygon.change[0], fma(y, polygon.change[1], polygon.force)), T(0.0));
    points.limit[k] = T(0.0);
  }
  return points;
}

/// How the force of a polygon's points changes as the pressure field moves: see SolverContact.
template <class T>
struct FieldSlope {
  Vec3<T> slope;
  T share_b;
};

/// Calls visit(number) for the numbers of a polygon that its points are made of but friction, in one order: its normal
/// first.
template <class Contact, class Visit>
ISOPATCH_HD void for_each_number(Contact& polygon, const Visit& visit) {
  const auto visit_all = [&](auto& v) { visit(v.x), visit(v.y), visit(v.z); };
  visit_all(polygon.normal), visit_all(polygon.centroid), visit_all(polygon.arm[0]), visit_all(polygon.arm[1]);
  visit(polygon.force), visit(polygon.change[0]), visit(polygon.change[1]);
  visit(polygon.stiffness), visit(polygon.dissipation);
}

/// The same for the rest of them, also of a FieldSlope.
template <class Contact, class Visit>
ISOPATCH_HD void for_each_slope_number(Contact& polygon, const Visit& visit) {
  visit(polygon.slope.x), visit(polygon.slope.y), visit(polygon.slope.z), visit(polygon.share_b);
}

/// A normal that was rounded to float, with the length 1: else friction over a small slip tolerance has a part along it
/// that outweighs masses.
ISOPATCH_HD Vec3d unit_of(Vec3d n) {
  const double inverse = fma(-0.5, fma(n.x, n.x, fma(n.y, n.y, n.z * n.z)), 1.5);  // of its length, by Newton's method
  return inverse * n;
}

/// The columns of one pair's polygons.
class PolygonColumns {
 public:
  static constexpr int kSlopeColumn = 18;  // of polygons before their points are made of them; before it, friction
  static constexpr int kFrictionColumn = kSlopeColumn - 1, kDissipationColumn = kSlopeColumn - 2;
  static constexpr int kLimitColumn = kSlopeColumn;    // of points
  static constexpr int kColumns = kSlopeColumn + 4;    // their points need one less
  static constexpr int kBlock = kColumns * kSumLanes;  // numbers of 32 polygons
  static constexpr int kMaxVector = 8;                 // of a block's polygons, that a CPU reads at once

  ISOPATCH_HD static constexpr int blocks_of(int polygons) { return (polygons + kSumLanes - 1) / kSumLanes; }

  ISOPATCH_HD explicit PolygonColumns(double* first_block) : first_(first_block) {}

  ISOPATCH_HD const double* block(int index) const { return first_ + static_cast<std::ptrdiff_t>(index) * kBlock; }
  ISOPATCH_HD double* column(int polygon) const {
    return first_ + static_cast<std::ptrdiff_t>(polygon / kSumLanes) * kBlock + polygon % kSumLanes;
  }
  /// The numbers of a polygon, a column apart.
  using Numbers = const double*;
  ISOPATCH_HD Numbers numbers(int polygon) const { return column(polygon); }
  ISOPATCH_HD PolygonPoints<double> load(int polygon) const { return load(numbers(polygon)); }
  ISOPATCH_HD static PolygonPoints<double> load(Numbers from) {
    PolygonPoints<double> points;
    points.for_each([&](double& number) {
      number = *from;
      from += kSumLanes;
    });
    return points;
  }
  /// Polygons before their points are made of them, in the first of the columns.
  template <class T>
  ISOPATCH_HD void write(int polygon, const SolverContact<T>& from) const {
    double* to = column(polygon);
    for_each_number(from, [&](const T& number) {
      *to = cast<double>(number);
      to += kSumLanes;
    });
    *to = from.friction;
    if constexpr (std::is_same_v<T, float>) {
      double* const n = column(polygon);
      const Vec3d unit = unit_of({n[0], n[kSumLanes], n[2 * kSumLanes]});
      n[0] = unit.x, n[kSumLanes] = unit.y, n[2 * kSumLanes] = unit.z;
    }
    for_each_slope_number(from, [&](const T& number) {
      to += kSumLanes;
      *to = cast<double>(number);
    });
  }
  /// Of polygons before their points are made of them.
  ISOPATCH_HD void set_friction(int polygon, double value) const {
    column(polygon)[kFrictionColumn * kSumLanes] = value;
  }
  ISOPATCH_HD void set_dissipation(int polygon, double value) const {
    column(polygon)[kDissipationColumn * kSumLanes] = value;
  }
  ISOPATCH_HD void write_nothing(int polygon) const {
    for (int i = 0; i < kColumns; ++i) column(polygon)[i * kSumLanes] = 0;
  }
  ISOPATCH_HD PolygonPoints<double> read(int polygon) const { return read(numbers(polygon)); }
  ISOPATCH_HD static PolygonPoints<double> read(Numbers from) {
    SolverContact<double> contact;
    for_each_number(contact, [&](double& number) {
      number = *from;
      from += kSumLanes;
    });
    return points_of(contact, *from);
  }
  /// Before points are made of the polygon.
  ISOPATCH_HD static FieldSlope<double> slope(Numbers from) {
    FieldSlope<double> slope;
    from += kSlopeColumn * kSumLanes;
    for_each_slope_number(slope, [&](double& number) {
      number = *from;
      from += kSumLanes;
    });
    return slope;
  }
  ISOPATCH_HD void store(int polygon, PolygonPoints<double> points) const {
    double* to = column(polygon);
    points.for_each([&](const double& number) {
      *to = number;
      to += kSumLanes;
    });
  }
  /// The friction limits alone, of points that were stored.
  ISOPATCH_HD void store_limits(int polygon, const PolygonPoints<double>& points) const {
    double* const to = column(polygon) + kLimitColumn * kSumLanes;
    ISOPATCH_UNROLL
    for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) to[k * kSumLanes] = points.limit[k];
  }

 private:
  double* first_;
};

}  // namespace isopatch::detail
