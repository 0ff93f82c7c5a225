// SPDX-License-Identifier: Apache-2.0
//
// The search of a pair by a whole block, in as few rounds as there are levels: it starts with a pair of subtrees for
// each thread, and opens both nodes of a pair at once. It lists the same cells as traverse(), in another order.
#pragma once

#include "kernels/pressure_field/call.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

/// Loads something into the first-level cache, for a lane that reads it later.
template <class T>
__device__ void prefetch(const T* at, int count = 1) {
  constexpr std::size_t kSector = 32;
  for (std::size_t i = 0; i < count * sizeof(T); i += kSector) {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(reinterpret_cast<const char*>(at) + i));
  }
}

/// What waits: pairs of nodes, pairs of cells that are not tested, and cells that passed.
struct BlockCounts {
  std::int32_t nodes, candidates, cells;
};

/// What the threads of a block share.
///
/// Stack: a round of k pairs is replaced by at most 4k, so it takes no more than a third of what has room; with less
/// room it takes one, and the descent of one pair adds at most 3 a level.
template <int threads>
struct BlockSearchMemory {
  static constexpr int kReserve = 3 * kMaxDepth + 4;
  static constexpr int kStack = 4 * threads + kReserve;
  static constexpr int kCells = threads + threads / 2;

  std::int32_t roots_M[threads], roots_S[threads];  // -1 where there is none
  Roots levels;
  BlockCounts counts[2];  // of this round and the next, in turns
  NodePair stack[kStack];
  CellPair candidates[2 * threads];
  CellWork listed[kCells];

  __device__ SharedList<CellWork> cells(int turn) { return {listed, &counts[turn].cells, kCells}; }
};

/// As many pairs of subtrees as there are threads; the body with more cells has more of them.
template <int threads>
__device__ Roots levels_for(std::int32_t cells_M, std::int32_t cells_S, bool half_space) {
  int all = 0;
  while (2 << all <= threads) ++all;
  if (half_space) return {all, 0};
  int of_M = (all + 1) / 2;
  for (std::int32_t cells = cells_M; cells >= 4 * cells_S && of_M < all; cells /= 4) ++of_M;
  for (std::int32_t cells = cells_S; cells >= 4 * cells_M && of_M > 0; cells /= 4) --of_M;
  return {of_M, all - of_M};
}

/// Finds the roots of the subtrees that the search starts with. The pair has not begun yet. Called by `count` threads,
/// each with an `index` below that.
template <int threads>
__device__ void find_roots(BlockSearchMemory<threads>& memory, const BatchCall& call, std::int64_t environment,
                           int index, int count) {
  const SceneView& scene = call.scene;
  const PartPairView& parts = scene.part_pairs[scene.pairs[0].part_pairs_begin];
  const bool swapped = is_swapped(scene, call.state, environment, parts);
  const auto body_of = [&](std::int32_t part) {
    const GeometryView& own = scene.geometries[geometry_of(scene, call.state, environment, part)];
    const bool rigid = scene.parts[part].rigid;
    return make_pair_body(layer_of(scene, own, rigid, parts.layer), rigid, 0);
  };
  const PairBody M = body_of(swapped ? parts.b : parts.a), S = body_of(swapped ? parts.a : parts.b);
  const Roots levels = levels_for<threads>(M.hierarchy.num_cells, S.hierarchy.num_cells, S.half_space);
  const int of_M = 1 << levels.levels_M, of_S = 1 << levels.levels_S;
  for (int i = index; i < of_M + of_S; i += count) {
    if (i < of_M) {
      memory.roots_M[i] = subtree_root(M.hierarchy.nodes, i, levels.levels_M);
    } else {
      memory.roots_S[i - of_M] = S.half_space ? -1 : subtree_root(S.hierarchy.nodes, i - of_M, levels.levels_S);
    }
  }
  if (index > 0) return;
  memory.levels = levels;
  memory.counts[0] = {threads, 0, 0};
}

/// The pair of subtrees that a thread starts with; m is -1 if there is none.
template <int threads>
__device__ NodePair first_pair(const BlockSearchMemory<threads>& memory, int thread, bool half_space) {
  const int of_M = memory.levels.levels_M;
  const NodePair at = {memory.roots_M[thread & ((1 << of_M) - 1)], memory.roots_S[thread >> of_M]};
  return half_space || at.s >= 0 ? at : NodePair{-1, -1};
}

/// Writes the pairs of the children of two nodes, from the `first` of each on; nothing for two leaves.
__device__ __forceinline__ void write_children(NodePair first, bool inner_M, bool inner_S, NodePair* to) {
  if (!inner_M && !inner_S) return;
  to[0] = first;
  to[1] = inner_M ? NodePair{first.m + 1, first.s} : NodePair{first.m, first.s + 1};
  if (!inner_M || !inner_S) return;
  to[2] = {first.m, first.s + 1};
  to[3] = {first.m + 1, first.s + 1};
}

