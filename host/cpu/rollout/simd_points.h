// SPDX-License-Identifier: Apache-2.0
//
// Contact points with SIMD of doubles: each lane of a SIMD vector is one of the 32 lanes of a sum.
#pragma once

#include "host/cpu/rollout/point_kernels.h"
#include "host/cpu/simd/simd.h"

namespace isopatch::detail {
namespace {

using SimdDouble = Simd<double, kLanes>;

ISOPATCH_HD RelativeTwist<SimdDouble> simd_of(const PairTwist& twist) { return for_all_lanes<SimdDouble>(twist); }
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

ISOPATCH_HD PolygonPoints<SimdDouble> read_points(const double* column) {
  SolverContact<SimdDouble> contact;
  for_each_number(contact, [&](SimdDouble& number) {
    number = SimdDouble::load(column);
    column += kSumLanes;
  });
  return points_of(contact, SimdDouble::load(column));
}

ISOPATCH_HD FieldSlope<SimdDouble> read_slope(const double* column) {
  FieldSlope<SimdDouble> slope;
  column += PolygonColumns::kSlopeColumn * kSumLanes;
  for_each_slope_number(slope, [&](SimdDouble& number) {
    number = SimdDouble::load(column);
    column += kSumLanes;
  });
  return slope;
}

ISOPATCH_HD void store_points(PolygonPoints<SimdDouble> points, double* column) {
  points.for_each([&](const SimdDouble& number) {
    number.store(column);
    column += kSumLanes;
  });
}

ISOPATCH_HD void store_limits(const PolygonPoints<SimdDouble>& points, double* column) {
  for (int k = 0; k < PolygonPoints<SimdDouble>::kPoints; ++k) {
    points.limit[k].store(column + (PolygonColumns::kLimitColumn + k) * kSumLanes);
  }
}

/// Calls visit(first column of a SIMD vector of polygons), lane after lane.
template <class Visit>
ISOPATCH_HD void for_each_vector(double* columns, int polygons, int first_lane, const Visit& visit) {
  for (int first = first_lane; first < polygons; first += kSumLanes) {
    visit(columns + static_cast<std::ptrdiff_t>(first / kSumLanes) * PolygonColumns::kBlock + first_lane);
  }
}

/// Adds up the lanes of each vector, lane l and lane l + half for half = kLanes / 2, ..., 1: those of vector k are lane
/// k of the result. After each addition, a vector holds what is left of twice as many.
ISOPATCH_HD SimdDouble add_up_lanes(const SimdDouble (&vectors)[kLanes]) {
  static_assert(kLanes == 2 || kLanes == 4 || kLanes == PolygonColumns::kMaxVector);
  const Tag<double, kLanes> tag;
  SimdDouble v[kLanes];
  ISOPATCH_UNROLL
  for (int k = 0; k < kLanes; ++k) v[k] = vectors[k];
  if constexpr (kLanes > 2) {
    ISOPATCH_UNROLL
    for (int k = 0; k < kLanes / 2; ++k) {
      const auto a = v[k].low, b = v[k + kLanes / 2].low;
      v[k].low = hn::Add(hn::ConcatLowerLower(tag, b, a), hn::ConcatUpperUpper(tag, b, a));
    }
  }
  if constexpr (kLanes > 4) {
    ISOPATCH_UNROLL
    for (int k = 0; k < 2; ++k) {
      const auto a = v[k].low, b = v[k + 2].low;
      v[k].low = hn::Add(hn::OddEvenBlocks(b, a), hn::SwapAdjacentBlocks(hn::OddEvenBlocks(a, b)));
    }
  }
  const auto a = v[0].low, b = v[1].low;
  return SimdDouble(hn::Add(hn::InterleaveLower(tag, a, b), hn::InterleaveUpper(tag, a, b)));
}

/// As lane_sums(), of what add(column, sums) adds for a SIMD vector of polygons.
template <int size, class Add>
ISOPATCH_HD void simd_sums_of_columns(double* columns, int polygons, const Add& add, double (&sums)[size]) {
  SimdDouble own[kSumLanes / kLanes][size];  // of a SIMD vector of lanes
  const int used = (min(polygons, kSumLanes) + kLanes - 1) / kLanes;
  for (int i = 0; i < max(used, 1); ++i) {
    SimdDouble vectors[size];
    ISOPATCH_UNROLL
    for (SimdDouble& sum : vectors) sum = SimdDouble(0.0);
    for_each_vector(columns, polygons, i * kLanes, [&](double* column) ISOPATCH_INLINED { add(column, vectors); });
    ISOPATCH_UNROLL
    for (int k = 0; k < size; ++k) own[i][k] = vectors[k];
  }
  for (int half = kSumLanes / kLanes / 2, left = used; half > 0; left = min(left, half), half /= 2) {
    for (int i = 0; i + half < left; ++i) {
      ISOPATCH_UNROLL
      for (int k = 0; k < size; ++k) own[i][k] = own[i][k] + own[i + half][k];
    }
  }
  ISOPATCH_UNROLL
  for (int first = 0; first < size; first += kLanes) {
    SimdDouble vectors[kLanes];
    ISOPATCH_UNROLL
    for (int k = 0; k < kLanes; ++k) vectors[k] = own[0][min(first + k, size - 1)];
    SimdDouble total = add_up_lanes(vectors);
    if (polygons < kSumLanes) total = total + SimdDouble(0.0);  // as add_up_lanes() does
    double lane[kLanes];
    total.store(lane);
    ISOPATCH_UNROLL
    for (int k = 0; k < kLanes; ++k) {
      if (first + k < size) sums[first + k] = lane[k];
    }
  }
}

/// Of polygons whose points are made.
template <int size, class Add>
ISOPATCH_HD void simd_sums(double* columns, int polygons, const Add& add, double (&sums)[size]) {
  simd_sums_of_columns(
      columns, polygons,
      [&](const double* column, SimdDouble(&own)[size]) ISOPATCH_INLINED { add(load_points(column), own); }, sums);
}

void sum_patch(double* columns, int polygons, const BodyMobility& a, const BodyMobility& b,
               double (&sums)[DamperSums::kSize]) {
  simd_sums_of_columns(
      columns, polygons,
      [&](const double* column, SimdDouble(&own)[DamperSums::kSize])
          ISOPATCH_INLINED { add_patch(a, b, read_points(column), own); },
      sums);
}

void sum_carried(double* columns, int polygons, const PatchMotion& motion, double (&sums)[CarrySums::kSize]) {
  simd_sums_of_columns(
      columns, polygons,
      [&](const double* column, SimdDouble(&own)[CarrySums::kSize])
          ISOPATCH_INLINED { add_carried(motion, read_slope(column), read_points(column), own); },
      sums);
}

void sum_plate(double step, double* columns, int polygons, const PairTwist& twist, double (&sums)[PlateSums::kSize]) {
  const SimdDouble duration(step);
  const auto at = simd_of(twist);
  simd_sums_of_columns(
      columns, polygons,
      [&](const double* column, SimdDouble(&own)[PlateSums::kSize])
          ISOPATCH_INLINED { add_plate(duration, read_points(column), at, own); },
      sums);
}

double sum_normal_impulses(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  double sums[1];
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[1])
          ISOPATCH_INLINED { add_normal_impulses(parameters, points, at, own); },
      sums);
  return sums[0];
}

