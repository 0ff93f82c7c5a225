// SPDX-License-Identifier: Apache-2.0
#include "host/rollout/polygon_capacity.h"

#include <algorithm>
#include <numeric>

#include "isopatch/evaluator.h"
#include "isopatch/limits.h"
#include "isopatch/rollout_state.h"

namespace isopatch::detail {

int polygon_capacity(const Scene& scene, const RolloutOptions& options) {
  if (options.polygon_capacity > 0) return options.polygon_capacity;
  RolloutStateArrays begin(scene, 1);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(scene.num_pairs()));
  State state;
  state.num_environments = 1;
  state.poses = begin.poses.data();
  Results results;
  results.polygon_count = counts.data();
  Evaluator(scene, {.num_threads = 1}).evaluate(state, results);
  constexpr std::int64_t kMin = 256, kRound = 32;
  const std::int64_t found = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::int64_t wanted = std::max(kMin, (4 * found + kRound - 1) / kRound * kRound);
  return static_cast<int>(std::min<std::int64_t>(wanted, limits::kMaxPolygonCapacity));
}

}  // namespace isopatch::detail
