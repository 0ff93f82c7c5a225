// SPDX-License-Identifier: Apache-2.0
//
// Contacts with state on a GPU have the bits of the CPU, evaluated and in steps.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/device_calls.h"
#include "tests/support/memory_scenes.h"

namespace isopatch::test {
namespace {

struct MemoryOnGpu : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

ResultArrays evaluated(const Scene& scene, const StateArrays& states, Backend backend, Precision precision) {
  ResultArrays results(
      scene, states.num_environments,
      {.patch = true, .energy = true, .part_pairs = true, .single_contact = true, .capacity = {{"contacts", 64}}});
  State state = states.view();
  state.time_step = 2e-3;
  HostEvaluator(scene, {.backend = backend, .precision = precision}).evaluate(state, results.view());
  return results;
}

TEST_F(MemoryOnGpu, GpuSmallEvaluationsHaveTheBitsOfTheCpu) {
  const SceneDescription description = remembering_bodies(Integrator::kMidpoint);
  const Scene scene(description);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    StateArrays states(description, 3);
    disturb(description, states, 7);
    for (int step = 0; step < 2; ++step) {  // the second one with a memory
      const ResultArrays cpu = evaluated(scene, states, Backend::kCpu, precision),
                         gpu = evaluated(scene, states, Backend::kCuda, precision);
      for_each_output(
          [&](const ArrayInfo& info, const auto& x, const auto& y) {
            if (info.group == OutputGroup::kContacts) return;  // in no particular order
            ASSERT_EQ(x.size(), y.size());
            EXPECT_TRUE(same_bytes(x.data(), y.data(), x.size() * sizeof(x[0]))) << info.name;
          },
          cpu, gpu);
      EXPECT_EQ(cpu.contacts_needed, gpu.contacts_needed);
      EXPECT_EQ(std::count(cpu.polygon_count.begin(), cpu.polygon_count.end(), 0), 0);
      states.contact_state = cpu.contact_state;
    }
  }
}

TEST_F(MemoryOnGpu, GpuSmallStepsHaveTheBitsOfTheCpu) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    const SceneDescription description = remembering_bodies(integrator);
    const Scene scene(description);
    const auto take = [&](Backend backend) {
      const HostSimulator simulator(scene, {.backend = backend});
      RolloutStateArrays states(scene, 3);
      disturb(description, states, 11);
      RolloutOutputArrays output(scene, 3, true, true);
      for (int call = 0; call < 2; ++call) simulator.step(states.view(), {}, output.view(), 4);
      return std::pair(states, output);
    };
    const auto [cpu, cpu_output] = take(Backend::kCpu);
    const auto [gpu, gpu_output] = take(Backend::kCuda);
    const auto compare = [&](const ArrayInfo& info, const auto& x, const auto& y) {
      ASSERT_EQ(x.size(), y.size());
      EXPECT_TRUE(same_bytes(x.data(), y.data(), x.size() * sizeof(x[0])))
          << info.name << ", integrator " << static_cast<int>(integrator);
    };
    for_each_rollout_state(compare, cpu, gpu);
    for_each_rollout_output(compare, cpu_output, gpu_output);
    EXPECT_GT(*std::max_element(cpu.contact_state.begin(), cpu.contact_state.end()), 0);
  }
}

}  // namespace
}  // namespace isopatch::test