void sum_impulses(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                  double (&sums)[ImpulseSums::kSize]) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[ImpulseSums::kSize])
          ISOPATCH_INLINED { add_sums<true, false, SimdDouble>(parameters, points, at, own, nullptr); },
      sums);
}

void sum_all(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist, bool renews,
             double (&sums)[kEvaluationSums]) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  simd_sums_of_columns(
      columns, polygons,
      [&](double* column, SimdDouble(&own)[kEvaluationSums]) ISOPATCH_INLINED {
        PolygonPoints<SimdDouble> points = load_points(column);
        if (renews) {
          renew_limits(parameters, at, points);
          store_limits(points, column);
        }
        add_sums<true, true>(parameters, points, at, own, own + ImpulseSums::kSize);
      },
      sums);
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

void begin_points(const PointParameters<double>& p, double* columns, int polygons, const PointsStart<double>& start,
                  double (&potentials)[2]) {
  const auto parameters = simd_of(p);
  const PointsStart<SimdDouble> simd_start = {start.by, simd_of(start.known), simd_of(start.free), start.damper};
  const bool begun = start.by == PointsBegin::kBegun;
  simd_sums_of_columns(
      columns, polygons,
      [&](double* column, SimdDouble(&own)[2]) ISOPATCH_INLINED {
        PolygonPoints<SimdDouble> points = begun ? load_points(column) : read_points(column);
        if (!begun) {
          begin_points(parameters, simd_start, points);
          store_points(points, column);
        }
        add_potentials(parameters, points, simd_start, own);
      },
      potentials);
}

constexpr PointKernels kPointKernels = {begin_points,        sum_impulses, sum_all,   sum_slopes,
                                        sum_normal_impulses, sum_plate,    sum_patch, sum_carried};

}  // namespace
}  // namespace isopatch::detail
