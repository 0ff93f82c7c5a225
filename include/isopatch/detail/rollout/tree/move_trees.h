// SPDX-License-Identifier: Apache-2.0
//
// The trees of an environment in a stage: to where its contact is found, and on from there.
#pragma once

#include "isopatch/detail/rollout/tree/free_motion.h"

namespace isopatch::detail {

/// Moves trees to where the contact of a stage is found, before place_all_for_contact(): writes their poses there, and
/// with `twists`, which may be null, the known twists of their origins. Returns whether that is as good as the rule of
/// free_motion.h. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool place_trees(Warp& warp, const RolloutView& view, const InputView& input, std::int64_t environment,
                             const EnvironmentState& state, const SolverStage& stage, StageBody* bodies,
                             const TreeMemory& m, double* poses, double* twists) {
  const TreeInput in = {view, input, environment, state, stage, bodies, stage.begin};
  const EnvironmentState found = {poses, twists, nullptr, nullptr};
  bool at_rest = true;
  ISOPATCH_NO_UNROLL
  for (int tree = 0; tree < view.num_trees; ++tree) {
    const TreeView& of = view.trees[tree];
    at_rest = move_freely(warp, in, of, stage.ahead, true, m) && at_rest;
    if (twists != nullptr) find_twists(warp, view, of, m.rates + of.first_dof, m);
    for_each_body(warp, view, of, [&](int i, const MovingBody&) {
      const TreeBody& t = m.bodies[i];
      store_pose(poses, view.tree_bodies[i], t.pose);
      if (twists != nullptr) found.set_twist(view.tree_bodies[i], shifted(t.twist, t.pose.position - t.center));
    });
  }
  return at_rest;
}

/// Moves trees on from where the contact of a stage was found, with the velocities that are in `bodies`. Returns the
/// same. Called by all lanes.
template <class Warp>
ISOPATCH_HD bool move_trees_on(Warp& warp, const RolloutView& view, const InputView& input, std::int64_t environment,
                               const EnvironmentState& state, const SolverStage& stage, StageBody* bodies,
                               const TreeMemory& m) {
  const TreeInput in = {view, input, environment, state, stage, bodies, stage.begin + stage.ahead};
  bool at_rest = true;
  ISOPATCH_NO_UNROLL
  for (int tree = 0; tree < view.num_trees; ++tree) {
    at_rest = move_freely(warp, in, view.trees[tree], stage.onward, false, m) && at_rest;
  }
  return at_rest;
}

}  // namespace isopatch::detail
