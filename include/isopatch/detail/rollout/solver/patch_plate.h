// SPDX-License-Identifier: Apache-2.0
//
// The plate that stands for a patch of polygons: the center of their elastic forces, the direction of their sum, and
// how far they are spread (force_law/README.md).
#pragma once

#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/rollout/solver/patch_damper.h"

namespace isopatch::detail {

/// Some polygons of a pair, one after another.
struct PolygonRange {
  std::int32_t first, count;
  bool is_all;  // of the pair's
};

/// What is summed up over the points x of polygons, with their elastic forces f.
struct PlateSums {
  enum : int {
    kLoad = 0,      // f, N
    kMoment = 1,    // 3, f x, N m
    kAlong = 4,     // 3, f n, N
    kSecond = 7,    // 6, f x x^T by xx, yy, zz, xy, xz, yz, N m^2
    kImpulse = 13,  // of f with its damping, N s
    kSize = 14
  };
};

template <class T>
ISOPATCH_HD void add_plate(T step, const PolygonPoints<T>& points, const RelativeTwist<T>& twist,
                           T (&sums)[PlateSums::kSize]) {
  T load = T(0.0);
  ISOPATCH_UNROLL
  for (int k = 0; k < PolygonPoints<T>::kPoints; ++k) {
    const T f = points.force[k];
    const Vec3<T> x = points.arm[k], fx = f * x;
    load = load + f;
    add_to(sums + PlateSums::kMoment, fx);
    T* const second = sums + PlateSums::kSecond;
    second[0] = fma(fx.x, x.x, second[0]), second[1] = fma(fx.y, x.y, second[1]);
    second[2] = fma(fx.z, x.z, second[2]), second[3] = fma(fx.x, x.y, second[3]);
    second[4] = fma(fx.x, x.z, second[4]), second[5] = fma(fx.y, x.z, second[5]);
    const T share = damped_share(points.dissipation, dot(points.normal, twist.at(x)));
    sums[PlateSums::kImpulse] = fma(step * f, share, sums[PlateSums::kImpulse]);
  }
  sums[PlateSums::kLoad] = sums[PlateSums::kLoad] + load;
  add_to(sums + PlateSums::kAlong, load * points.normal);
}

/// Positions from the pair's point.
struct PatchPlate {
  Vec3d arm, normal;  // m; unit
  double radius;      // of gyration about the normal, m
};

ISOPATCH_HD PatchPlate plate_of(const double (&sums)[PlateSums::kSize], const PolygonPoints<double>& first) {
  const Vec3d along = {sums[PlateSums::kAlong], sums[PlateSums::kAlong + 1], sums[PlateSums::kAlong + 2]};
  const double load = sums[PlateSums::kLoad], size = norm(along);
  if (!(load > 0) || !(size > 0)) return {first.arm[0], first.normal, 0};
  const double each = 1 / load;
  const double *const moment = sums + PlateSums::kMoment, *const second = sums + PlateSums::kSecond;
  const Vec3d c = each * Vec3d{moment[0], moment[1], moment[2]}, n = (1 / size) * along;
  const Symmetric3 spread = {fma(-c.x, c.x, each * second[0]), fma(-c.y, c.y, each * second[1]),
                             fma(-c.z, c.z, each * second[2]), fma(-c.x, c.y, each * second[3]),
                             fma(-c.x, c.z, each * second[4]), fma(-c.y, c.z, each * second[5])};
  const double square = spread.xx + spread.yy + spread.zz - dot(n, spread * n);
  return {c, n, sqrt(max(square, 0.0))};
}

ISOPATCH_HD PatchPlate plate_of(const PlateContact& plate) {
  const Vec3d &u = plate.points.arm[0], &v = plate.points.arm[1];
  return {plate.points.centroid, plate.points.normal, sqrt(0.5 * (dot(u, u) + dot(v, v)))};
}

}  // namespace isopatch::detail
