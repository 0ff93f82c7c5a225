// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// What the evaluation of a pair of an environment reads and writes.
struct PairCall {
  const SceneView& scene;
  const State& state;
  const Results& results;
  std::int64_t environment;
  int pair;  // index of its view

  ISOPATCH_HD const PairView& view() const { return scene.pairs[pair]; }
};

}  // namespace isopatch::detail
