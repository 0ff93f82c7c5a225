// SPDX-License-Identifier: Apache-2.0
//
// How many pairs of cells an evaluation decides on exactly, counted by the traversal itself.
#pragma once

#include "host/scene/scene_data.h"
#include "isopatch/detail/evaluate_pair.h"

namespace isopatch::bench {

struct CountingVisitor {
  const detail::PairFrame& frame;
  std::int64_t decided = 0;

  bool wants(const detail::Node& m, const detail::Node* s, const detail::NodeOverlap& overlap) const {
    return frame.rigid_M || frame.rigid_S || detail::levels_may_meet(frame, m, s, overlap);
  }
  bool accepts(std::int32_t, std::int32_t, detail::CellPair&) {
    ++decided;
    return false;
  }
  void visit(bool, const detail::CellPair&) {}
};

/// Cell pairs that reach the gate in one environment, over all its pairs. Strides of `state` must be given.
inline std::int64_t count_tet_pairs(const Scene& scene, const State& state, std::int64_t environment) {
  using namespace detail;
  const SceneView& view = scene.data().view;
  std::int64_t total = 0;
  SerialWarp warp;
  Workspace<1> work;
  for (int pair = 0; pair < view.num_pairs; ++pair) {
    work.frame = make_pair_frame(view, state, environment, pair);
    CountingVisitor visitor = {work.frame};
    traverse(warp, work, visitor);
    total += visitor.decided;
  }
  return total;
}

}  // namespace isopatch::bench
