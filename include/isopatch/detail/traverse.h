// SPDX-License-Identifier: Apache-2.0
//
// Finds the pairs of cells that a visitor wants, and hands them to it in full warps.
//
// A visitor has
//   bool wants(const NodeBox& m, const NodeBox& s, const NodeOverlap&)   a conservative test on two nodes, beyond boxes
//   bool accepts(int m, int s, CellPair& pair)              decides on two cells
//   void visit(bool active, const CellPair& pair)           called by all lanes together
//
// Lanes take node pairs from the top of a stack they share, one each, and where the two may touch put back their
// children. Pairs of cells wait in a queue until every lane can decide on one, and those accepted in another until
// every lane can visit one. Nothing is lost however many there are: the stack is bounded as shown below and the queues
// are emptied before they can fill.
#pragma once

#include "isopatch/detail/equal_pressure.h"
#include "isopatch/detail/warp.h"

namespace isopatch::detail {

struct NodePair {
  std::int32_t m, s;  // s is -1 for a half space
};

struct CellPair {
  std::int32_t m, s;
  std::int32_t positive_M, positive_S;  // of the gate
  Overlap<float> overlap;  // where the visitor's polygon or polyhedron can be
};

/// Shared by the lanes of one warp.
///
/// Stack: a batch of k pairs is replaced by at most 2k children. While a full batch cannot overflow what lies below
/// kReserve, lanes work abreast; beyond that one pair is taken at a time, and depth-first descent of one pair adds at
/// most one sibling a level, at most 2 kMaxDepth in all. Queues: fewer than `size` wait between rounds, and one round
/// adds at most `size`.
template <int size>
struct Workspace {
  static constexpr int kReserve = 2 * kMaxDepth + 2;
  static constexpr int kStack = (size == 1 ? 0 : 256) + kReserve + 2 * size;
  static constexpr int kQueue = 2 * size;

  PairFrame frame;  // the same for all lanes
  NodePair stack[kStack];
  NodePair candidates[kQueue];  // pairs of cells
  CellPair accepted[kQueue];
};

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

/// Work that waits until every lane can have a piece of it.
template <class Item, int size>
struct Queue {
  Item* items;  // 2 * size, shared by the lanes
  int waiting = 0;

  /// A round is due: a full one, or what is left where `no_more` will come.
  ISOPATCH_HD bool is_due(bool no_more) const { return waiting >= size || (no_more && waiting > 0); }

  /// Adds this lane's item, if it has one.
  template <class Warp>
  ISOPATCH_HD void add(Warp& warp, bool has, const Item& item) {
    const std::uint32_t ballot = warp.ballot(has);
    if (has) items[waiting + rank_in(ballot, warp.lane())] = item;
    waiting += count_bits(ballot);
    warp.sync();
  }

  /// Takes an item for each lane; false for lanes that get none.
  template <class Warp>
  ISOPATCH_HD bool take(Warp& warp, Item& item) {
    const int round = waiting < size ? waiting : size;
    const bool active = warp.lane() < round;
    if (active) item = items[waiting - round + warp.lane()];
    waiting -= round;
    warp.sync();
    return active;
  }
};

/// A round of decisions on pairs of cells.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void decide(Warp& warp, Queue<NodePair, size>& candidates, Queue<CellPair, size>& accepted,
                        Visitor& visitor) {
  NodePair at = {0, 0};
  CellPair cells = {};
  const bool keep = candidates.take(warp, at) && visitor.accepts(at.m, at.s, cells);
  accepted.add(warp, keep, cells);
}

/// A round of visits.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void visit(Warp& warp, Queue<CellPair, size>& accepted, Visitor& visitor) {
  CellPair cells = {};
  const bool active = accepted.take(warp, cells);
  visitor.visit(active, cells);
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

/// Two hierarchies together; the larger node is opened. One loop with one place for each kind of round, so that none is
/// compiled twice, and the one nearest the end that is due goes first, so that no queue overflows.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void traverse(Warp& warp, Workspace<size>& work, Visitor& visitor, Share share = {}) {
  const PairFrame& f = work.frame;
  const Node* nodes_M = f.hierarchy_M.layer(f.layer_M);
  const Node* nodes_S = f.S->half_space ? nullptr : f.hierarchy_S.layer(f.layer_S);
  const int subtrees = share.count == 1 ? 1 : kSubtreesPerShare * share.count;
  int levels = 0;
  while (1 << levels < subtrees) ++levels;

  Queue<NodePair, size> candidates = {work.candidates};
  Queue<CellPair, size> accepted = {work.accepted};
  int next_subtree = share.index, depth = 0;
  while (true) {
    const bool descended = depth == 0 && next_subtree >= subtrees;
    if (accepted.is_due(descended && candidates.waiting == 0)) {
      visit(warp, accepted, visitor);
      continue;
    }
    if (candidates.is_due(descended)) {
      decide(warp, candidates, accepted, visitor);
      continue;
    }
    if (descended) return;

    if (depth == 0) {  // a root for each lane
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

    bool opened = false, open_M = false, leaves = false;
    std::int32_t first = 0;  // of two children
    NodePair cells = {0, -1};
    if (active) {
      const Node& m = nodes_M[at.m];
      const Node* s = nodes_S == nullptr ? nullptr : nodes_S + at.s;
      const NodeBox<float> box_M = box_of(&m), box_S = box_of(s);
      NodeOverlap<float> overlap;
      if (boxes_may_touch(f, box_M, box_S, overlap) && visitor.wants(box_M, box_S, overlap)) {
        const bool leaf_S = s == nullptr || s->is_leaf();
        leaves = m.is_leaf() && leaf_S;
        opened = !leaves;
        if (leaves) {
          cells = {m.cell(), s == nullptr ? -1 : s->cell()};
        } else {
          open_M =
              leaf_S || (!m.is_leaf() && m.half[0] + m.half[1] + m.half[2] >= s->half[0] + s->half[1] + s->half[2]);
          first = open_M ? m.child : s->child;
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
    candidates.add(warp, leaves, cells);
  }
}

/// Every cell of M with every cell of S: what traverse() must agree with, bit for bit.
template <class Warp, class Visitor, int size>
ISOPATCH_HD void visit_all(Warp& warp, Workspace<size>& work, Visitor& visitor) {
  const PairFrame& f = work.frame;
  const std::int64_t cells_S = f.S->half_space ? 1 : f.hierarchy_S.num_cells;
  const std::int64_t total = f.hierarchy_M.num_cells * cells_S;
  Queue<NodePair, size> candidates = {work.candidates};
  Queue<CellPair, size> accepted = {work.accepted};
  std::int64_t base = 0;
  while (true) {
    const bool all = base >= total;
    if (accepted.is_due(all && candidates.waiting == 0)) {
      visit(warp, accepted, visitor);
    } else if (candidates.is_due(all)) {
      decide(warp, candidates, accepted, visitor);
    } else if (all) {
      return;
    } else {
      const std::int64_t at = base + warp.lane();
      base += size;
      const std::int64_t m = at / cells_S, s = f.S->half_space ? -1 : at % cells_S;
      candidates.add(warp, at < total, {static_cast<std::int32_t>(m), static_cast<std::int32_t>(s)});
    }
  }
}

}  // namespace isopatch::detail
