// SPDX-License-Identifier: Apache-2.0
//
// Bodies that contact will not bring back: one, or a separate part of it, lies inside another or below a half space,
// where no surface of equal pressure is; or it flew past the speed limit.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"
#include "isopatch/rollout_state.h"

namespace isopatch::cli {

class LostBodies {
 public:
  /// `given` has what the environments were given besides poses.
  LostBodies(Scene scene, const EvaluatorOptions& options, const StateArrays& given);

  /// The environments that have such a body now.
  std::int64_t count(const RolloutStateArrays& state);

 private:
  HostEvaluator evaluator_;
  StateArrays given_;
  std::vector<std::uint32_t> status_;
};

}  // namespace isopatch::cli
