// SPDX-License-Identifier: Apache-2.0
#include "isopatch/simulator.h"

#include <algorithm>
#include <array>
#include <limits>

#include "host/evaluation/argument_check.h"
#include "host/evaluation/array_check.h"
#include "host/rollout/simulator_backend.h"
#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kStepArrays = count_arrays([](const auto& visit) {
  for_each_rollout_state(visit);
  for_each_rollout_input(visit);
  for_each_rollout_output(visit);
});
static_assert(kStepArrays <= ArrayCheck::kMaxArrays, "other calls have fewer");

/// Adds the arrays of a state to the check of a call.
void add_state(ArrayCheck& check, const char* owner, const ArrayCounts& counts, RolloutState state) {
  for_each_rollout_state(
      [&](const ArrayInfo& info, auto* pointer) {
        if (pointer == nullptr && counts.row(info) > 0 && state.num_environments > 0) {
          throw wrong_value(check.location({owner, info.name}), "null", "it is required");
        }
        TypedArray rows = pointer;
        check.add(owner, info, rows, counts, true);
      },
      state);
}

void check_count(const char* call, std::int64_t environments, const ArrayCounts& counts) {
  if (environments >= 0 &&
      environments <= std::numeric_limits<std::int64_t>::max() / (64 * (counts[Per::kPair] + counts[Per::kBody]))) {
    return;
  }
  throw wrong_value(fmt::format("{}: state.num_environments", call), fmt::to_string(environments),
                    environments < 0 ? "it must not be negative" : "so many cannot be indexed");
}

/// Throws Error, naming the array, for a negative number of environments, a required array that is null, an address
/// that is not a multiple of the element's size, and arrays that share bytes.
void check_state_arguments(const char* call, const ArrayCounts& counts, const RolloutState& state) {
  check_count(call, state.num_environments, counts);
  ArrayCheck check(call, state.num_environments);
  add_state(check, "state.", counts, state);
  check.check_overlaps();
}

/// The same for a step; fills in strides that are kContiguous, and checks them as for an evaluation.
void check_step_arguments(const ArrayCounts& counts, const RolloutState& state, RolloutInput& input,
                          RolloutOutput& output, int num_steps) {
  check_count("step", state.num_environments, counts);
  if (state.num_environments == 0 && state.poses != nullptr) throw no_environments("step");
  if (num_steps < 0) throw negative_value("step: num_steps", num_steps);
  ArrayCheck check("step", state.num_environments);
  add_state(check, "state.", counts, state);
  for_each_rollout_input([&](const ArrayInfo& info, auto& array) { check.add("input.", info, array, counts, false); },
                         input);
  for_each_rollout_output([&](const ArrayInfo& info, auto& array) { check.add("output.", info, array, counts, true); },
                          output);
  check.check_overlaps();
}

void check_reset_arguments(const ArrayCounts& counts, const RolloutState& state, const std::uint8_t* mask,
                           const RolloutState& initial) {
  check_count("reset", state.num_environments, counts);
  if (initial.num_environments != state.num_environments) {
    throw_error("reset: initial has {} environments and the state {}; give as many", initial.num_environments,
                state.num_environments);
  }
  ArrayCheck check("reset", state.num_environments);
  add_state(check, "state.", counts, state);
  add_state(check, "initial.", counts, initial);
  TypedArray mask_rows = mask;
  check.add("", ArrayInfo{"mask", "uint8", Per::kEnvironment, 1, "0 or 1"}, mask_rows, counts, false);
  check.check_overlaps();
}

/// What pairs of rigid parts that keep gaps do not go with.
void check_gaps(const Scene& scene, const RolloutOptions& rollout) {
  const SceneDescription& description = scene.description();
  for (const PairView& pair : scene.data().pairs) {
    const ContactModelInfo& model = contact_models()[static_cast<std::size_t>(pair.model)];
    if (!model.measures_distance) continue;
    if (rollout.integrator != Integrator::kSdirk2) continue;
    const auto name = [&](std::int32_t body) {
      return in_quotes(description.bodies[static_cast<std::size_t>(body)].name);
    };
    throw_error(
        "simulator: {} and {} have a contact of model {}, which the integrator sdirk2 does not take; use midpoint or "
        "euler",
        name(pair.a), name(pair.b), model.name);
  }
}

std::unique_ptr<Simulator::Implementation> make_backend(Scene scene, const RolloutOptions& rollout,
                                                        const EvaluatorOptions& options) {
  const StandardArithmetic standard;
  check_options(options);
  scene.data();  // throws if it has been moved from
  for (const Body& body : scene.description().bodies) {
    if (body.fixed && body.velocity != std::array<double, 6>{}) {
      throw_error("simulator: {} is fixed, but has a velocity; leave it out, or make the body prescribed, which moves",
                  in_quotes(body.name));
    }
  }
  check_gaps(scene, rollout);
  switch (options.backend) {
    case Backend::kCpu:
      return make_cpu_simulator(std::move(scene), rollout, {options});
    case Backend::kCuda:
      return make_cuda_simulator(std::move(scene), rollout, {options});
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
Simulator::Simulator(Scene scene, Defaults) : Simulator(std::move(scene), EvaluatorOptions{}) {}
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
  const KeptGeometries kept(options().backend, checked_input.geometry_index, state.num_environments,
                            implementation().counts()[Per::kPart]);
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
HostSimulator::HostSimulator(Scene scene, Simulator::Defaults) : simulator_(std::move(scene)) {}
HostSimulator::HostSimulator(Simulator simulator) : simulator_(std::move(simulator)) {}

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
  const KeptGeometries kept(simulator_.options().backend, checked_input.geometry_index, state.num_environments,
                            simulator_.implementation().counts()[Per::kPart]);
  simulator_.implementation().step_from_host(state, checked_input, checked_output, num_steps);
}

const Simulator& HostSimulator::simulator() const { return simulator_; }

}  // namespace isopatch
