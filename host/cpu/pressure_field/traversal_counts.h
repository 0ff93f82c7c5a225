// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch::detail {

/// What the evaluation of one environment tests, over all its pairs.
struct TraversalCounts {
  std::int64_t node_pairs = 0;  // tested
  std::int64_t tet_pairs = 0;   // decided on exactly
  std::int64_t accepted = 0;    // those of them that may have a polygon
};

/// Counts with the evaluation's own first stage and traversal. All zero for an environment with a fault. Strides of
/// `state` must be given.
TraversalCounts count_traversal(const Scene& scene, const State& state, std::int64_t environment);

}  // namespace isopatch::detail
