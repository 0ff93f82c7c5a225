// SPDX-License-Identifier: Apache-2.0
//
// Conservative tests in float that reject most pairs of nodes before any exact arithmetic. Their margin is far above
// their own rounding, so every pair with a polygon passes.
#pragma once

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/cells/mesh_pair.h"

namespace isopatch::detail {

/// A node's box in the frames of both bodies, with u instead of its extent.
template <class F>
struct TransformedBox {
  LinearBounds<F> in_M, in_S;
  F low, high;
};

template <class F>
ISOPATCH_HD TransformedBox<F> transformed_M(const MeshPair& f, const NodeBox<F>& m) {
  const auto abs_rotate = [&](Vec3<F> x) {
    return fma(x.x, cast<F>(f.coarse.absolute_row[0]),
               fma(x.y, cast<F>(f.coarse.absolute_row[1]), x.z * cast<F>(f.coarse.absolute_row[2])));
  };
  const LinearBounds<F>& b = m.box;
  return {b,
          {apply_back(f.coarse.X_MS, b.center), abs_rotate(b.half), rotate_back(f.coarse.X_MS, b.velocity),
           abs_rotate(b.expansion)},
          m.low,
          m.high};
}

template <class F>
ISOPATCH_HD TransformedBox<F> transformed_S(const MeshPair& f, const NodeBox<F>& s) {
  const auto abs_rotate = [&](Vec3<F> x) {
    return Vec3<F>{dot(cast<F>(f.coarse.absolute_row[0]), x), dot(cast<F>(f.coarse.absolute_row[1]), x),
                   dot(cast<F>(f.coarse.absolute_row[2]), x)};
  };
  const F ratio = F(f.coarse.modulus_ratio), inverse_ratio = F(f.coarse.inverse_modulus_ratio);
  const LinearBounds<F> b = {s.box.center, s.box.half, ratio * s.box.velocity, ratio * s.box.expansion};
  return {
      {apply(f.coarse.X_MS, b.center), abs_rotate(b.half), rotate(f.coarse.X_MS, b.velocity), abs_rotate(b.expansion)},
      b,
      f.S.rigid ? F(-1e30f) : inverse_ratio * s.low,
      f.S.rigid ? F(1e30f) : inverse_ratio * s.high};
}

/// A range of extents.
template <class F>
struct Interval {
  F low, high;

  /// Keeps the part where value - u fall >= 0.
  ISOPATCH_HD void cut(F value, F fall) {
    const F inverse = approximate_reciprocal(fall), at = value * inverse;
    const MaskOf<F> falls = inverse > F(0);       // decided by the reciprocal, so that a fall of 0 may have either sign
    low = select(falls, low, fast_max(at, low));  // fast_min() and fast_max() keep their second argument
    high = select(falls, fast_min(at, high), high);  // where `at` is NaN, 0 times infinity
  }

  /// Adds back what rounding may have cut off.
  ISOPATCH_HD void widen(F slack) {
    low = low - fma(F(2 * kReciprocalError), abs(low), slack);
    high = high + fma(F(2 * kReciprocalError), abs(high), slack);
  }
};

/// The contact surface lies at z = -depth_per_u u of the half space.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet_half_space(const MeshPair& f, const NodeBox<F>& m) {
  const Vec3<F> up = {F(f.coarse.X_MS.row[0].z), F(f.coarse.X_MS.row[1].z), F(f.coarse.X_MS.row[2].z)};
  const Vec3<F> absolute_up = abs(up);
  const F height = dot(up, m.box.center - cast<F>(f.coarse.foot_S)),
          rise = dot(up, m.box.velocity) + F(f.coarse.depth_per_u);
  const F half = dot(absolute_up, m.box.half), expansion = dot(absolute_up, m.box.expansion);
  Interval<F> u = {F(0), F(1e30f)};
  if (!f.M.rigid) u = {m.low, m.high};
  u.cut(half - height, rise - expansion);
  u.cut(half + height, -rise - expansion);
  u.widen(F(f.coarse.extent_slack));
  return u.low <= u.high;
}

