// SPDX-License-Identifier: Apache-2.0
#include "isopatch/simulator.h"

#include "host/evaluation/argument_check.h"
#include "host/rollout/check_rollout.h"
#include "host/rollout/simulator_backend.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"

namespace isopatch {

using namespace detail;

namespace {

std::unique_ptr<Simulator::Implementation> make_backend(Scene scene, const RolloutOptions& rollout,
                                                        const EvaluatorOptions& options) {
  const StandardArithmetic standard;
  check_options(options);
  scene.data();  // throws if it has been moved from
  if (rollout.integrator == Integrator::kCvode) return make_cvode_simulator(std::move(scene), rollout, options);
  switch (options.backend) {
    case Backend::kCpu:
      return make_cpu_simulator(std::move(scene), rollout, {options});
    case Backend::kCuda:
      return make_cuda_simulator(std::move(scene), rollout, options);
    case Backend::kReference:
      break;
  }
  throw Error("simulator: the reference backend evaluates contact but does not step; use cpu");
}

}  // namespace

Simulator::Simulator(Scene scene, EvaluatorOptions options)
    : Simulator(scene, RolloutOptions(scene.description().rollout), options) {}
Simulator::Simulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options)
    : implementation_(make_backend(std::move(scene), rollout, options)) {}
Simulator::Simulator(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Simulator::Implementation& Simulator::implementation() const {
  if (implementation_ == nullptr) throw Error("simulator: it was moved from; use the simulator that it was moved to");
  return *implementation_;
}

void Simulator::initial_state(const RolloutState& state, void* stream) const {
  const StandardArithmetic standard;
  check_state_arguments("initial_state", implementation().counts(), state);
  implementation().initial_state(state, stream);
}

void Simulator::step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
                     void* stream) const {
  const StandardArithmetic standard;
  RolloutInput checked_input = input;
  RolloutOutput checked_output = output;
  check_step_arguments(implementation().counts(), state, checked_input, checked_output, num_steps);
  implementation().step(state, checked_input, checked_output, num_steps, stream);
}

void Simulator::reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial,
                      void* stream) const {
  const StandardArithmetic standard;
  check_reset_arguments(implementation().counts(), state, mask, initial);
  implementation().reset(state, mask, initial, stream);
}

void Simulator::reserve(std::int64_t num_environments) const {
  if (num_environments < 0) throw negative_value("reserve: num_environments", num_environments);
  implementation().reserve(num_environments);
}

const Scene& Simulator::scene() const { return implementation().scene(); }
const EvaluatorOptions& Simulator::options() const { return implementation().options(); }
const RolloutOptions& Simulator::rollout() const { return implementation().rollout(); }
int Simulator::num_joints() const { return implementation().view().num_joints; }

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
