// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/pressure_field/context/pair_bounds.h"

namespace isopatch::test {

/// The context of the only part pair of simple bodies. Strides of `state` must be given.
inline detail::PairContext pair_context(const detail::SceneView& scene, const State& state, std::int64_t environment,
                                        int pair) {
  detail::SerialWarp warp;
  detail::PairMemory<detail::PairContext> memory;
  begin_pair(warp, memory, scene, state, environment, pair);
  return memory.context;
}

}  // namespace isopatch::test
