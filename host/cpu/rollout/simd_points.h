// SPDX-License-Identifier: Apache-2.0
//
// Contact points in packs of doubles: each lane of a pack is one of the 32 lanes of a sum.
#pragma once

#include "host/cpu/rollout/point_kernels.h"
#include "host/cpu/simd/simd.h"

namespace isopatch::detail {
namespace {

using PointPack = Pack<double, kLanes>;

ISOPATCH_HD Vec3<PointPack> pack_of(Vec3d v) { return {PointPack(v.x), PointPack(v.y), PointPack(v.z)}; }
ISOPATCH_HD RelativeTwist<PointPack> pack_of(const PairTwist& twist) {
  return {pack_of(twist.linear), pack_of(twist.angular)};
}
ISOPATCH_HD PointParameters<PointPack> pack_of(const PointParameters<double>& p) {
  return {PointPack(p.step), PointPack(p.slip_tolerance)};
}

ISOPATCH_HD PolygonPoints<PointPack> load_points(const double* column) {
  PolygonPoints<PointPack> points;
  points.for_each([&](PointPack& number) {
    number = PointPack::load(column);
    column += kSumLanes;
  });
  return points;
}

ISOPATCH_HD void store_points(PolygonPoints<PointPack> points, double* column) {
  points.for_each([&](const PointPack& number) {
    number.store(column);
    column += kSumLanes;
  });
}

/// Calls visit(first column of a pack of polygons), lane after lane.
template <class Visit>
ISOPATCH_HD void for_each_pack(double* columns, int polygons, int first_lane, const Visit& visit) {
  for (int first = first_lane; first < polygons; first += kSumLanes) {
    visit(columns + static_cast<std::ptrdiff_t>(first / kSumLanes) * PolygonColumns::kBlock + first_lane);
  }
}

/// As lane_sums().
template <int size, class Add>
ISOPATCH_HD void pack_sums(double* columns, int polygons, const Add& add, double (&sums)[size]) {
  double lanes[size][kSumLanes];
  const int used = min(polygons, kSumLanes), packed = (used + kLanes - 1) / kLanes * kLanes;
  for (int lane = 0; lane < packed; lane += kLanes) {
    PointPack own[size];
    for (PointPack& sum : own) sum = PointPack(0.0);
    for_each_pack(columns, polygons, lane, [&](double* column) ISOPATCH_INLINED { add(load_points(column), own); });
    for (int k = 0; k < size; ++k) own[k].store(lanes[k] + lane);
  }
  for (int k = 0; k < size; ++k) {
    double* const lane = lanes[k];
    int left = packed;
    for (int half = kSumLanes / 2; half >= kLanes; half /= 2) {
      for (int l = 0; l + half < left; l += kLanes) {
        (PointPack::load(lane + l) + PointPack::load(lane + l + half)).store(lane + l);
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
  const auto parameters = pack_of(p);
  const auto at = pack_of(twist);
  pack_sums(
      columns, polygons,
      [&](const PolygonPoints<PointPack>& points, PointPack(&own)[ImpulseSums::kSize])
          ISOPATCH_INLINED { add_impulses(parameters, points, at, own); },
      sums);
}

double sum_potential(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  const auto parameters = pack_of(p);
  const auto at = pack_of(twist);
  double sums[1];
  pack_sums(
      columns, polygons,
      [&](const PolygonPoints<PointPack>& points, PointPack(&own)[1])
          ISOPATCH_INLINED { add_potential(parameters, points, at, own); },
      sums);
  return sums[0];
}

void sum_slopes(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                const PairTwist& change, double (&sums)[2]) {
  const auto parameters = pack_of(p);
  const auto at = pack_of(twist), along = pack_of(change);
  pack_sums(
      columns, polygons,
      [&](const PolygonPoints<PointPack>& points, PointPack(&own)[2])
          ISOPATCH_INLINED { add_slopes(parameters, points, at, along, own); },
      sums);
}

template <class Change>
ISOPATCH_HD void change_points(double* columns, int polygons, const Change& change) {
  for (int lane = 0; lane < min(polygons, kSumLanes); lane += kLanes) {
    for_each_pack(columns, polygons, lane, [&](double* column) ISOPATCH_INLINED {
      PolygonPoints<PointPack> points = load_points(column);
      change(points);
      store_points(points, column);
    });
  }
}

void begin_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist,
                  bool predicted) {
  const auto parameters = pack_of(p);
  const auto at = pack_of(twist);
  change_points(columns, polygons, [&](PolygonPoints<PointPack>& points) ISOPATCH_INLINED {
    begin_limits(parameters, at, points);
    if (predicted) move_forces_back(parameters, at, points);
  });
}

void renew_points(const PointParameters<double>& p, double* columns, int polygons, const PairTwist& twist) {
  const auto parameters = pack_of(p);
  const auto at = pack_of(twist);
  change_points(columns, polygons,
                [&](PolygonPoints<PointPack>& points) ISOPATCH_INLINED { renew_limits(parameters, at, points); });
}

constexpr PointKernels kPointKernels = {sum_impulses, sum_potential, sum_slopes, begin_points, renew_points};

}  // namespace
}  // namespace isopatch::detail
