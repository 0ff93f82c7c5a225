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

/// The one sum of what add(parameters, points, twist, sum) adds.
template <class Add>
ISOPATCH_HD double simd_sum(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                            const Add& add) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  double sums[1];
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[1])
          ISOPATCH_INLINED { add(parameters, points, at, own); },
      sums);
  return sums[0];
}

double sum_normal_impulses(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  return simd_sum(p, columns, polygons, twist, [](auto&&... all) ISOPATCH_INLINED { add_normal_impulses(all...); });
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

void sum_matrix(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                double (&sums)[MatrixSums::kSize]) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  simd_sums(
      columns, polygons,
      [&](const PolygonPoints<SimdDouble>& points, SimdDouble(&own)[MatrixSums::kSize])
          ISOPATCH_INLINED { add_matrix(parameters, points, at, own); },
      sums);
}

double sum_potential(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  return simd_sum(p, columns, polygons, twist, [](auto&&... all) ISOPATCH_INLINED { add_potential(all...); });
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

template <class Read, class Change>
ISOPATCH_HD void change_points(double* columns, int polygons, const Read& read, const Change& change) {
  for (int lane = 0; lane < min(polygons, kSumLanes); lane += kLanes) {
    for_each_vector(columns, polygons, lane, [&](double* column) ISOPATCH_INLINED {
      PolygonPoints<SimdDouble> points = read(column);
      change(points);
      store_points(points, column);
    });
  }
}

void begin_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                  bool predicted) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  change_points(columns, polygons, read_points, [&](PolygonPoints<SimdDouble>& points) ISOPATCH_INLINED {
    begin_limits(parameters, at, points);
    if (predicted) move_forces_back(parameters, at, points);
  });
}

void begin_damped_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                         const PatchDamper& damper) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  change_points(columns, polygons, read_points, [&](PolygonPoints<SimdDouble>& points) ISOPATCH_INLINED {
    begin_limits(parameters, at, points);
    apply_damper(damper, points);
  });
}

void renew_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  const auto parameters = simd_of(p);
  const auto at = simd_of(twist);
  change_points(columns, polygons, load_points,
                [&](PolygonPoints<SimdDouble>& points) ISOPATCH_INLINED { renew_limits(parameters, at, points); });
}

constexpr PointKernels kPointKernels = {sum_impulses,        sum_matrix,          sum_potential, sum_slopes,
                                        sum_normal_impulses, sum_plate,           sum_patch,     sum_carried,
                                        begin_points,        begin_damped_points, renew_points};

}  // namespace
}  // namespace isopatch::detail
