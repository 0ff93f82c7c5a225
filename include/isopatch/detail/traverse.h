// SPDX-License-Identifier: Apache-2.0
//
// Finds the pairs of cells that a visitor wants, and hands them to it in full warps.
//
// A visitor has
//   bool wants(const Node& m, const Node* s, const NodeOverlap&)   a conservative test on two nodes, beyond their boxes
//   bool accepts(int m, int s, CellPair& pair)              decides on two cells
//   void visit(bool active, const CellPair& pair)           called by all lanes together
//
// Lanes take node pairs from the top of a stack they share, one each, and where the two may touch put back their
// children. Accepted cell pairs wait in a queue, and whenever every lane can have one, all lanes visit. Nothing is lost
// however many there are: the stack is bounded as shown below and the queue is emptied before it can fill.
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

/// Pairs of cells that wait to be visited.
template <class Warp, class Visitor, int size>
struct Queue {
  Warp& warp;
  Workspace<size>& work;
  Visitor& visitor;
  int waiting = 0;

  /// A round is due: all lanes can have a pair, or `no_more` will come.
  ISOPATCH_HD bool is_due(bool no_more) const { return waiting >= size || (no_more && waiting > 0); }

  /// Adds this lane's pair, if it has one.
  ISOPATCH_HD void add(bool accepted, const CellPair& pair) {
    const std::uint32_t ballot = warp.ballot(accepted);
    if (accepted) work.queue[waiting + rank_in(ballot, warp.lane())] = pair;
    waiting += count_bits(ballot);
    warp.sync();
  }

  ISOPATCH_HD void visit() {
    const int round = waiting < size ? waiting : size;
    const bool active = warp.lane() < round;
    CellPair pair = {};
    if (active) pair = work.queue[waiting - round + warp.lane()];
    waiting -= round;
    warp.sync();
    visitor.visit(active, pair);
  }
};

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

/// Two hierarchies together; the larger node is opened. One loop with one place for each step, so that the visit, by
/// far the most code, is compiled once.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void traverse(Warp& warp, Workspace<size>& work, Visitor& visitor, Share share = {}) {
  const PairFrame& f = work.frame;
  const Node* nodes_M = f.hierarchy_M.layer(f.layer_M);
  const Node* nodes_S = f.S->half_space ? nullptr : f.hierarchy_S.layer(f.layer_S);
  const int subtrees = share.count == 1 ? 1 : kSubtreesPerShare * share.count;
  int levels = 0;
  while (1 << levels < subtrees) ++levels;

  Queue<Warp, Visitor, size> queue = {warp, work, visitor};
  int next_subtree = share.index, depth = 0;
  while (true) {
    if (queue.is_due(depth == 0 && next_subtree >= subtrees)) {
      queue.visit();
      continue;
    }
    if (depth == 0) {  // a root for each lane
      if (next_subtree >= subtrees) return;
      const int subtree = next_subtree + share.count * warp.lane();
      const std::int32_t root = subtree < subtrees ? subtree_root(nodes_M, subtree, levels) : -1;
      const std::uint32_t roots = warp.ballot(root >= 0);
      if (root >= 0) work.stack[rank_in(roots, warp.lane())] = {root, nodes_S == nullptr ? -1 : 0};
      depth = count_bits(roots);
      next_subtree += share.count * size;
      warp.sync();
      continue;
    }

    // one pair for each lane from the top; a single one where the stack is nearly full
    const int room = Workspace<size>::kStack - Workspace<size>::kReserve - depth;
    const int most = room < size ? 1 : size;
    const int taken = depth < most ? depth : most;
    const bool active = warp.lane() < taken;
    NodePair at = {0, 0};
    if (active) at = work.stack[depth - 1 - warp.lane()];
    depth -= taken;
    warp.sync();

    bool opened = false, accepted = false, open_M = false;
    std::int32_t first = 0;  // of two children
    CellPair cells = {};
    if (active) {
      const Node& m = nodes_M[at.m];
      const Node* s = nodes_S == nullptr ? nullptr : nodes_S + at.s;
      NodeOverlap overlap;
      if (boxes_may_touch(f, m, s, overlap) && visitor.wants(m, s, overlap)) {
        const bool leaf_S = s == nullptr || s->is_leaf();
        opened = !(m.is_leaf() && leaf_S);
        if (opened) {
          open_M =
              leaf_S || (!m.is_leaf() && m.half[0] + m.half[1] + m.half[2] >= s->half[0] + s->half[1] + s->half[2]);
          first = open_M ? m.child : s->child;
        } else {
          accepted = visitor.accepts(m.cell(), s == nullptr ? -1 : s->cell(), cells);
        }
      }
    }
    const std::uint32_t ballot = warp.ballot(opened);
    if (opened) {
      NodePair* top = work.stack + depth + 2 * rank_in(ballot, warp.lane());
      top[0] = open_M ? NodePair{first, at.s} : NodePair{at.m, first};
      top[1] = open_M ? NodePair{first + 1, at.s} : NodePair{at.m, first + 1};
    }
    depth += 2 * count_bits(ballot);
    queue.add(accepted, cells);
  }
}

/// Every cell of M with every cell of S: what traverse() must agree with, bit for bit.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void visit_all(Warp& warp, Workspace<size>& work, Visitor& visitor) {
  const PairFrame& f = work.frame;
  const std::int64_t cells_S = f.S->half_space ? 1 : f.hierarchy_S.num_cells;
  const std::int64_t total = f.hierarchy_M.num_cells * cells_S;
  Queue<Warp, Visitor, size> queue = {warp, work, visitor};
  std::int64_t base = 0;
  while (true) {
    if (queue.is_due(base >= total)) {
      queue.visit();
      continue;
    }
    if (base >= total) return;
    const std::int64_t at = base + warp.lane();
    base += size;
    CellPair cells = {};
    bool accepted = false;
    if (at < total) {
      const std::int32_t m = static_cast<std::int32_t>(at / cells_S), s = static_cast<std::int32_t>(at % cells_S);
      accepted = visitor.accepts(m, f.S->half_space ? -1 : s, cells);
    }
    queue.add(accepted, cells);
  }
}

}  // namespace isopatch::detail
