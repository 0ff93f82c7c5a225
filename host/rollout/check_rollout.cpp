// SPDX-License-Identifier: Apache-2.0
#include "host/rollout/check_rollout.h"

#include <limits>

#include "host/evaluation/array_check.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

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
      environments <= std::numeric_limits<std::int64_t>::max() / (64 * (counts.pairs + counts.bodies))) {
    return;
  }
  throw wrong_value(fmt::format("{}: state.num_environments", call), fmt::to_string(environments),
                    environments < 0 ? "it must not be negative" : "so many cannot be indexed");
}

}  // namespace

void check_state_arguments(const char* call, const ArrayCounts& counts, const RolloutState& state) {
  check_count(call, state.num_environments, counts);
  ArrayCheck check(call, state.num_environments);
  add_state(check, "state.", counts, state);
  check.check_overlaps();
}

void check_step_arguments(const ArrayCounts& counts, const RolloutState& state, RolloutInput& input,
                          RolloutOutput& output, int num_steps) {
  check_count("step", state.num_environments, counts);
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

}  // namespace isopatch::detail
