// SPDX-License-Identifier: Apache-2.0
//
// What calls of steps leave behind, to be compared between backends.
#pragma once

#include <gtest/gtest.h>

#include "host/rollout/simulator_backend.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {

struct Stepped {
  RolloutStateArrays state;
  RolloutOutputArrays output;
};

/// Every byte of all states and outputs.
inline void expect_same(const Stepped& a, const Stepped& b) {
  const auto compare = [](const ArrayInfo& info, const auto& x, const auto& y) {
    ASSERT_EQ(x.size(), y.size());
    EXPECT_TRUE(same_bytes(x.data(), y.data(), x.size() * sizeof(x[0]))) << info.name;
  };
  for_each_rollout_state(compare, a.state, b.state);
  for_each_rollout_output(compare, a.output, b.output);
}

/// So many calls of so many steps, with all outputs.
inline Stepped take_calls(const HostSimulator& simulator, const RolloutStateArrays& begin, int calls, int steps,
                          const RolloutInput& input = {}) {
  Stepped stepped = {begin, RolloutOutputArrays(simulator.simulator().scene(), begin.num_environments, true, true)};
  for (int i = 0; i < calls; ++i) simulator.step(stepped.state.view(), input, stepped.output.view(), steps);
  return stepped;
}
inline Stepped take_calls(const SceneDescription& description, const EvaluatorOptions& options,
                          const RolloutStateArrays& begin, int calls, int steps, const RolloutInput& input = {}) {
  return take_calls(HostSimulator(Scene(description), options), begin, calls, steps, input);
}

}  // namespace isopatch::test
