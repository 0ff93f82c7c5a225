// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/traversal_counts.h"

#include "host/cpu/thread_workspace.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"

namespace isopatch {

using namespace detail;

namespace {

/// Decides as an evaluation does, but only counts.
struct CountingVisitor {
  const PairContext& context;
  TraversalCounts& counts;
  std::int64_t wanted = 0;

  using Accepted = AcceptedCells;

  bool wants(const Node& m, const Node& s) {
    const bool wanted_here = may_meet(context, box_of(m), box_of(s));
    wanted += wanted_here ? 1 : 0;
    return wanted_here;
  }
  bool accepts(AcceptedCells& cells) {
    ++counts.tet_pairs;
    counts.accepted += test_cells(context, cells) ? 1 : 0;
    return false;
  }
  void visit(bool, const AcceptedCells&) {}
};

}  // namespace

TraversalCounts detail::count_traversal(const Scene& scene, const State& state, std::int64_t environment) {
  const SceneView& view = scene.data().view;
  SerialWarp warp;
  ThreadWorkspace work(0);  // no SIMD
  std::int32_t listed = 0;
  begin_environment(warp, warp, work.bounds, view, state, Results{}, environment, {work.items, &listed, kMaxPairs});
  TraversalCounts counts;
  for (std::int32_t i = 0; i < listed; ++i) {
    const int pair = static_cast<int>(work.items[i] - environment * view.num_pairs);
    PairMemory& memory = work.pair.pair;
    begin_pair(warp, memory, view, state, environment, pair);
    for (int frame = 0; frame < num_frames(view.pairs[pair]); ++frame) {
      for_each_part_pair(warp, memory, view, state, environment, pair, frame, [&](int) {
        const std::int64_t before = counts.tet_pairs;
        CountingVisitor visitor = {memory.context, counts};
        traverse(warp, work.pair.traversal, hierarchies_of(visitor.context), visitor);
        const std::int64_t opened = visitor.wanted - (counts.tet_pairs - before);
        counts.node_pairs += 1 + 2 * opened;  // the roots, and two for each pair that was opened
      });
    }
  }
  return counts;
}

}  // namespace isopatch
