// SPDX-License-Identifier: Apache-2.0
//
// Steps a batch in host memory part by part; with half the time step too, to see what it changes; and counts lost
// bodies.
#pragma once

#include <cstdint>
#include <vector>

#include "host/cli/process/progress.h"
#include "host/cli/rollout/start_states.h"
#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"
#include "isopatch/rollout_state.h"
#include "isopatch/simulator.h"

namespace isopatch::cli {

/// The environments of a rollout while they are stepped, in calls that take a fraction of a second each.
class Stepper {
 public:
  /// The simulator must outlive it.
  Stepper(const HostSimulator& simulator, const RolloutStart& start);

  /// Takes `steps` steps in all environments, and writes what the last one was like into the arrays of `output` that
  /// are not empty; with 0 steps, what the state is like. Counts steps of environments in `progress`, whose exceptions
  /// end the call.
  void advance(std::int64_t steps, RolloutOutputArrays& output, Progress& progress);

  const RolloutStateArrays& state() const { return state_; }

  /// Of each environment, or'ed over all steps.
  const std::vector<std::uint32_t>& status() const { return status_; }

 private:
  void step(std::int64_t begin, std::int64_t count, std::int64_t steps, RolloutOutputArrays* output);

  const HostSimulator& simulator_;
  RolloutStateArrays state_;
  StateArrays given_;
  ArrayCounts counts_;
  std::vector<std::uint32_t> status_;
  std::int64_t part_;  // steps of environments in a call
};

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

/// Bodies that contact will not bring back: one, or a separate part of it, lies inside another or below a half space,
/// where no surface of equal pressure is; or it flew past the speed limit.
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
