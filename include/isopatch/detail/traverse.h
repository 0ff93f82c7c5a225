// SPDX-License-Identifier: Apache-2.0
//
// Finds the pairs of cells that a visitor wants, and hands them to it in full warps.
//
// A visitor has
//   bool wants(const Node& m, const Node* s, const NodeOverlap&)   a conservative test on two nodes, beyond their boxes
//   bool accepts(int m, int s, CellPair& pair)              decides on two cells
//   void visit(bool active, const CellPair& pair)           called by all lanes together
//
// Lanes take node pairs from the top of a stack they share, one each, and put back the children that may touch.
// Accepted cell pairs wait in a queue, and whenever every lane can have one, all lanes visit. Nothing is lost however
// many there are: the stack is bounded as shown below and the queue is emptied before it can fill.
#pragma once

#include "isopatch/detail/equal_pressure.h"
#include "isopatch/detail/warp.h"

namespace isopatch::detail {

struct NodePair {
  std::int32_t m, s;  // s is -1 for a half space
};

struct CellPair {
  std::int32_t m, s;
  std::uint32_t gate;  // positive_M | positive_S << 4
  Overlap overlap;     // where the visitor's polygon or polyhedron can be
};

/// Shared by the lanes of one warp.
///
/// Stack: a batch of k pairs is replaced by at most 2k children. While a full batch cannot overflow what lies below
/// kReserve, lanes work abreast; beyond that one pair is taken at a time, and depth-first descent of one pair adds at
/// most one sibling a level, at most 2 kMaxDepth in all. Queue: fewer than kSize wait between rounds, and one round
/// adds at most kSize.
template <int size>
struct Workspace {
  static constexpr int kReserve = 2 * kMaxDepth + 2;
  static constexpr int kStack = (size == 1 ? 0 : 256) + kReserve + 2 * size;
  static constexpr int kQueue = 2 * size;

  PairFrame frame;  // the same for all lanes
  NodePair stack[kStack];
  CellPair queue[kQueue];
};

/// Where the boxes of two nodes may overlap: a box in M about the centre of M's node.
struct NodeOverlap {
  Vec3f center, half;
  Vec3f apart;  // from the centre of M's node to that of S's; to a point on the surface of a half space
};

/// The six face axes of the separating axis test for two boxes. A half space asks for the lowest point, and beside a
/// rigid one for the highest too: the contact surface is its plane.
ISOPATCH_HD bool boxes_may_touch(const PairFrame& f, const Node& m, const Node* s, NodeOverlap& overlap) {
  const float slack = 2 * f.slack;  // twice the cells' own, so that rounding here cannot hide a cell
  const Vec3f half_M = {m.half[0], m.half[1], m.half[2]}, center_M = {m.center[0], m.center[1], m.center[2]};
  if (s == nullptr) {
    const Vec3f up = {f.coarse.row[0].z, f.coarse.row[1].z, f.coarse.row[2].z};
    const Vec3f reach = {f.absolute_row[0].z, f.absolute_row[1].z, f.absolute_row[2].z};
    overlap = {{0, 0, 0}, half_M, f.foot_S - center_M};
    const float height = -dot(up, overlap.apart), lift = dot(reach, half_M) + slack;
    return height <= lift && (!f.rigid_S || height >= -lift);
  }
  const Vec3f half_S = {s->half[0], s->half[1], s->half[2]}, center_S = {s->center[0], s->center[1], s->center[2]};
  const Vec3f apart = apply(f.coarse, center_S) - center_M;
  const Vec3f a0 = f.absolute_row[0], a1 = f.absolute_row[1], a2 = f.absolute_row[2];
  const Vec3f reach_S = Vec3f{dot(a0, half_S), dot(a1, half_S), dot(a2, half_S)} + Vec3f{slack, slack, slack};
  const Vec3f low = max(-half_M, apart - reach_S), high = min(half_M, apart + reach_S);
  if (low.x > high.x || low.y > high.y || low.z > high.z) return false;
  overlap = {0.5f * (low + high), 0.5f * (high - low), apart};

  const Vec3f apart_S = rotate_back(f.coarse, apart);
  const Vec3f reach_M = fused(half_M.x, a0, fused(half_M.y, a1, half_M.z * a2)) + Vec3f{slack, slack, slack};
  return std::fabs(apart_S.x) <= half_S.x + reach_M.x && std::fabs(apart_S.y) <= half_S.y + reach_M.y &&
         std::fabs(apart_S.z) <= half_S.z + reach_M.z;
}

/// Two compliant bodies: somewhere in the overlap of the nodes' boxes both pressures can be equal. Of each node's cells
/// the extent is known up to [low, high], so the difference of the pressures, over the larger modulus, is too.
ISOPATCH_HD bool levels_may_meet(const PairFrame& f, const Node& m, const Node* s, const NodeOverlap& overlap) {
  const Vec3f slope_M = {m.slope[0], m.slope[1], m.slope[2]};
  const Vec3f slope_S = s == nullptr ? f.slope_S : rotate(f.coarse, Vec3f{s->slope[0], s->slope[1], s->slope[2]});
  const float low_S = s == nullptr ? 0.0f : s->low, high_S = s == nullptr ? 0.0f : s->high;

  const Vec3f slope = fused(f.weight_M, slope_M, -(f.weight_S * slope_S));
  const Vec3f steepness = {std::fabs(slope.x), std::fabs(slope.y), std::fabs(slope.z)};
  const float middle = std::fma(f.weight_S, dot(slope_S, overlap.apart), dot(slope, overlap.center));
  const float range = dot(steepness, overlap.half) + f.level_slack;
  const float highest = std::fma(f.weight_M, m.high, std::fma(-f.weight_S, low_S, middle + range));
  const float lowest = std::fma(f.weight_M, m.low, std::fma(-f.weight_S, high_S, middle - range));
  return !(highest < 0.0f) && !(lowest > 0.0f);
}

/// Empties full rounds from the queue; with `all`, the last partial one too.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void drain(Warp& warp, Workspace<size>& work, int& waiting, bool all, Visitor& visitor) {
  while (waiting >= size || (all && waiting > 0)) {
    const int round = waiting < size ? waiting : size;
    const bool active = warp.lane() < round;
    CellPair pair = {};
    if (active) pair = work.queue[waiting - round + warp.lane()];
    waiting -= round;
    warp.sync();
    visitor.visit(active, pair);
  }
}

