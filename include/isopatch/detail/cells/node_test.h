// SPDX-License-Identifier: Apache-2.0
//
// Conservative tests in float that reject most pairs of nodes before any exact arithmetic. Their margin is far above
// their own rounding, so every pair with a polygon passes.
#pragma once

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/cells/mesh_pair.h"

namespace isopatch::detail {

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

/// What u is at the extents of a node of S: anything where S is rigid.
template <class F>
ISOPATCH_HD Interval<F> extents_of_S(const MeshPair& f, const NodeBox<F>& s) {
  const F ratio = F(f.coarse.inverse_modulus_ratio), margin = F(f.coarse.extent_margin_S);
  return {fma(ratio, s.low, -margin), fma(ratio, s.high, margin)};
}

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
  const F ratio = F(f.coarse.modulus_ratio);
  const Interval<F> u = extents_of_S(f, s);
  const LinearBounds<F> b = {s.box.center, s.box.half, ratio * s.box.velocity, ratio * s.box.expansion};
  return {
      {apply(f.coarse.X_MS, b.center), abs_rotate(b.half), rotate(f.coarse.X_MS, b.velocity), abs_rotate(b.expansion)},
      b,
      u.low,
      u.high};
}

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

/// What is left of a range of u: no further than `half` from `middle`. Nothing if that is negative.
template <class F>
struct NarrowedRange {
  F middle, half;
};

/// Narrows a range of u to where two boxes may overlap along each axis of M. Of the four faces along an axis it takes
/// the two that are nearer to each other for u = start, at a quarter of the range, where the boxes are `apart` and
/// their half edges add up to `half`.
template <class F>
ISOPATCH_HD NarrowedRange<F> narrow(const MeshPair& f, F low, F high, F start, const Vec3<F>& apart,
                                    const Vec3<F>& half, const Vec3<F>& velocity, const Vec3<F>& expansion) {
  const F width = high - low;
  Interval<F> left = {F(-0.25f) * width, F(0.75f) * width};  // from `start` on
  left.cut(half.x - abs(apart.x), multiply_by_sign(velocity.x, apart.x) - expansion.x);
  left.cut(half.y - abs(apart.y), multiply_by_sign(velocity.y, apart.y) - expansion.y);
  left.cut(half.z - abs(apart.z), multiply_by_sign(velocity.z, apart.z) - expansion.z);

  // a cut within the range is off by at most kReciprocalError of its width
  const F wrong = fma(F(2 * kReciprocalError), width, F(f.coarse.extent_slack));
  return {fma(F(0.5f), left.low + left.high, start), fma(F(0.5f), left.high - left.low, wrong)};
}

template <class F>
ISOPATCH_HD MaskOf<F> is_within(const Vec3<F>& x, const Vec3<F>& limit) {
  const MaskOf<F> in_x = abs(x.x) <= limit.x, in_y = abs(x.y) <= limit.y, in_z = abs(x.z) <= limit.z;
  return in_x && in_y && in_z;
}

/// True if there is a u at which the boxes of both nodes, one of M and one of S, overlap. The axes of M narrow the
/// range of u; over what is left, the boxes are compared along the axes of S.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet(const MeshPair& f, const TransformedBox<F>& a, const TransformedBox<F>& b) {
  const F low = fast_max(a.low, b.low), high = fast_min(a.high, b.high), start = fma(F(0.25f), high - low, low);
  const Vec3<F> velocity = b.in_M.velocity - a.in_M.velocity, expansion = a.in_M.expansion + b.in_M.expansion;
  const Vec3<F> apart = fma(start, velocity, b.in_M.center - a.in_M.center);
  const Vec3<F> half = fma(start, expansion, a.in_M.half + b.in_M.half);
  const NarrowedRange<F> u = narrow(f, low, high, start, apart, half, velocity, expansion);

  const Vec3<F> velocity_S = b.in_S.velocity - a.in_S.velocity, expansion_S = a.in_S.expansion + b.in_S.expansion;
  const Vec3<F> apart_S = fma(u.middle, velocity_S, b.in_S.center - a.in_S.center);
  const Vec3<F> half_S = fma(u.middle, expansion_S, a.in_S.half + b.in_S.half);
  const Vec3<F> both = fma(u.half, abs(velocity_S) + abs(expansion_S), half_S);
  return u.half >= F(0) && is_within(apart_S, both);
}

/// The same for nodes that are transformed for one test: what lies between the boxes is turned to the axes of S instead
/// of each box, for a quarter less arithmetic.
ISOPATCH_HD bool meshes_may_meet(const MeshPair& f, const NodeBox<float>& m, const NodeBox<float>& s) {
  const Transform<float>& X = f.coarse.X_MS;
  const Transform<float> absolute = {{abs(X.row[0]), abs(X.row[1]), abs(X.row[2])}, {}};
  const LinearBounds<float>& a = m.box;
  const LinearBounds<float> b = {s.box.center, s.box.half, f.coarse.modulus_ratio * s.box.velocity,
                                 f.coarse.modulus_ratio * s.box.expansion};
  const Interval<float> range_S = extents_of_S(f, s);
  const float low = fast_max(m.low, range_S.low), high = fast_min(m.high, range_S.high);
  const float start = fma(0.25f, high - low, low);

  const Vec3f velocity = rotate_and_add(X, b.velocity, -a.velocity);
  const Vec3f expansion = rotate_and_add(absolute, b.expansion, a.expansion);
  const Vec3f apart = rotate_and_add(X, b.center, X.translation - a.center);
  const Vec3f half = rotate_and_add(absolute, b.half, a.half);
  const NarrowedRange<float> u =
      narrow(f, low, high, start, fma(start, velocity, apart), fma(start, expansion, half), velocity, expansion);

  const Vec3f half_M = fma(u.half, abs(a.expansion), fma(u.middle, a.expansion, a.half));
  const Vec3f half_S = fma(u.half, abs(b.expansion), fma(u.middle, b.expansion, b.half));
  const Vec3f both = rotate_back_and_add(absolute, half_M, half_S);
  return (u.half >= 0.0f) &
         is_within(rotate_back(X, fma(u.middle, velocity, apart)), fma(u.half, abs(rotate_back(X, velocity)), both));
}

ISOPATCH_HD bool may_meet(const MeshPair& f, const NodeBox<float>& m, const NodeBox<float>& s) {
  return f.S.half_space ? may_meet_half_space(f, m) : meshes_may_meet(f, m, s);
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
