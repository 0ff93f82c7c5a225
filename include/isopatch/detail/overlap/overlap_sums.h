// SPDX-License-Identifier: Apache-2.0
//
// What the surface of one body in the other adds to the volume that both have in common, and its moments: the cone from
// a point of reference o to a polygon of that surface. With the outward normal m of the polygon and h = m (x - o), the
// height of its plane over o, the cone has the integrals over dV
//
//   of 1: h/3 area,  of y: h/4 integral of y dA,  of y y^T: h/5 integral of y y^T dA,     y = x - o.
//
// Where the surface moves relative to the other body by w = m v at each of its points, the first two grow by the
// integrals of w and of w y over its area.
#pragma once

#include "isopatch/detail/math/reproducible_sum.h"
#include "isopatch/detail/overlap/surface_gate.h"

namespace isopatch::detail {

/// How many quanta a unit of each kind of number has: powers of two.
struct OverlapScales {
  double volume, first, second, area, volume_rate, first_rate;

  /// For bounds of all areas together, m^2, of lengths, m, and of speeds, m/s: powers of two.
  ISOPATCH_HD static OverlapScales make(double area, double length, double speed) {
    const auto scale = [](double bound) { return FixedPointScale<double>::from_bound(bound).to_quanta; };
    const double volume = area * length, first = volume * length, flow = area * speed;
    return {scale(volume), scale(first), scale(first * length), scale(area), scale(flow), scale(flow * length)};
  }
};

/// One pass over the cells of M in the other body.
struct OverlapPass : MeshPair {
  Vec3d origin;             // o, in M
  Vec3d velocity, angular;  // of the body with the surface relative to the other, at o, in M: m/s, rad/s
  OverlapScales scales;
};

/// Numbers of a polygon or of a sum.
struct OverlapNumber {
  enum : int {
    kVolume,
    kFirst,         // x, y, z
    kSecond = 4,    // xx, yy, zz, xy, xz, yz
    kArea = 10,     // the vector area: x, y, z
    kSurface = 13,  // the area itself
    kVolumeRate,
    kFirstRate  // x, y, z
  };
};
inline constexpr int kOverlapNumbers = OverlapNumber::kVolumeRate,
                     kOverlapNumbersWithRates = OverlapNumber::kFirstRate + 3;

template <bool with_rates>
inline constexpr int kNumbersOf = with_rates ? kOverlapNumbersWithRates : kOverlapNumbers;

ISOPATCH_HD double quanta_of(const OverlapScales& scales, int number) {
  if (number >= OverlapNumber::kFirstRate) return scales.first_rate;
  if (number == OverlapNumber::kVolumeRate) return scales.volume_rate;
  if (number >= OverlapNumber::kArea) return scales.area;
  return number >= OverlapNumber::kSecond  ? scales.second
         : number >= OverlapNumber::kFirst ? scales.first
                                           : scales.volume;
}

/// The numbers of a polygon: its plane, its middle [radius] on it and its moments about that, times its weight.
template <bool with_rates, class D>
ISOPATCH_HD void make_overlap_terms(const OverlapPass& f, const CutPlane<D>& plane, D middle_x, D middle_y,
                                    const AreaMoments<D>& moments, D weight, D (&to)[kNumbersOf<with_rates>]) {
  const D r = plane.radius, square = weight * (r * r);
  const auto& [u, v] = plane.axes;
  const Vec3<D> n = plane.normal;
  const Vec3<D> middle = (plane.origin - cast<D>(f.origin)) + fma(r * middle_x, u, (r * middle_y) * v);
  const D area = square * moments.one, cube = square * r, fourth = cube * r;
  const Vec3<D> arm = fma(cube * moments.x, u, (cube * moments.y) * v);  // first moment about the middle
  const Vec3<D> first = fma(area, middle, arm);
  // of y y^T: entry ij of middle first^T + arm middle^T + the second moments about the middle
  const Vec3<D> along_u = fma(fourth * moments.xx, u, (fourth * moments.xy) * v),
                along_v = fma(fourth * moments.xy, u, (fourth * moments.yy) * v);
  const auto second = [](D mi, D mj, D aj, D fi, D ui, D vi, D pu, D pv) {
    return fma(mj, fi, fma(mi, aj, fma(pu, ui, pv * vi)));
  };
  const D xx = second(middle.x, middle.x, arm.x, first.x, u.x, v.x, along_u.x, along_v.x);
  const D yy = second(middle.y, middle.y, arm.y, first.y, u.y, v.y, along_u.y, along_v.y);
  const D zz = second(middle.z, middle.z, arm.z, first.z, u.z, v.z, along_u.z, along_v.z);
  const D xy = second(middle.x, middle.y, arm.y, first.x, u.x, v.x, along_u.y, along_v.y);
  const D xz = second(middle.x, middle.z, arm.z, first.x, u.x, v.x, along_u.z, along_v.z);
  const D yz = second(middle.y, middle.z, arm.z, first.y, u.y, v.y, along_u.z, along_v.z);

  const D height = dot(n, middle), third = height * D(1.0 / 3), quarter = D(0.25) * height, fifth = D(0.2) * height;
  to[OverlapNumber::kVolume] = third * area;
  to[OverlapNumber::kFirst] = quarter * first.x, to[OverlapNumber::kFirst + 1] = quarter * first.y,
  to[OverlapNumber::kFirst + 2] = quarter * first.z;
  to[OverlapNumber::kSecond] = fifth * xx, to[OverlapNumber::kSecond + 1] = fifth * yy,
  to[OverlapNumber::kSecond + 2] = fifth * zz;
  to[OverlapNumber::kSecond + 3] = fifth * xy, to[OverlapNumber::kSecond + 4] = fifth * xz,
                              to[OverlapNumber::kSecond + 5] = fifth * yz;
  to[OverlapNumber::kArea] = area * n.x, to[OverlapNumber::kArea + 1] = area * n.y,
  to[OverlapNumber::kArea + 2] = area * n.z;
  to[OverlapNumber::kSurface] = area;
  if constexpr (with_rates) {  // w = m v + (m x omega) y
    const D still = dot(n, cast<D>(f.velocity));
    const Vec3<D> slope = cross(n, cast<D>(f.angular));
    to[OverlapNumber::kVolumeRate] = fma(still, area, dot(slope, first));
    to[OverlapNumber::kFirstRate] = fma(still, first.x, dot(slope, Vec3<D>{xx, xy, xz}));
    to[OverlapNumber::kFirstRate + 1] = fma(still, first.y, dot(slope, Vec3<D>{xy, yy, yz}));
    to[OverlapNumber::kFirstRate + 2] = fma(still, first.z, dot(slope, Vec3<D>{xz, yz, zz}));
  }
}

/// Number is a double or a SIMD vector of them.
template <class Number, bool with_rates>
struct OverlapSums {
  static constexpr int kCount = kNumbersOf<with_rates>;

