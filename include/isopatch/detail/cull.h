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

/// The values of u (see PairFrame) at which two nodes can have a point of the contact surface.
template <class F>
struct UnitRange {
  F low, high;

  /// Leaves those where value + u slope >= 0.
  ISOPATCH_HD void cut(F value, F slope) {
    const F inverse = rough_inverse(slope), at = -(value * inverse);
    const MaskOf<F> rises = inverse > F(0);  // asked of this, the sign of a slope of 0 does not matter
    low = select(rises, max(low, at), low);
    high = select(rises, high, min(high, at));
  }

  /// Takes in what rounding may have cut off.
  ISOPATCH_HD void widen(float slack) {
    constexpr float kWider = 1.25f * kRough;
    low = low - fused(F(kWider), abs(low), F(slack));
    high = high + fused(F(kWider), abs(high), F(slack));
  }
};

/// The contact surface lies at z = -fall_S u of the half space.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet_half_space(const PairFrame& f, const NodeBox<F>& m) {
  const Vec3<F> up = {F(f.coarse.row[0].z), F(f.coarse.row[1].z), F(f.coarse.row[2].z)};
  const Vec3<F> reach = abs(up);
  const F height = dot(up, m.center - cast<F>(f.foot_S)), rise = fused(F(f.share_M), dot(up, m.drift), F(f.fall_S));
  const F half = dot(reach, m.half) + F(f.node_slack), growth = F(f.share_M) * dot(reach, m.growth);
  UnitRange<F> u = {F(0), F(1e30f)};
  if (!f.rigid_M) u = {F(f.units_M) * m.low, F(f.units_M) * m.high};
  u.cut(half - height, growth - rise);
  u.cut(half + height, growth + rise);
  u.widen(f.unit_slack);
  return u.low <= u.high;
}

/// There is a pressure at which the boxes of both nodes overlap. Along each axis of M the faces of the two boxes leave
/// a range of u; over what is left of it, the boxes are compared along the axes of S.
template <class F>
ISOPATCH_HD MaskOf<F> may_meet(const PairFrame& f, const NodeBox<F>& m, const NodeBox<F>& s) {
  if (f.half_space_S) return may_meet_half_space(f, m);
  const Vec3<F> a0 = cast<F>(f.absolute_row[0]), a1 = cast<F>(f.absolute_row[1]), a2 = cast<F>(f.absolute_row[2]);
  const F share_M = F(f.share_M), share_S = F(f.share_S), slack = F(f.node_slack);
  const Vec3<F> growth_M = share_M * m.growth, growth_S = share_S * s.growth;

  // in M, from M's box to that of S
  const Vec3<F> apart = apply(f.coarse, s.center) - m.center;
  const Vec3<F> drift = fused(-share_M, m.drift, rotate(f.coarse, share_S * s.drift));
  const Vec3<F> half =
      Vec3<F>{dot(a0, s.half), dot(a1, s.half), dot(a2, s.half)} + (m.half + Vec3<F>{slack, slack, slack});
  const Vec3<F> growth = Vec3<F>{dot(a0, growth_S), dot(a1, growth_S), dot(a2, growth_S)} + growth_M;
  UnitRange<F> u = {F(f.units_M) * m.low, F(f.units_M) * m.high};
  if (!f.rigid_S) u = {max(u.low, F(f.units_S) * s.low), min(u.high, F(f.units_S) * s.high)};
  u.cut(half.x - apart.x, growth.x - drift.x);
  u.cut(half.y - apart.y, growth.y - drift.y);
  u.cut(half.z - apart.z, growth.z - drift.z);
  u.cut(half.x + apart.x, growth.x + drift.x);
  u.cut(half.y + apart.y, growth.y + drift.y);
  u.cut(half.z + apart.z, growth.z + drift.z);
  u.widen(f.unit_slack);
  const MaskOf<F> touch = u.low <= u.high;
  if (!any(touch)) return touch;

  // in S, over that range
  const F middle = F(0.5f) * (u.low + u.high), reach = F(0.5f) * (u.high - u.low);
  const Vec3<F> apart_S = rotate_back(f.coarse, fused(middle, drift, apart));
  const Vec3<F> half_M = fused(middle, growth_M, m.half) + reach * (abs(growth_M) + abs(drift));
  const Vec3<F> half_S = fused(middle, growth_S, s.half) + reach * abs(growth_S);
  const Vec3<F> both =
      fused(half_M.x, a0, fused(half_M.y, a1, half_M.z * a2)) + (half_S + Vec3<F>{slack, slack, slack});
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
  const float slack = f.node_slack;
  if (f.half_space_S) {
    const Vec3f up = {f.coarse.row[0].z, f.coarse.row[1].z, f.coarse.row[2].z};
    return dot(up, box_M.center - f.foot_S) <= dot(abs(up), box_M.half) + slack;
  }
  const FixedBox box_S(s);
  const Vec3f margin = {slack, slack, slack};
  const Vec3f apart = apply(f.coarse, box_S.center) - box_M.center, apart_S = rotate_back(f.coarse, apart);
  const Vec3f a0 = f.absolute_row[0], a1 = f.absolute_row[1], a2 = f.absolute_row[2], h = box_M.half;
  const Vec3f in_M = Vec3f{dot(a0, box_S.half), dot(a1, box_S.half), dot(a2, box_S.half)} + (h + margin);
  const Vec3f in_S = fused(h.x, a0, fused(h.y, a1, h.z * a2)) + (box_S.half + margin);
  const auto within = [](Vec3f x, Vec3f limit) {
    return std::fabs(x.x) <= limit.x && std::fabs(x.y) <= limit.y && std::fabs(x.z) <= limit.z;
  };
  return within(apart, in_M) && within(apart_S, in_S);
}

}  // namespace isopatch::detail
