// SPDX-License-Identifier: Apache-2.0
//
// Which bodies of a scene move as trees, and the order of their degrees of freedom.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/detail/rollout/motion/rollout_view.h"

namespace isopatch::detail {

/// The arrays of RolloutView of these names.
struct RolloutTrees {
  std::vector<TreeView> trees;
  std::vector<std::int32_t> tree_bodies, tree_levels;
};

/// Finds the trees among the bodies of a scene, and writes what of them is in `bodies` and the sizes in `view`.
RolloutTrees add_trees(std::vector<MovingBody>& bodies, RolloutView& view);

}  // namespace isopatch::detail