/// True if there is a u at which the boxes of both nodes, one of M and one of S, overlap. Along each axis of M, the two
/// faces that are nearer to each other, for a u in the lower part of the range, narrow the range; over what is left,
/// the boxes are compared along the axes of S.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet(const MeshPair& f, const TransformedBox<F>& a, const TransformedBox<F>& b) {
  const F low = fast_max(a.low, b.low), high = fast_min(a.high, b.high), width = high - low;

  // in M, from box to box, at a quarter of the range
  const F start = fma(F(0.25f), width, low);
  const Vec3<F> velocity = b.in_M.velocity - a.in_M.velocity, expansion = a.in_M.expansion + b.in_M.expansion;
  const Vec3<F> apart = fma(start, velocity, b.in_M.center - a.in_M.center);
  const Vec3<F> half = fma(start, expansion, a.in_M.half + b.in_M.half);
  Interval<F> left = {F(-0.25f) * width, F(0.75f) * width};  // from `start` on
  left.cut(half.x - abs(apart.x), multiply_by_sign(velocity.x, apart.x) - expansion.x);
  left.cut(half.y - abs(apart.y), multiply_by_sign(velocity.y, apart.y) - expansion.y);
  left.cut(half.z - abs(apart.z), multiply_by_sign(velocity.z, apart.z) - expansion.z);

  // in S, over what is left. A cut within the range is off by at most kReciprocalError of its width; the ends of the
  // range have been rounded a few times by 2^-24 each.
  const F wrong = fma(F(2 * kReciprocalError), width, fma(F(0x1p-21f), abs(low) + abs(high), F(f.coarse.extent_slack)));
  const F half_range = fma(F(0.5f), left.high - left.low, wrong), middle = fma(F(0.5f), left.low + left.high, start);
  const Vec3<F> velocity_S = b.in_S.velocity - a.in_S.velocity, expansion_S = a.in_S.expansion + b.in_S.expansion;
  const Vec3<F> apart_S = fma(middle, velocity_S, b.in_S.center - a.in_S.center);
  const Vec3<F> half_S = fma(middle, expansion_S, a.in_S.half + b.in_S.half);
  const Vec3<F> both = fma(half_range, abs(velocity_S) + abs(expansion_S), half_S);
  const MaskOf<F> x = abs(apart_S.x) <= both.x, y = abs(apart_S.y) <= both.y, z = abs(apart_S.z) <= both.z;
  return half_range >= F(0) && x && y && z;
}

ISOPATCH_HD bool may_meet(const MeshPair& f, const NodeBox<float>& m, const NodeBox<float>& s) {
  return f.S.half_space ? may_meet_half_space(f, m) : may_meet(f, transformed_M(f, m), transformed_S(f, s));
}

/// A box of all points below a node, whatever their extents.
template <class F>
struct FixedBox {
  Vec3<F> center, half;

  ISOPATCH_HD explicit FixedBox(const NodeBox<F>& n) {
    const LinearBounds<F>& b = n.box;
    const Vec3<F> first = fma(n.low, b.velocity, b.center), first_half = fma(n.low, b.expansion, b.half);
    const Vec3<F> last = fma(n.high, b.velocity, b.center), last_half = fma(n.high, b.expansion, b.half);
    const Vec3<F> low = fast_min(first - first_half, last - last_half),
                  high = fast_max(first + first_half, last + last_half);
    center = F(0.5f) * (low + high);
    half = F(0.5f) * (high - low);
  }
};

/// The same box for both bodies: its center in M, and its half edges in the frames of both.
template <class F>
struct TransformedFixedBox {
  Vec3<F> center, half_M, half_S;
};

template <class F>
ISOPATCH_HD TransformedFixedBox<F> fixed_M(const MeshPair& f, const NodeBox<F>& m) {
  const FixedBox<F> box(m);
  const Vec3<F> h = box.half;
  const Vec3<F> in_S = fma(h.x, cast<F>(f.coarse.absolute_row[0]),
                           fma(h.y, cast<F>(f.coarse.absolute_row[1]), h.z * cast<F>(f.coarse.absolute_row[2])));
  return {box.center, h, in_S};
}

template <class F>
ISOPATCH_HD TransformedFixedBox<F> fixed_S(const MeshPair& f, const NodeBox<F>& s) {
  const FixedBox<F> box(s);
  const Vec3<F> in_M = {dot(cast<F>(f.coarse.absolute_row[0]), box.half),
                        dot(cast<F>(f.coarse.absolute_row[1]), box.half),
                        dot(cast<F>(f.coarse.absolute_row[2]), box.half)};
  return {apply(f.coarse.X_MS, box.center), in_M, box.half};
}

template <class F>
ISOPATCH_HD MaskOf<F> is_within(const Vec3<F>& x, const Vec3<F>& limit) {
  const MaskOf<F> in_x = abs(x.x) <= limit.x, in_y = abs(x.y) <= limit.y, in_z = abs(x.z) <= limit.z;
  return in_x && in_y && in_z;
}

/// True if cells of two nodes, one of M and one of S, may overlap, whatever their pressures.
template <class F>
ISOPATCH_HD MaskOf<F> may_overlap(const MeshPair& f, const TransformedFixedBox<F>& a, const TransformedFixedBox<F>& b) {
  const Vec3<F> apart = b.center - a.center;
  return is_within(apart, a.half_M + b.half_M) && is_within(rotate_back(f.coarse.X_MS, apart), a.half_S + b.half_S);
}

/// The same for a half space S, which is everything below its surface.
template <class F>
ISOPATCH_HD MaskOf<F> may_overlap_half_space(const MeshPair& f, const NodeBox<F>& m) {
  const FixedBox<F> box(m);
  const Vec3<F> up = {F(f.coarse.X_MS.row[0].z), F(f.coarse.X_MS.row[1].z), F(f.coarse.X_MS.row[2].z)};
  return dot(up, box.center - cast<F>(f.coarse.foot_S)) <= dot(abs(up), box.half);
}

ISOPATCH_HD bool may_overlap(const MeshPair& f, const NodeBox<float>& m, const NodeBox<float>& s) {
  return f.S.half_space ? may_overlap_half_space(f, m) : may_overlap(f, fixed_M(f, m), fixed_S(f, s));
}

}  // namespace isopatch::detail
