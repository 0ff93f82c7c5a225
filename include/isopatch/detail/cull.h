// SPDX-License-Identifier: Apache-2.0
//
// What lets most pairs of nodes and cells go before any exact arithmetic: conservative tests in float, each with a
// margin far above its own rounding. A pair that has a polygon passes all of them.
#pragma once

#include "isopatch/detail/pair_frame.h"

namespace isopatch::detail {

/// What is known of all cells below a node, as numbers or packs of them. S as a half space has none.
template <class F>
struct NodeBox {
  Vec3<F> center, half, slope;
  F low, high;
};

ISOPATCH_HD NodeBox<float> box_of(const Node* n) {
  if (n == nullptr) return {};
  return {{n->center[0], n->center[1], n->center[2]},
          {n->half[0], n->half[1], n->half[2]},
          {n->slope[0], n->slope[1], n->slope[2]},
          n->low,
          n->high};
}

/// Where the boxes of two nodes may overlap: a box in M about the centre of M's node.
template <class F>
struct NodeOverlap {
  Vec3<F> center, half;
  Vec3<F> apart;  // from the centre of M's node to that of S's; to a point on the surface of a half space
};

/// The six face axes of the separating axis test for two boxes. A half space asks for the lowest point, and beside a
/// rigid one for the highest too: the contact surface is its plane.
template <class F>
ISOPATCH_HD MaskOf<F> boxes_may_touch(const PairFrame& f, const NodeBox<F>& m, const NodeBox<F>& s,
                                      NodeOverlap<F>& overlap) {
  const F slack = F(2 * f.slack);  // twice the cells' own, so that rounding here cannot hide a cell
  if (f.half_space_S) {
    const Vec3f up = {f.coarse.row[0].z, f.coarse.row[1].z, f.coarse.row[2].z};
    const Vec3f reach = {f.absolute_row[0].z, f.absolute_row[1].z, f.absolute_row[2].z};
    overlap = {{F(0), F(0), F(0)}, m.half, cast<F>(f.foot_S) - m.center};
    const F height = -dot(cast<F>(up), overlap.apart), lift = dot(cast<F>(reach), m.half) + slack;
    return height <= lift && (MaskOf<F>(!f.rigid_S) || height >= -lift);
  }
  const Vec3<F> margin = {slack, slack, slack};
  const Vec3<F> apart = apply(f.coarse, s.center) - m.center;
  const Vec3<F> a0 = cast<F>(f.absolute_row[0]), a1 = cast<F>(f.absolute_row[1]), a2 = cast<F>(f.absolute_row[2]);
  const Vec3<F> reach_S = Vec3<F>{dot(a0, s.half), dot(a1, s.half), dot(a2, s.half)} + margin;
  const Vec3<F> low = max(-m.half, apart - reach_S), high = min(m.half, apart + reach_S);
  const MaskOf<F> touch = low.x <= high.x && low.y <= high.y && low.z <= high.z;
  if (!any(touch)) return touch;
  overlap = {F(0.5f) * (low + high), F(0.5f) * (high - low), apart};

  const Vec3<F> apart_S = rotate_back(f.coarse, apart);
  const Vec3<F> reach_M = fused(m.half.x, a0, fused(m.half.y, a1, m.half.z * a2)) + margin;
  return touch && abs(apart_S.x) <= s.half.x + reach_M.x && abs(apart_S.y) <= s.half.y + reach_M.y &&
         abs(apart_S.z) <= s.half.z + reach_M.z;
}

/// Two compliant bodies: somewhere in the overlap of the nodes' boxes both pressures can be equal. Of each node's cells
/// the extent is known up to [low, high], so the difference of the pressures, over the larger modulus, is too.
template <class F>
ISOPATCH_HD MaskOf<F> levels_may_meet(const PairFrame& f, const NodeBox<F>& m, const NodeBox<F>& s,
                                      const NodeOverlap<F>& overlap) {
  const Vec3<F> slope_S = f.half_space_S ? cast<F>(f.slope_S) : rotate(f.coarse, s.slope);
  const F low_S = f.half_space_S ? F(0) : s.low, high_S = f.half_space_S ? F(0) : s.high;
  const F weight_M = F(f.weight_M), weight_S = F(f.weight_S);

  const Vec3<F> slope = fused(weight_M, m.slope, -(weight_S * slope_S));
  const F middle = fused(weight_S, dot(slope_S, overlap.apart), dot(slope, overlap.center));
  const F range = dot(abs(slope), overlap.half) + F(f.level_slack);
  const F highest = fused(weight_M, m.high, fused(-weight_S, low_S, middle + range));
  const F lowest = fused(weight_M, m.low, fused(-weight_S, high_S, middle - range));
  return !(highest < F(0)) && !(lowest > F(0));
}

}  // namespace isopatch::detail
