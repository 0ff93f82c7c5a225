// SPDX-License-Identifier: Apache-2.0
#include "isopatch/simulator.h"

#include "host/rollout/check_rollout.h"
#include "host/rollout/simulator_backend.h"
#include "host/threads/standard_arithmetic.h"

namespace isopatch {

using namespace detail;

HostSimulator::HostSimulator(Scene scene, EvaluatorOptions options) : simulator_(std::move(scene), options) {}
HostSimulator::HostSimulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options)
    : simulator_(std::move(scene), rollout, options) {}

void HostSimulator::initial_state(const RolloutState& state) const {
  const StandardArithmetic standard;
  check_state_arguments("initial_state", simulator_.implementation().counts(), state);
  simulator_.implementation().initial_state_from_host(state);
}

void HostSimulator::step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output,
                         int num_steps) const {
  const StandardArithmetic standard;
  RolloutInput checked_input = input;
  RolloutOutput checked_output = output;
  check_step_arguments(simulator_.implementation().counts(), state, checked_input, checked_output, num_steps);
  simulator_.implementation().step_from_host(state, checked_input, checked_output, num_steps);
}

const Simulator& HostSimulator::simulator() const { return simulator_; }

}  // namespace isopatch
