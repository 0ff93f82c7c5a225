// SPDX-License-Identifier: Apache-2.0
//
// Contact points with SIMD of doubles: each lane of a SIMD vector is one of the 32 lanes of a sum.
#pragma once

#include "host/cpu/rollout/point_kernels.h"
#include "host/cpu/simd/simd.h"

namespace isopatch::detail {
namespace {

using SimdDouble = Simd<double, kLanes>;

ISOPATCH_HD Vec3<SimdDouble> simd_of(Vec3d v) { return {SimdDouble(v.x), SimdDouble(v.y), SimdDouble(v.z)}; }
ISOPATCH_HD RelativeTwist<SimdDouble> simd_of(const PairTwist& twist) {
  return {simd_of(twist.linear), simd_of(twist.angular)};
}
ISOPATCH_HD PointParameters<SimdDouble> simd_of(const PointParameters<double>& p) {
  return {SimdDouble(p.step), SimdDouble(p.slip_tolerance)};
}

ISOPATCH_HD PolygonPoints<SimdDouble> load_points(const double* column) {
  PolygonPoints<SimdDouble> points;
  points.for_each([&](SimdDouble& number) {
    number = SimdDouble::load(column);
    column += kSumLanes;
  });
  return points;
}

ISOPATCH_HD void store_points(PolygonPoints<SimdDouble> points, double* column) {
  points.for_each([&](const SimdDouble& number) {
    number.store(column);
    column += kSumLanes;
  });
}

/// Calls visit(first column of a SIMD vector of polygons), lane after lane.
template <class Visit>
ISOPATCH_HD void for_each_vector(double* columns, int polygons, int first_lane, const Visit& visit) {
  for (int first = first_lane; first < polygons; first += kSumLanes) {
    visit(columns + static_cast<std::ptrdiff_t>(first / kSumLanes) * PolygonColumns::kBlock + first_lane);
  }
}

/// As lane_sums().
template <int size, class Add>
ISOPATCH_HD void simd_sums(double* columns, int polygons, const Add& add, double (&sums)[size]) {
  double lanes[size][kSumLanes];
  const int used = min(polygons, kSumLanes), packed = (used + kLanes - 1) / kLanes * kLanes;
  for (int lane = 0; lane < packed; lane += kLanes) {
    SimdDouble own[size];
    for (SimdDouble& sum : own) sum = SimdDouble(0.0);
    for_each_vector(columns, polygons, lane, [&](double* column) ISOPATCH_INLINED { add(load_points(column), own); });
    for (int k = 0; k < size; ++k) own[k].store(lanes[k] + lane);
  }
  for (int k = 0; k < size; ++k) {
    double* const lane = lanes[k];
    int left = packed;
    for (int half = kSumLanes / 2; half >= kLanes; half /= 2) {
      for (int l = 0; l + half < left; l += kLanes) {
        (SimdDouble::load(lane + l) + SimdDouble::load(lane + l + half)).store(lane + l);
      }
      left = min(left, half);
    }
    left = min(left, kLanes);
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half && left > 0; ++l) lane[l] += lane[l + half];
    }
    sums[k] = used == 0 ? 0.0 : used < kSumLanes ? lane[0] + 0.0 : lane[0];
  }
}

void sum_impulses(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                  double (&sums)[ImpulseSums::kSize]) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[ImpulseSums::kSize])
          ISOPATCH_INLINED { add_impulses(parameters, points, at, own); },
      sums);
}

double sum_potential(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  double sums[1];
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[1])
          ISOPATCH_INLINED { add_potential(parameters, points, at, own); },
      sums);
  return sums[0];
}

void sum_slopes(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                const PairTwist& change, double (&sums)[2]) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist), along = simd_of(change);
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[2])
          ISOPATCH_INLINED { add_slopes(parameters, points, at, along, own); },
      sums);
}

template <class Change>
ISOPATCH_HD void change_points(double* columns, int polygons, const Change& change) {
  for (int lane = 0; lane < min(polygons, kSumLanes); lane += kLanes) {
    for_each_vector(columns, polygons, lane, [&](double* column) ISOPATCH_INLINED {
      PolygonPoints<SimdDouble> points = load_points(column);
      change(points);
      store_points(points, column);
    });
  }
}

void begin_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                  bool predicted) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  change_points(columns, polygons, [&](PolygonPoints<SimdDouble>& points) ISOPATCH_INLINED {
    begin_limits(parameters, at, points);
    if (predicted) move_forces_back(parameters, at, points);
  });
}

void renew_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  change_points(columns, polygons,
                [&](PolygonPoints<SimdDouble>& points) ISOPATCH_INLINED { renew_limits(parameters, at, points); });
}

constexpr PointKernels kPointKernels = {sum_impulses, sum_potential, sum_slopes, begin_points, renew_points};

}  // namespace
}  // namespace isopatch::detail
