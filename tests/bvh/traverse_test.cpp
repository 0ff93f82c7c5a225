// SPDX-License-Identifier: Apache-2.0
//
// Where all nodes pass, a traversal visits every pair of cells once, also while its stack is nearly full.
#include "isopatch/detail/bvh/traverse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/hierarchy/hierarchy.h"
#include "isopatch/isopatch.h"
#include "tests/support/fiber_warp.h"

namespace isopatch::test {

struct TestedCells {
  std::int32_t m, s;
  int unused;
};

}  // namespace isopatch::test

namespace isopatch::detail {

// A stack for hierarchies of ten levels, so small that it is full nearly always, and something behind it.
template <>
struct TraversalMemory<test::TestedCells, 8> {
  static constexpr int kReserve = 2 * 10 + 2;
  static constexpr int kStack = kReserve + 3 * 8;
  static constexpr int kQueue = 2 * 8;

  NodePair stack[kStack];
  NodePair behind[64];
  NodePair candidates[kQueue];
  test::TestedCells accepted[kQueue];
};

}  // namespace isopatch::detail

namespace isopatch::test {
namespace {

using namespace detail;

/// Wants and accepts everything, and counts the visits of each pair of cells.
struct EveryPair {
  using Accepted = TestedCells;

  std::int32_t cells_S;
  std::vector<int>& visits;

  bool wants(const Node&, const Node&) const { return true; }
  bool accepts(const TestedCells&) const { return true; }
  void visit(bool active, const TestedCells& cells) const {
    if (active)
      ++visits.at(static_cast<std::size_t>(cells.m) * static_cast<std::size_t>(cells_S) +
                  static_cast<std::size_t>(std::max(cells.s, 0)));
  }
};

/// `s` is null for a half space.
template <int size>
void expect_every_pair_once(const Hierarchy& m, const Hierarchy* s, int shares) {
  const std::int32_t cells_S = s == nullptr ? 1 : s->view().num_cells;
  std::vector<int> visits(m.cells.size() * static_cast<std::size_t>(cells_S), 0);
  const auto memory = std::make_unique<TraversalMemory<TestedCells, size>>();
  const HierarchyPair hierarchies = {m.view().nodes, s == nullptr ? nullptr : s->view().nodes};
  for (int share = 0; share < shares; ++share) {
    FiberGroup<size> group;
    group.run([&](FiberWarp<size>& warp) {
      EveryPair visitor = {cells_S, visits};
      traverse(warp, *memory, hierarchies, visitor, {share, shares});
    });
  }
  if constexpr (size == 8) {
    for (const NodePair& pair : memory->behind) EXPECT_TRUE(pair.m == 0 && pair.s == 0);
  }
  const auto once = std::count(visits.begin(), visits.end(), 1);
  EXPECT_EQ(once, std::ssize(visits)) << visits.size() << " pairs, " << size << " lanes, " << shares << " shares";
}

TEST(Traversal, VisitsEveryPairOnceWhereAllNodesPass) {
  const Hierarchy box = build_hierarchy(tet_cells(make_box("box", {0.1, 0.2, 0.03})));
  const Hierarchy one = build_hierarchy({box.cells.front()});
  const Hierarchy ball = build_hierarchy(tet_cells(make_sphere("ball", 0.1, 1)));
  const Hierarchy* const others[] = {nullptr, &one, &box, &ball};
  ASSERT_LE(std::max(box.depth, ball.depth), 10);
  for (const Hierarchy* m : {&one, &box, &ball}) {
    for (const Hierarchy* s : others) {
      expect_every_pair_once<1>(*m, s, 1);
      expect_every_pair_once<8>(*m, s, 1);
      expect_every_pair_once<32>(*m, s, 1);
      expect_every_pair_once<32>(*m, s, 4);
    }
  }
}

}  // namespace
}  // namespace isopatch::test
