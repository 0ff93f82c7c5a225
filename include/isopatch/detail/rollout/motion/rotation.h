// SPDX-License-Identifier: Apache-2.0
//
// Rotations as unit quaternions and as rotation vectors, whose length is the angle and whose direction is the axis.
// Only sums, products, divisions and roots, so every machine has the same bits.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// w + v
struct Quaternion {
  double w;
  Vec3d v;
};

/// First b, then a.
ISOPATCH_HD Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {fma(a.w, b.w, -dot(a.v, b.v)), fma(a.w, b.v, fma(b.w, a.v, cross(a.v, b.v)))};
}

ISOPATCH_HD Quaternion conjugate(const Quaternion& q) { return {q.w, -q.v}; }

ISOPATCH_HD double dot(const Quaternion& a, const Quaternion& b) { return fma(a.w, b.w, dot(a.v, b.v)); }

ISOPATCH_HD_CALLED Quaternion normalized(Quaternion q) {
  const double scale = 1 / sqrt(dot(q, q));
  return {scale * q.w, scale * q.v};
}

/// The rotation by the vector r: (cos |r|/2, sinc(|r|/2) r/2), for |r| below 2^60. Each component is within 2e-16 for
/// |r| up to 2, where the first omitted terms are below 1 / 20!; beyond, the error doubles with the angle.
ISOPATCH_HD_CALLED Quaternion exp(Vec3d r) {
  constexpr double kLargest = 4;  // of |r|^2
  constexpr int kMaxHalvings = 60;
  int halvings = 0;
  ISOPATCH_NO_UNROLL
  while (dot(r, r) > kLargest && halvings < kMaxHalvings) {
    r = 0.5 * r;
    ++halvings;
  }

  // Taylor's series of the cosine and of sinc in (|r|/2)^2
  const double x = -0.25 * dot(r, r);
  double cos = 1, sinc = 1;
  ISOPATCH_UNROLL
  for (int k = 9; k > 0; --k) {
    cos = fma(cos, x * (1.0 / ((2 * k) * (2 * k - 1))), 1.0);
    sinc = fma(sinc, x * (1.0 / ((2 * k) * (2 * k + 1))), 1.0);
  }
  Quaternion q = {cos, (0.5 * sinc) * r};
  ISOPATCH_NO_UNROLL
  for (; halvings > 0; --halvings) q = product(q, q);
  return q;
}

/// The shorter rotation vector of the unit quaternion q, of at most pi: exp(log(q)) is q or -q. Relative to the vector,
/// the error is below 2e-15.
ISOPATCH_HD_CALLED Vec3d log(Quaternion q) {
  if (q.w < 0) q = {-q.w, -q.v};

  // roots of the rotation until the angle is at most pi / 8: its half has a tangent below 0.2
  constexpr int kRoots = 3;
  ISOPATCH_UNROLL
  for (int i = 0; i < kRoots; ++i) {
    const double w = sqrt(fma(0.5, q.w, 0.5));
    q = {w, (0.5 / w) * q.v};
  }

  // atan(t) / t in t^2 < 0.04; the first omitted term is below 1e-18
  const Vec3d t = (1 / q.w) * q.v;
  const double x = -dot(t, t);
  double series = 0;
  ISOPATCH_UNROLL
  for (int k = 12; k >= 0; --k) series = fma(series, x, 1.0 / (2 * k + 1));
  return (2 * (1 << kRoots) * series) * t;
}

}  // namespace isopatch::detail
