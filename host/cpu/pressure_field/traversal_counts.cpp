// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/pressure_field/traversal_counts.h"

#include <vector>

#include "host/cpu/pressure_field/pressure_field_workspace.h"
#include "host/scene/scene_data.h"

namespace isopatch {

using namespace detail;

namespace {

/// Decides as an evaluation does, but only counts.
struct CountingVisitor : CellSearch<PairContext> {
  TraversalCounts& counts;
  std::int64_t wanted = 0;

  bool wants(const Node& m, const Node& s) {
    const bool wanted_here = CellSearch<PairContext>::wants(m, s);
    wanted += wanted_here ? 1 : 0;
    return wanted_here;
  }
  bool accepts(AcceptedCells& cells) {
    ++counts.tet_pairs;
    counts.accepted += CellSearch<PairContext>::accepts(cells) ? 1 : 0;
    return false;
  }
  void visit(bool, const AcceptedCells&) {}
};

}  // namespace

TraversalCounts detail::count_traversal(const Scene& scene, const State& state, std::int64_t environment) {
  const SceneView& view = scene.data().view;
  SerialWarp warp;
  PressureFieldWorkspace work(0, 0);  // no SIMD
  BodyBounds bounds[limits::kMaxBodies];
  std::vector<std::int64_t> near_pairs(scene.data().pairs.size());
  std::int32_t listed[kMaxContactModels] = {};
  begin_environment(warp, warp, bounds, view, state, Results{}, environment, {near_pairs.data(), listed, 1});
  TraversalCounts counts;
  for (std::int32_t i = 0; i < listed[0]; ++i) {
    const int pair = static_cast<int>(near_pairs[static_cast<std::size_t>(i)] - environment * view.num_pairs);
    PairMemory<PairContext>& memory = work.pair.pair;
    begin_pair(warp, memory, view, state, environment, pair);
    for (int frame = 0; frame < num_frames(view.pairs[pair]); ++frame) {
      for_each_part_pair(warp, memory, view, state, environment, pair, frame, [&](int) {
        const std::int64_t before = counts.tet_pairs;
        CountingVisitor visitor = {{memory.context}, counts};
        traverse(warp, work.pair.traversal, hierarchies_of(visitor.context), visitor);
        const std::int64_t opened = visitor.wanted - (counts.tet_pairs - before);
        counts.node_pairs += 1 + 2 * opened;  // the roots, and two for each pair that was opened
      });
    }
  }
  return counts;
}

}  // namespace isopatch