  ReproducibleSum<Number> sum[kCount];
  typename BoundOfSums<Number>::Type bound;

  /// Adds the terms of the polygons that were `found`.
  ISOPATCH_HD void add(const OverlapScales& scales, MaskOf<Number> found, Number (&terms)[kCount]) {
    Number largest = Number(0);
    ISOPATCH_UNROLL
    for (int i = 0; i < kCount; ++i) {
      terms[i] = Number(quanta_of(scales, i)) * terms[i];
      largest = max(largest, abs(terms[i]));
    }
    const MaskOf<Number> taken = bound.add(largest, found);
    ISOPATCH_UNROLL
    for (int i = 0; i < kCount; ++i) sum[i].add(select(taken, terms[i], Number(0)));
  }

  /// Calls visit(word) for everything that is added up over lanes.
  template <class Visit>
  ISOPATCH_HD void for_each_word(const Visit& visit) {
    ISOPATCH_UNROLL
    for (int i = 0; i < kCount; ++i) {
      ISOPATCH_UNROLL
      for (int k = 0; k < ReproducibleSum<Number>::kLimbs; ++k) visit(sum[i].limb[k]);
    }
    visit(bound.terms);
    visit(bound.magnitude);
  }
  template <class Visit>
  ISOPATCH_HD void for_each_peak(const Visit&) const {}
};

/// Whether the tets of M are cones of a surface mesh.
ISOPATCH_HD bool has_cones(const MeshPair& f) { return !f.M.rigid && f.M.geometry->surface_only; }

/// How much of a tet counts: inverted cones of a surface mesh make up for what the others count too much.
template <class Cells, class D = typename Cells::Double>
ISOPATCH_HD D weight_of(const Cells& m, IntOf<FloatOf<D>> positive, bool has_cones) {
  D weight = select((positive & IntOf<FloatOf<D>>(kCountsHalf)) != IntOf<FloatOf<D>>(0), D(0.5), D(1));
  if (!has_cones) return weight;
  const Vec3<D> apex = m.vertex(0);
  const D volume = dot(cross(m.vertex(1) - apex, m.vertex(2) - apex), m.vertex(3) - apex);
  return select(volume < D(0), -weight, weight);
}

}  // namespace isopatch::detail
