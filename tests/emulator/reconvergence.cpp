// SPDX-License-Identifier: Apache-2.0
//
// The immediate postdominator of each branch, by the iteration of K. Cooper, T. Harvey, K. Kennedy: A simple, fast
// dominance algorithm (2001), on the reversed graph of instructions with one more node, the end.
#include <algorithm>

#include "tests/emulator/program.h"

namespace isopatch::emulator {

namespace {

struct Graph {
  std::int32_t end;
  std::vector<std::vector<std::int32_t>> next;

  explicit Graph(const std::vector<Instruction>& code)
      : end(static_cast<std::int32_t>(code.size())), next(code.size() + 1) {
    for (std::int32_t at = 0; at < end; ++at) {
      const Instruction& i = code[static_cast<std::size_t>(at)];
      auto& out = next[static_cast<std::size_t>(at)];
      if (i.flow == Flow::kBranch) out.push_back(i.target);
      if (i.flow == Flow::kExit) out.push_back(end);
      if (i.flow == Flow::kNext || i.guard >= 0) out.push_back(at + 1);
    }
  }

  /// All nodes from which the end can be reached: the end first, and each node after one that it leads to.
  std::vector<std::int32_t> order_from_end() const {
    std::vector<std::vector<std::int32_t>> before(next.size());
    for (std::size_t at = 0; at < next.size(); ++at) {
      for (const std::int32_t to : next[at])
        before[static_cast<std::size_t>(to)].push_back(static_cast<std::int32_t>(at));
    }
    std::vector<std::int32_t> order;
    std::vector<bool> seen(next.size());
    std::vector<std::pair<std::int32_t, std::size_t>> open = {{end, 0}};
    seen[static_cast<std::size_t>(end)] = true;
    while (!open.empty()) {
      auto& [at, tried] = open.back();
      const auto& from = before[static_cast<std::size_t>(at)];
      if (tried == from.size()) {
        order.push_back(at);
        open.pop_back();
        continue;
      }
      const std::int32_t to = from[tried++];
      if (seen[static_cast<std::size_t>(to)]) continue;
      seen[static_cast<std::size_t>(to)] = true;
      open.emplace_back(to, 0);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }
};

}  // namespace

void find_reconvergence(std::vector<Instruction>& code) {
  const Graph graph(code);
  const std::vector<std::int32_t> order = graph.order_from_end();
  std::vector<std::int32_t> rank(graph.next.size(), -1), meets(graph.next.size(), -1);
  for (std::size_t r = 0; r < order.size(); ++r)
    rank[static_cast<std::size_t>(order[r])] = static_cast<std::int32_t>(r);
  const auto of = [](auto& v, std::int32_t at) -> auto& { return v[static_cast<std::size_t>(at)]; };
  const auto common = [&](std::int32_t a, std::int32_t b) {
    while (a != b) {
      while (of(rank, a) > of(rank, b)) a = of(meets, a);
      while (of(rank, b) > of(rank, a)) b = of(meets, b);
    }
    return a;
  };
  of(meets, graph.end) = graph.end;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::int32_t at : order) {
      if (at == graph.end) continue;
      std::int32_t found = -1;
      for (const std::int32_t to : of(graph.next, at)) {
        if (of(rank, to) < 0 || of(meets, to) < 0) continue;  // never ends, or not known yet
        found = found < 0 ? to : common(found, to);
      }
      if (found != of(meets, at)) of(meets, at) = found, changed = true;
    }
  }
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].flow == Flow::kBranch) code[at].reconvergence = meets[at] == graph.end ? -1 : meets[at];
  }
}

}  // namespace isopatch::emulator
