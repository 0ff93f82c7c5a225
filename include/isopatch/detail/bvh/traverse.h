// SPDX-License-Identifier: Apache-2.0
//
// Finds the pairs of cells of two hierarchies that a visitor wants, and hands them to it in full warps. It knows no
// contact model: the visitor decides what is tested and what is kept of a pair of cells. A visitor has
//
//   struct Accepted                                 what it keeps of a pair of cells, begun as {m, s}
//   bool wants(const Node& m, const Node& s)        a conservative test of two nodes
//   bool accepts(Accepted&)                         a test of two cells, which fills in the rest
//   void visit(bool active, const Accepted&)        called by all lanes together
//
// Each lane takes a node pair from the top of a shared stack and pushes pairs of nodes below if the two may touch.
// Pairs of cells wait in a queue until every lane can test one, and those accepted wait in another until every lane can
// visit one. Neither can overflow: the stack is bounded as shown below, and the queues are emptied before they are
// full.
#pragma once

#include <cstdint>

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/simt/lists.h"
#include "isopatch/detail/simt/load.h"

namespace isopatch::detail {

/// The hierarchies of a pair of bodies, M and S.
struct HierarchyPair {
  const Node* nodes_M;
  const Node* nodes_S;  // null: S is a half space, which all of M is tested against
};

struct alignas(8) NodePair {
  std::int32_t m, s;  // indices; s is -1 for a half space
};

using CellPair = NodePair;

/// What the lanes of one warp share.
///
/// Stack: a pair is replaced by at most three while there is room for as many of a full batch without touching the last
/// kReserve entries; after that, by two, and no more pairs are taken than there is room for. Where there is none, one
/// pair is taken at a time, and its depth-first descent adds at most one sibling a level, at most 2 kMaxDepth in all.
/// Queues: fewer than `size` items wait between rounds, and one round adds at most `size`.
template <class Accepted, int size>
struct TraversalMemory {
  static constexpr int kReserve = 2 * kMaxDepth + 2;
  static constexpr int kStack = (size == 1 ? 0 : 256) + kReserve + 2 * size;
  static constexpr int kQueue = 2 * size;

  NodePair stack[kStack];
  CellPair candidates[kQueue];
  Accepted accepted[kQueue];
};

/// A round of tests on pairs of cells.
template <class Warp, class Visitor, class Accepted, int size>
ISOPATCH_HD void test(Warp& warp, Queue<CellPair, size>& candidates, Queue<Accepted, size>& accepted,
                      Visitor& visitor) {
  CellPair cells = {0, 0};
  const bool active = candidates.take(warp, cells);
  Accepted item = {cells.m, cells.s, {}};
  const bool keep = active && visitor.accepts(item);
  accepted.add(warp, keep, item);
}

/// A round of visits.
template <class Warp, class Visitor, class Accepted, int size>
ISOPATCH_HD void visit(Warp& warp, Queue<Accepted, size>& accepted, Visitor& visitor) {
  Accepted item = {0, 0, {}};
  const bool active = accepted.take(warp, item);
  visitor.visit(active, item);
}

/// One of the `count` shares of a pair's work, each for one warp.
struct WorkSlice {
  int index = 0, count = 1;
};

/// The pairs of nodes to start with: each of 2^levels_M subtrees of M with each of 2^levels_S of S. So all lanes have
/// work from the first round on, and even a small contact is work for many shares, which take the pairs in turn. A
/// single lane starts with the two roots.
struct Roots {
  int levels_M, levels_S;

  ISOPATCH_HD static Roots make(int lanes, int shares, bool half_space) {
    const int share = log2(shares);
    if (lanes == 1) return {shares == 1 ? 0 : share + 3, 0};
    return {share + (half_space ? 5 : 3), half_space ? 0 : 2};
  }
  ISOPATCH_HD int count() const { return 1 << (levels_M + levels_S); }

