// SPDX-License-Identifier: Apache-2.0
//
// States and outputs of steps, to be compared between backends.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "host/rollout/simulator_backend.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"
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

/// A state in device memory.
struct StateOnDevice {
  detail::UploadedArrays arrays;
  RolloutState view;

  explicit StateOnDevice(const RolloutStateArrays& host) {
    view.num_environments = host.num_environments;
    for_each_rollout_state([&](const ArrayInfo&, const auto& from, auto*& to) { to = arrays.upload(from, nullptr); },
                           host, view);
  }
  void expect(const RolloutStateArrays& expected) const {
    const auto compare = [](const ArrayInfo& info, auto wanted, const auto* on_device) {
      auto found = wanted;
      const std::size_t bytes = wanted.size() * sizeof(wanted[0]);
      ISOPATCH_CUDA_CHECK(cudaMemcpy(found.data(), on_device, bytes, cudaMemcpyDeviceToHost));
      EXPECT_TRUE(same_bytes(found.data(), wanted.data(), bytes)) << info.name;
    };
    for_each_rollout_state(compare, expected, view);
  }
};

}  // namespace isopatch::test
