// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/lost_bodies.h"

#include <utility>

#include "isopatch/status.h"

namespace isopatch::cli {

LostBodies::LostBodies(Scene scene, const EvaluatorOptions& options, const StateArrays& given)
    : evaluator_(std::move(scene), options), given_(given) {
  given_.velocities.clear();
}

std::int64_t LostBodies::count(const RolloutStateArrays& state) {
  State now = given_.view(0, state.num_environments);
  now.poses = state.poses.data();
  status_.resize(state.status.size());
  Results results;
  results.status = status_.data();
  evaluator_.evaluate(now, results);
  std::int64_t lost = 0;
  for (std::size_t e = 0; e < status_.size(); ++e) {
    if (((status_[e] & kNoContactSurface) | (state.status[e] & kDiverged)) != 0) ++lost;
  }
  return lost;
}

}  // namespace isopatch::cli