 private:
  ISOPATCH_HD static int log2(int x) {
    int power = 0;
    while (1 << power < x) ++power;
    return power;
  }
};

/// The root of a subtree: the `levels` bits of `subtree`, highest first, say where to go right on the way down. A leaf
/// met early belongs to the path that goes on to the left; -1 for the other paths.
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

/// Descends two hierarchies together and always opens the larger node, by its Descendants: as most pairs pass, leaving
/// out the test of its larger child saves more tests than it adds. Each kind of round appears once in the loop, so that
/// none is compiled twice. Before pairs of cells are tested, a full round of accepted ones is visited, so that no queue
/// overflows.
template <class Warp, class Visitor, class Accepted, int size>
ISOPATCH_HD void traverse(Warp& warp, TraversalMemory<Accepted, size>& memory, const HierarchyPair& hierarchies,
                          Visitor& visitor, WorkSlice share = {}) {
  const Node* nodes_M = hierarchies.nodes_M;
  const Node* nodes_S = hierarchies.nodes_S;
  const bool half_space = nodes_S == nullptr;
  const Roots roots = Roots::make(size, share.count, half_space);

  Queue<CellPair, size> candidates = {memory.candidates};
  Queue<Accepted, size> accepted = {memory.accepted};
  int next_root = share.index, depth = 0;
  while (true) {
    const bool descended = depth == 0 && next_root >= roots.count();
    if (descended || candidates.fills_a_round()) {
      const bool last = descended && candidates.waiting == 0;
      if (last && accepted.waiting == 0) return;
      if (last || accepted.fills_a_round()) {
        visit(warp, accepted, visitor);
      } else {
        test(warp, candidates, accepted, visitor);
      }
      continue;
    }

    if (depth == 0) {  // a pair of roots for each lane
      const int root = next_root + share.count * warp.lane();
      NodePair at = {-1, -1};
      if (root < roots.count()) {
        at.m = subtree_root(nodes_M, root & ((1 << roots.levels_M) - 1), roots.levels_M);
        if (!half_space) at.s = subtree_root(nodes_S, root >> roots.levels_M, roots.levels_S);
      }
      const bool found = at.m >= 0 && (half_space || at.s >= 0);
      const std::uint32_t ballot = warp.ballot(found);
      if (found) memory.stack[rank_in(ballot, warp.lane())] = at;
      depth = count_bits(ballot);
      next_root += share.count * size;
      warp.sync();
      continue;
    }

    // one pair for each lane from the top; fewer where the stack is nearly full
    const int room = TraversalMemory<Accepted, size>::kStack - TraversalMemory<Accepted, size>::kReserve - depth;
    const bool by_three = room >= 2 * size;
    const int most = room < 1 ? 1 : room < size ? room : size;
    const int taken = depth < most ? depth : most;
    const bool active = warp.lane() < taken;
    NodePair at = {0, 0};
    if (active) at = memory.stack[depth - 1 - warp.lane()];
    depth -= taken;
    warp.sync();

    // lanes without a pair test the roots, for nothing
    const Node m = load<float>(nodes_M + at.m);
    const Node s = load<float>(half_space ? nodes_M : nodes_S + at.s);  // for a half space any node will do
    const bool pass = visitor.wants(m, s) && active;
    const bool leaf_M = m.is_leaf(), leaf_S = half_space || s.is_leaf();
    const bool leaves = pass && leaf_M && leaf_S, opened = pass && !leaves;
    const bool open_M = leaf_S || (!leaf_M && m.size >= s.size);
    Descendants to = {open_M ? m.child : s.child, -1};
    if (opened && by_three) to = (open_M ? nodes_M + at.m : nodes_S + at.s)->descendants;
    const std::uint32_t ballot = warp.ballot(opened), ballot_of_three = warp.ballot(to.single >= 0);
    if (opened) {
      NodePair* top = memory.stack + depth + 2 * rank_in(ballot, warp.lane()) + rank_in(ballot_of_three, warp.lane());
      top[0] = open_M ? NodePair{to.pair, at.s} : NodePair{at.m, to.pair};
      top[1] = open_M ? NodePair{to.pair + 1, at.s} : NodePair{at.m, to.pair + 1};
      if (to.single >= 0) top[2] = open_M ? NodePair{to.single, at.s} : NodePair{at.m, to.single};
    }
    depth += 2 * count_bits(ballot) + count_bits(ballot_of_three);
    candidates.add(warp, leaves, {m.cell(), half_space ? -1 : s.cell()});
  }
}

/// Tests every cell of M with every cell of S; traverse() must agree with it bit for bit. `cells_S` is 0 for a half
/// space.
template <int size, class Warp, class Visitor>
ISOPATCH_HD void visit_all(Warp& warp, std::int64_t cells_M, std::int64_t cells_S, Visitor& visitor) {
  const bool half_space = cells_S == 0;
  const std::int64_t columns = half_space ? 1 : cells_S, total = cells_M * columns;
  for (std::int64_t base = 0; base < total; base += size) {
    const std::int64_t at = base + warp.lane();
    const std::int64_t m = at / columns, s = half_space ? -1 : at % columns;
    typename Visitor::Accepted item = {static_cast<std::int32_t>(m), static_cast<std::int32_t>(s), {}};
    const bool active = at < total && visitor.accepts(item);
    visitor.visit(active, item);
  }
}

}  // namespace isopatch::detail