/// Adds this lane's accepted pair, if any, to the queue and visits when all lanes can.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void enqueue(Warp& warp, Workspace<size>& work, int& waiting, bool accepted, const CellPair& pair,
                         Visitor& visitor) {
  const std::uint32_t ballot = warp.ballot(accepted);
  if (accepted) work.queue[waiting + rank_in(ballot, warp.lane())] = pair;
  waiting += count_bits(ballot);
  warp.sync();
  drain(warp, work, waiting, false, visitor);
}

/// Works off the `depth` pairs on the stack and all that come of them.
template <class Warp, class Visitor, class MayTouch, int size>
ISOPATCH_HD void descend(Warp& warp, Workspace<size>& work, Visitor& visitor, const Node* nodes_M, const Node* nodes_S,
                         const MayTouch& may_touch, int depth, int& waiting) {
  while (depth > 0) {
    // one pair for each lane from the top; a single one where the stack is nearly full
    const int room = Workspace<size>::kStack - Workspace<size>::kReserve - depth;
    const int most = room < size ? 1 : size;
    const int taken = depth < most ? depth : most;
    const bool active = warp.lane() < taken;
    NodePair at = {0, 0};
    if (active) at = work.stack[depth - 1 - warp.lane()];
    depth -= taken;
    warp.sync();

    NodePair child[2];
    bool keep[2] = {false, false};
    bool accepted = false;
    CellPair cells = {};
    if (active) {
      const Node& m = nodes_M[at.m];
      const bool leaf_S = nodes_S == nullptr || nodes_S[at.s].is_leaf();
      if (m.is_leaf() && leaf_S) {
        accepted = visitor.accepts(m.cell(), nodes_S == nullptr ? -1 : nodes_S[at.s].cell(), cells);
      } else {
        const bool open_M =
            leaf_S || (!m.is_leaf() && m.half[0] + m.half[1] + m.half[2] >=
                                           nodes_S[at.s].half[0] + nodes_S[at.s].half[1] + nodes_S[at.s].half[2]);
        const std::int32_t first = open_M ? m.child : nodes_S[at.s].child;
        child[0] = open_M ? NodePair{first, at.s} : NodePair{at.m, first};
        child[1] = open_M ? NodePair{first + 1, at.s} : NodePair{at.m, first + 1};
        keep[0] = may_touch(child[0]);
        keep[1] = may_touch(child[1]);
      }
    }
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t ballot = warp.ballot(keep[i]);
      if (keep[i]) work.stack[depth + rank_in(ballot, warp.lane())] = child[i];
      depth += count_bits(ballot);
    }
    enqueue(warp, work, waiting, accepted, cells, visitor);
  }
}

