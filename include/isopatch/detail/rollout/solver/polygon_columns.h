// SPDX-License-Identifier: Apache-2.0
//
// The contact polygons of a pair as a solve reads them again and again: in blocks of 32, in which the same number of
// all polygons stands side by side, one for each lane of a sum (lane_sums.h).
#pragma once

#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/polygon/matched_points.h"
#include "isopatch/detail/rollout/solver/lane_sums.h"
#include "isopatch/detail/rollout/solver/point_impulse.h"

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

/// The columns of one pair's polygons.
class PolygonColumns {
 public:
  static constexpr int kColumns = 6 + 5 * PointDirections::kPoints;
  static constexpr int kBlock = kColumns * kSumLanes;  // numbers of 32 polygons

  ISOPATCH_HD static constexpr int blocks_of(int polygons) { return (polygons + kSumLanes - 1) / kSumLanes; }

  ISOPATCH_HD explicit PolygonColumns(double* first_block) : first_(first_block) {}

  ISOPATCH_HD double* column(int polygon) const {
    return first_ + static_cast<std::ptrdiff_t>(polygon / kSumLanes) * kBlock + polygon % kSumLanes;
  }
  ISOPATCH_HD PolygonPoints<double> load(int polygon) const {
    PolygonPoints<double> points;
    const double* from = column(polygon);
    points.for_each([&](double& number) {
      number = *from;
      from += kSumLanes;
    });
    return points;
  }
  ISOPATCH_HD void store(int polygon, PolygonPoints<double> points) const {
    double* to = column(polygon);
    points.for_each([&](const double& number) {
      *to = number;
      to += kSumLanes;
    });
  }

 private:
  double* first_;
};

/// The points of a polygon whose friction limits are not known yet. Pressure is positive inside it; rounding is cut.
template <class T>
ISOPATCH_HD PolygonPoints<double> points_of(const SolverContact<T>& polygon) {
  PolygonPoints<double> points;
  points.normal = cast<double>(polygon.normal);
  points.stiffness = cast<double>(polygon.stiffness);
  points.dissipation = cast<double>(polygon.dissipation);
  points.friction = polygon.friction;
  const Vec3d centroid = cast<double>(polygon.centroid);
  const Vec3d arm[2] = {cast<double>(polygon.arm[0]), cast<double>(polygon.arm[1])};
  const double change[2] = {cast<double>(polygon.change[0]), cast<double>(polygon.change[1])};
  ISOPATCH_UNROLL
  for (int k = 0; k < PointDirections::kPoints; ++k) {
    const double x = PointDirections::x(k), y = PointDirections::y(k);
    points.arm[k] = fma(x, arm[0], fma(y, arm[1], centroid));
    points.force[k] = max(fma(x, change[0], fma(y, change[1], cast<double>(polygon.force))), 0.0);
    points.limit[k] = 0;
  }
  return points;
}

}  // namespace isopatch::detail
