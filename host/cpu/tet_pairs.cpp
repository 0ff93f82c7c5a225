// SPDX-License-Identifier: Apache-2.0
#include "cpu/tet_pairs.h"

#include "isopatch/detail/evaluate_pair.h"
#include "scene/scene_data.h"

namespace isopatch {

using namespace detail;

namespace {

/// Accepts nothing and counts what it was asked.
struct CountingVisitor {
  const PairFrame& frame;
  std::int64_t decided = 0;

  bool wants(const Node& m, const Node* s, const NodeOverlap& overlap) const {
    return frame.rigid_M || frame.rigid_S || levels_may_meet(frame, m, s, overlap);
  }
  bool accepts(std::int32_t, std::int32_t, CellPair&) {
    ++decided;
    return false;
  }
  void visit(bool, const CellPair&) {}
};

}  // namespace

std::int64_t count_tet_pairs(const Scene& scene, const State& state, std::int64_t environment) {
  const SceneView& view = scene.data().view;
  SerialWarp warp;
  if (environment_status(warp, view, state, environment) != kOk) return 0;
  Workspace<1> work;
  std::int64_t total = 0;
  for (int pair = 0; pair < view.num_pairs; ++pair) {
    if (!is_enabled(view, state, environment, pair)) continue;
    work.frame = make_pair_frame(view, state, environment, pair);
    CountingVisitor visitor = {work.frame};
    traverse(warp, work, visitor);
    total += visitor.decided;
  }
  return total;
}

}  // namespace isopatch
