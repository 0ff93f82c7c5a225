// SPDX-License-Identifier: Apache-2.0
//
// What lets most pairs of nodes go before any exact arithmetic: conservative tests in float, with a margin far above
// their own rounding. A pair that has a polygon passes.
#pragma once

#include "isopatch/detail/pair_frame.h"

namespace isopatch::detail {

/// What is known of all cells below a node (see Node), as numbers or packs of them. S as a half space has none.
template <class F>
struct NodeBox {
  Vec3<F> center, half, drift, growth;
  F low, high;
};

ISOPATCH_HD NodeBox<float> box_of(const Node* n) {
  if (n == nullptr) return {};
  const auto vec = [](const float(&v)[3]) { return Vec3f{v[0], v[1], v[2]}; };
  return {vec(n->center), vec(n->half), vec(n->drift), vec(n->growth), n->low, n->high};
}

/// A range of extents.
template <class F>
struct Range {
  F low, high;

  /// Leaves those where value + u slope >= 0.
  ISOPATCH_HD void cut(F value, F slope) {
    const F inverse = rough_negative_inverse(slope), at = value * inverse;
    const MaskOf<F> rises = inverse < F(0);  // asked of this, a slope of 0 may have any sign
    low = select(rises, max(low, at), low);
    high = select(rises, high, min(high, at));
  }

  /// Takes in what rounding may have cut off.
  ISOPATCH_HD void widen(F slack) {
    low = low - fused(F(2 * kRough), abs(low), slack);
    high = high + fused(F(2 * kRough), abs(high), slack);
  }
};

/// The contact surface lies at z = -fall_S u of the half space.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet_half_space(const PairFrame& f, const NodeBox<F>& m) {
  const Vec3<F> up = {F(f.coarse.row[0].z), F(f.coarse.row[1].z), F(f.coarse.row[2].z)};
  const Vec3<F> reach = abs(up);
  const F height = dot(up, m.center - cast<F>(f.foot_S)), rise = dot(up, m.drift) + F(f.fall_S);
  const F half = dot(reach, m.half), growth = dot(reach, m.growth);
  Range<F> u = {F(0), F(1e30f)};
  if (!f.rigid_M) u = {m.low, m.high};
  u.cut(half - height, growth - rise);
  u.cut(half + height, growth + rise);
  u.widen(F(f.unit_slack));
  return u.low <= u.high;
}

/// There is a pressure at which the boxes of both nodes overlap. u, the extent of M, says what S has. Along each axis
/// of M the two faces that are nearer to each other, for a u in the lower part of the range, leave a smaller one; over
/// what is left, the boxes are compared along the axes of S.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet(const PairFrame& f, const NodeBox<F>& m, const NodeBox<F>& s) {
  if (f.half_space_S) return may_meet_half_space(f, m);
  const Vec3<F> a0 = cast<F>(f.absolute_row[0]), a1 = cast<F>(f.absolute_row[1]), a2 = cast<F>(f.absolute_row[2]);
  const F share_S = F(f.share_S);
  const Vec3<F> growth_S = share_S * s.growth;
  Range<F> u = {m.low, m.high};
  if (!f.rigid_S) u = {max(u.low, F(f.units_S) * s.low), min(u.high, F(f.units_S) * s.high)};

  // in M, from M's box to that of S, at a fourth of the range
  const F start = fused(F(0.25f), u.high - u.low, u.low);
  const Vec3<F> drift = rotate(f.coarse, share_S * s.drift) - m.drift;
  const Vec3<F> apart = fused(start, drift, apply(f.coarse, s.center) - m.center);
  const Vec3<F> growth = Vec3<F>{dot(a0, growth_S), dot(a1, growth_S), dot(a2, growth_S)} + m.growth;
  const Vec3<F> half = fused(start, growth, Vec3<F>{dot(a0, s.half), dot(a1, s.half), dot(a2, s.half)} + m.half);
  Range<F> left = {u.low - start, u.high - start};
  left.cut(half.x - abs(apart.x), growth.x - turned(drift.x, apart.x));
  left.cut(half.y - abs(apart.y), growth.y - turned(drift.y, apart.y));
  left.cut(half.z - abs(apart.z), growth.z - turned(drift.z, apart.z));
  // the ends of the range have been rounded three times, by 2^-24 each
  left.widen(fused(F(0x1p-21f), abs(u.low) + abs(u.high), F(f.unit_slack)));
  const MaskOf<F> touch = left.low <= left.high;
  if (!any(touch)) return touch;

  // in S, over what is left
  const F step = F(0.5f) * (left.low + left.high), reach = F(0.5f) * (left.high - left.low), middle = start + step;
  const Vec3<F> apart_S = rotate_back(f.coarse, fused(step, drift, apart)), drift_S = rotate_back(f.coarse, drift);
  const Vec3<F> half_M = fused(middle, m.growth, m.half);
  const Vec3<F> half_S = fused(half_M.x, a0, fused(half_M.y, a1, fused(half_M.z, a2, fused(middle, growth_S, s.half))));
  const Vec3<F> both_grow = fused(m.growth.x, a0, fused(m.growth.y, a1, fused(m.growth.z, a2, growth_S)));
  const Vec3<F> both = fused(reach, abs(drift_S) + abs(both_grow), half_S);
  return touch && abs(apart_S.x) <= both.x && abs(apart_S.y) <= both.y && abs(apart_S.z) <= both.z;
}

/// A box of all points below a node.
struct FixedBox {
  Vec3f center, half;

  ISOPATCH_HD explicit FixedBox(const NodeBox<float>& n) {
    const Vec3f first = fused(n.low, n.drift, n.center), first_half = fused(n.low, n.growth, n.half);
    const Vec3f last = fused(n.high, n.drift, n.center), last_half = fused(n.high, n.growth, n.half);
    const Vec3f low = min(first - first_half, last - last_half), high = max(first + first_half, last + last_half);
    center = 0.5f * (low + high);
    half = 0.5f * (high - low);
  }
};

/// Cells of two nodes may overlap, whatever their pressures; a half space is all that is below its surface.
ISOPATCH_HD bool may_overlap(const PairFrame& f, const NodeBox<float>& m, const NodeBox<float>& s) {
  const FixedBox box_M(m);
  if (f.half_space_S) {
    const Vec3f up = {f.coarse.row[0].z, f.coarse.row[1].z, f.coarse.row[2].z};
    return dot(up, box_M.center - f.foot_S) <= dot(abs(up), box_M.half);
  }
  const FixedBox box_S(s);
  const Vec3f apart = apply(f.coarse, box_S.center) - box_M.center, apart_S = rotate_back(f.coarse, apart);
  const Vec3f a0 = f.absolute_row[0], a1 = f.absolute_row[1], a2 = f.absolute_row[2], h = box_M.half;
  const Vec3f in_M = Vec3f{dot(a0, box_S.half), dot(a1, box_S.half), dot(a2, box_S.half)} + h;
  const Vec3f in_S = fused(h.x, a0, fused(h.y, a1, h.z * a2)) + box_S.half;
  const auto within = [](Vec3f x, Vec3f limit) {
    return std::fabs(x.x) <= limit.x && std::fabs(x.y) <= limit.y && std::fabs(x.z) <= limit.z;
  };
  return within(apart, in_M) && within(apart_S, in_S);
}

}  // namespace isopatch::detail