/// One of `count` shares of a pair's work, for that many warps.
struct Share {
  int index = 0, count = 1;
};

/// The cells of M are shared out by subtrees, several to a share, so that a contact in one place is work for many:
/// those below the nodes `levels` under the root, dealt out in turn.
inline constexpr int kSubtreesPerShare = 8;

/// The node that the bits of `subtree`, from the highest of `levels`, lead to from the root; a leaf met early belongs
/// to the path that goes on to the left. -1 if there is none.
ISOPATCH_HD std::int32_t subtree_root(const Node* nodes, int subtree, int levels) {
  std::int32_t at = 0;
  for (int level = levels - 1; level >= 0; --level) {
    const int bit = subtree >> level & 1;
    if (!nodes[at].is_leaf()) {
      at = nodes[at].child + bit;
    } else if (bit != 0) {
      return -1;
    }
  }
  return at;
}

/// Two hierarchies together; the larger node is opened.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void traverse(Warp& warp, Workspace<size>& work, Visitor& visitor, Share share = {}) {
  const PairFrame& f = work.frame;
  const Node* nodes_M = f.hierarchy_M.layer(f.layer_M);
  const Node* nodes_S = f.S->half_space ? nullptr : f.hierarchy_S.layer(f.layer_S);
  const auto may_touch = [&](NodePair p) {
    const Node* s = nodes_S == nullptr ? nullptr : nodes_S + p.s;
    NodeOverlap overlap;
    return boxes_may_touch(f, nodes_M[p.m], s, overlap) && visitor.wants(nodes_M[p.m], s, overlap);
  };

  const int subtrees = share.count == 1 ? 1 : kSubtreesPerShare * share.count;
  int levels = 0;
  while (1 << levels < subtrees) ++levels;

  int waiting = 0;
  for (int begin = share.index; begin < subtrees; begin += share.count * size) {
    // a root for each lane
    const int subtree = begin + share.count * warp.lane();
    const NodePair root = {subtree < subtrees ? subtree_root(nodes_M, subtree, levels) : -1,
                           nodes_S == nullptr ? -1 : 0};
    const bool keep_root = root.m >= 0 && may_touch(root);
    const std::uint32_t roots = warp.ballot(keep_root);
    if (keep_root) work.stack[rank_in(roots, warp.lane())] = root;
    int depth = count_bits(roots);
    warp.sync();
    descend(warp, work, visitor, nodes_M, nodes_S, may_touch, depth, waiting);
  }
  drain(warp, work, waiting, true, visitor);
}

/// Every cell of M with every cell of S: what traverse() must agree with, bit for bit.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void visit_all(Warp& warp, Workspace<size>& work, Visitor& visitor) {
  const PairFrame& f = work.frame;
  const std::int64_t cells_S = f.S->half_space ? 1 : f.hierarchy_S.num_cells;
  const std::int64_t total = f.hierarchy_M.num_cells * cells_S;
  int waiting = 0;
  for (std::int64_t base = 0; base < total; base += size) {
    const std::int64_t at = base + warp.lane();
    CellPair cells = {};
    bool accepted = false;
    if (at < total) {
      const std::int32_t m = static_cast<std::int32_t>(at / cells_S), s = static_cast<std::int32_t>(at % cells_S);
      accepted = visitor.accepts(m, f.S->half_space ? -1 : s, cells);
    }
    enqueue(warp, work, waiting, accepted, cells, visitor);
  }
  drain(warp, work, waiting, true, visitor);
}

}  // namespace isopatch::detail
