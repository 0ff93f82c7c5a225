// SPDX-License-Identifier: Apache-2.0
//
// `isopatch rollout --check`: what half the time step changes.
#pragma once

#include <cstdint>
#include <vector>

#include "host/cli/rollout/stepper.h"

namespace isopatch::cli {

/// The same rollout with half the time step, and how far bodies are from where the whole step takes them.
class StepCheck {
 public:
  StepCheck(const HostSimulator& simulator, const RolloutStart& start);
  StepCheck(const StepCheck&) = delete;
  StepCheck& operator=(const StepCheck&) = delete;

  /// Catches up with `steps` whole steps, and compares with `state`. Frozen environments do not count.
  void compare(std::int64_t steps, const RolloutStateArrays& state, Progress& progress);

  /// A line for each body.
  void print() const;

  /// Of each environment with half the time step, or'ed over all steps.
  const std::vector<std::uint32_t>& status() const { return stepper_.status(); }

 private:
  struct Difference {
    double position = 0, angle = 0;  // m, rad
  };

  HostSimulator half_;
  Stepper stepper_;
  RolloutOutputArrays nothing_;
  std::vector<Difference> bodies_;
};

}  // namespace isopatch::cli
