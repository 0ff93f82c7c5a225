// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isopatch/scene.h"
#include "isopatch/state.h"

namespace isopatch {

/// How many pairs of cells an evaluation of one environment decides on exactly, over all its pairs, counted by the traversal
/// itself; 0 for an environment with a fault. Strides of `state` must be given.
std::int64_t count_tet_pairs(const Scene& scene, const State& state, std::int64_t environment);

}  // namespace isopatch