/// Tests a pair of nodes for each thread that has one, and appends the pairs of their children, or of their cells.
template <int threads>
__device__ __forceinline__ void open_nodes(CudaWarp& warp, BlockSearchMemory<threads>& memory,
                                           const PairContext& context, bool active, NodePair at, BlockCounts& counts) {
  const HierarchyPair hierarchies = hierarchies_of(context);
  const bool half_space = hierarchies.nodes_S == nullptr;
  bool inner_M = false, inner_S = false, leaves = false;
  Node m = {}, s = {};
  if (active) {
    m = load<float>(hierarchies.nodes_M + at.m);
    s = load<float>(half_space ? hierarchies.nodes_M : hierarchies.nodes_S + at.s);  // any will do for a half space
    if (may_meet(context, box_of(m), box_of(s))) {
      inner_M = !m.is_leaf();
      inner_S = !half_space && !s.is_leaf();
      leaves = !inner_M && !inner_S;
    }
  }
  const std::uint32_t opened = warp.ballot(inner_M || inner_S), both = warp.ballot(inner_M && inner_S);
  const std::uint32_t found = warp.ballot(leaves);
  int top = 0, next = 0;
  if (warp.lane() == 0 && opened != 0u) top = atomicAdd(&counts.nodes, 2 * (count_bits(opened) + count_bits(both)));
  if (warp.lane() == 0 && found != 0u) next = atomicAdd(&counts.candidates, count_bits(found));
  top = warp.from_first(top) + 2 * (rank_in(opened, warp.lane()) + rank_in(both, warp.lane()));
  next = warp.from_first(next) + rank_in(found, warp.lane());
  if (leaves) {
    memory.candidates[next] = {m.cell(), half_space ? -1 : s.cell()};
    prefetch(coarse_cell_of_M(context, m.cell()).cell);
    if (!half_space) prefetch(coarse_cell_of_S(context, s.cell()).cell);
  }
  if (inner_M) prefetch(hierarchies.nodes_M + m.child, 2);
  if (inner_S) prefetch(hierarchies.nodes_S + s.child, 2);
  write_children({inner_M ? m.child : at.m, inner_S ? s.child : at.s}, inner_M, inner_S, memory.stack + top);
}

/// Tests a pair of cells for each thread that has one, and lists those that pass.
template <int threads>
__device__ __forceinline__ void test_cells(CudaWarp& warp, BlockSearchMemory<threads>& memory,
                                           const PairContext& context, bool active, CellPair at, int turn) {
  AcceptedCells cells = {at.m, at.s, {}};
  const bool pass = active && test_cells(context, cells);
  if (pass) {
    prefetch(cell_of_M(context, cells.m).cell);
    if (cells.s >= 0) prefetch(cell_of_S(context, cells.s).cell);
  }
  memory.cells(turn).append(warp, pass, {0, cells});
}

enum class BlockRound { kNodes, kCells, kUse };

/// Searches a pair in rounds, and calls use(count) with cells in the list, when that is nearly full and at the end:
/// round(kind, count, active, item, turn) does what is not in the loop. Called by all threads.
template <int threads, class Round>
__device__ __forceinline__ void search(BlockSearchMemory<threads>& memory, bool half_space, const Round& round) {
  using Memory = BlockSearchMemory<threads>;
  const int thread = static_cast<int>(threadIdx.x);
  memory.stack[thread] = first_pair(memory, thread, half_space);  // which it takes itself
  for (int turn = 0;; turn ^= 1) {
    const BlockCounts now = memory.counts[turn];
    if (now.nodes == 0 && now.candidates == 0 && now.cells == 0) return;
    const bool tests = now.candidates >= (now.nodes == 0 ? 1 : threads);
    const bool uses = tests ? now.cells + threads > Memory::kCells : now.nodes == 0;
    BlockCounts left = now;
    NodePair item = {-1, -1};
    if (uses) {
      left.cells = 0;
    } else if (tests) {
      left.candidates -= min(now.candidates, threads);
      if (left.candidates + thread < now.candidates) item = memory.candidates[left.candidates + thread];
    } else {
      const int room = Memory::kStack - Memory::kReserve - now.nodes;
      left.nodes -= min(min(now.nodes, threads), max(room / 3, 1));
      if (left.nodes + thread < now.nodes) item = memory.stack[left.nodes + thread];
    }
    if (thread == 0) memory.counts[turn ^ 1] = left;
    __syncthreads();
    round(uses ? BlockRound::kUse : tests ? BlockRound::kCells : BlockRound::kNodes, now.cells, item, turn ^ 1);
    __syncthreads();
  }
}

}  // namespace isopatch::detail
