// SPDX-License-Identifier: Apache-2.0
//
// From the sums of a pair to its results in the world. Parts are computed in the frame of body a or of body b, so there
// are two sets of sums, which meet here, in double.
#pragma once

#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"

namespace isopatch::detail {

/// A pair's results for the world, on body a; torques about a's origin.
struct PairResult {
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0}, center = {0, 0, 0}, normal = {0, 0, 0}, friction = {0, 0, 0};
  double area = 0, pressure = 0, max_pressure = 0;  // pressure: its integral, N
  std::int64_t polygons = 0;
  std::int64_t far_side = 0;  // positive where there is more load on far sides of walls than their share

  /// Adds what was computed in the other frame.
  ISOPATCH_HD void add(const PairResult& other) {
    if (other.polygons == 0) return;
    if (polygons == 0) {
      *this = other;
      return;
    }
    force = force + other.force;
    torque = torque + other.torque;
    friction = friction + other.friction;
    area += other.area;
    pressure += other.pressure;
    normal = fma(other.area / area, other.normal - normal, normal);
    if (pressure > 0) center = fma(other.pressure / pressure, other.center - center, center);
    max_pressure = max(other.max_pressure, max_pressure);
    polygons += other.polygons;
    far_side = wrapping_sum(far_side, other.far_side);
  }
};

template <class T, bool with_patch>
ISOPATCH_HD PairResult result_of(const SumFrame& f, const PairBounds& bounds, const WrenchSums<T, with_patch>& sums) {
  PairResult r;
  if (sums.polygons() == 0) return r;
  const FixedPointScales<T> scales = FixedPointScales<T>::make(bounds);
  const double sign = f.swapped ? -1.0 : 1.0;
  r.force = sign * rotate(f.X_WM, sums.force.value(scales.force));
  const Vec3d about_reference = sign * rotate(f.X_WM, sums.torque.value(scales.torque));
  const Vec3d reference_W = rotate(f.X_WM, f.reference_M);  // from M's origin
  const Vec3d lever = reference_W + (f.X_WM.translation - f.p_WoA);
  r.torque = about_reference + cross(lever, r.force);
  r.area = sums.area.value(scales.area);
  r.polygons = sums.polygons();
  r.far_side = sums.far_side.limb;
  if constexpr (with_patch) {
    r.pressure = sums.patch.pressure.value(scales.force);
    const Vec3d moment = rotate(f.X_WM, sums.patch.pressure_moment.value(scales.torque));
    if (r.pressure > 0) r.center = fma(1.0 / r.pressure, moment, reference_W) + f.X_WM.translation;
    r.normal = (sign / r.area) * rotate(f.X_WM, sums.patch.normal.value(scales.area));
    r.friction = sign * rotate(f.X_WM, sums.patch.friction.value(scales.force));
    r.max_pressure = static_cast<double>(sums.patch.max_pressure);
  }
  return r;
}

ISOPATCH_HD void write_pair(const Results& results, std::int64_t environment, int pair, const PairResult& r) {
  write(results.pair_wrench, environment, 6 * pair, r.force);
  write(results.pair_wrench, environment, 6 * pair + 3, r.torque);
  if (results.polygon_count.data != nullptr) {
    element(results.polygon_count, environment, pair) = static_cast<std::int32_t>(r.polygons);
  }
  write(results.area, environment, pair, r.area);
  write(results.center_of_pressure, environment, 3 * pair, r.center);
  write(results.mean_normal, environment, 3 * pair, r.normal);
  write(results.max_pressure, environment, pair, r.max_pressure);
  write(results.friction_force, environment, 3 * pair, r.friction);
}

ISOPATCH_HD void write_part_pair(const Results& results, std::int64_t environment, int part_pair, const PairResult& r) {
  write(results.part_pair_wrench, environment, 6 * part_pair, r.force);
  write(results.part_pair_wrench, environment, 6 * part_pair + 3, r.torque);
}

}  // namespace isopatch::detail
