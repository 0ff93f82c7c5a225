// SPDX-License-Identifier: Apache-2.0
#include "isopatch/simulator.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "host/argument_check.h"
#include "host/array_check.h"
#include "host/rollout/simulator_backend.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/rollout_arrays.h"

namespace isopatch {

using namespace detail;

namespace {

std::unique_ptr<Simulator::Implementation> make_backend(Scene scene, const RolloutOptions& rollout,
                                                        const EvaluatorOptions& options) {
  const StandardArithmetic standard;
  check_options(options);
  scene.data();  // throws where it has been moved from
  switch (options.backend) {
    case Backend::kCpu:
      return make_cpu_simulator(std::move(scene), rollout, options);
    case Backend::kCuda:
      return make_cuda_simulator(std::move(scene), rollout, options);
    case Backend::kReference:
      break;
  }
  throw Error("simulator: the reference backend evaluates contact but does not step; use cpu");
}

/// Adds the arrays of a state to the check of a call.
void add_state(ArrayCheck& check, const std::string& call, const std::string& name, const ArrayCounts& counts,
               RolloutState state) {
  for_each_rollout_state(
      [&](const ArrayInfo& info, auto* pointer) {
        const std::string array = name + "." + info.name;
        if (pointer == nullptr && counts.row(info) > 0 && state.num_environments > 0) {
          throw Error(fmt::format("{}: {} is null; it is required", call, array));
        }
        TypedArray rows = pointer;
        check.add(array, rows, counts.row(info), true);
      },
      state);
}

void check_count(const std::string& call, std::int64_t environments, const ArrayCounts& counts) {
  if (environments >= 0 &&
      environments <= std::numeric_limits<std::int64_t>::max() / (64 * (counts.pairs + counts.bodies))) {
    return;
  }
  throw Error(fmt::format("{}: state.num_environments is {}; {}", call, environments,
                          environments < 0 ? "it must not be negative" : "so many cannot be indexed"));
}

}  // namespace

Simulator::Simulator(Scene scene, EvaluatorOptions options)
    : Simulator(scene, RolloutOptions(scene.description().rollout), options) {}
Simulator::Simulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options)
    : implementation_(make_backend(std::move(scene), rollout, options)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const Simulator::Implementation& Simulator::implementation() const {
  if (implementation_ == nullptr) {
    throw Error("simulator: it was moved from; use the simulator that it was moved to");
  }
  return *implementation_;
}

void Simulator::initial_state(const RolloutState& state, void* stream) const {
  const StandardArithmetic standard;
  const ArrayCounts counts = counts_of(*this);
  check_count("initial_state", state.num_environments, counts);
  ArrayCheck check("initial_state", state.num_environments);
  add_state(check, "initial_state", "state", counts, state);
  check.check_overlaps();
  implementation().initial_state(state, stream);
}

void Simulator::step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
                     void* stream) const {
  const StandardArithmetic standard;
  const ArrayCounts counts = counts_of(*this);
  check_count("step", state.num_environments, counts);
  if (num_steps < 0) throw Error(fmt::format("step: num_steps is {}; it must not be negative", num_steps));
  RolloutInput checked_input = input;
  RolloutOutput checked_output = output;
  ArrayCheck check("step", state.num_environments);
  add_state(check, "step", "state", counts, state);
  for_each_rollout_input(
      [&](const ArrayInfo& info, auto& array) {
        check.add(std::string("input.") + info.name, array, counts.row(info), false);
      },
      checked_input);
  for_each_rollout_output(
      [&](const ArrayInfo& info, auto& array) {
        check.add(std::string("output.") + info.name, array, counts.row(info), true);
      },
      checked_output);
  check.check_overlaps();
  implementation().step(state, checked_input, checked_output, num_steps, stream);
}

void Simulator::reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial,
                      void* stream) const {
  const StandardArithmetic standard;
  const ArrayCounts counts = counts_of(*this);
  check_count("reset", state.num_environments, counts);
  if (initial.num_environments != state.num_environments) {
    throw Error(fmt::format("reset: initial has {} environments and the state {}; give as many",
                            initial.num_environments, state.num_environments));
  }
  ArrayCheck check("reset", state.num_environments);
  add_state(check, "reset", "state", counts, state);
  add_state(check, "reset", "initial", counts, initial);
  TypedArray mask_rows = mask;
  check.add("mask", mask_rows, 1, false);
  check.check_overlaps();
  implementation().reset(state, mask, initial, stream);
}

void Simulator::reserve(std::int64_t num_environments) const {
  check_count("reserve", num_environments, counts_of(*this));
  implementation().reserve(num_environments);
}

const Scene& Simulator::scene() const { return implementation().scene(); }
const EvaluatorOptions& Simulator::options() const { return implementation().options(); }
const RolloutOptions& Simulator::rollout() const { return implementation().rollout(); }
int Simulator::num_joints() const { return implementation().view().num_joints; }

}  // namespace isopatch
