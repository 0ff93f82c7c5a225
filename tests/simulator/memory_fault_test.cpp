// SPDX-License-Identifier: Apache-2.0
//
// Memories that are none, in one environment in a hundred: those are frozen, and no bit of the others changes.
#include <gtest/gtest.h>

#include "host/scene/enumerator_names.h"
#include "tests/support/hash.h"
#include "tests/support/memory_scenes.h"

namespace isopatch::test {
namespace {

constexpr std::int64_t kEnvironments = 4096;
constexpr int kSteps = 1;

/// What a step leaves and says, in 4096 environments that have been in contact for a while.
struct Stepped {
  RolloutStateArrays states;
  RolloutOutputArrays output;

  Stepped(const Simulator& simulator, RolloutStateArrays from)
      : states(std::move(from)), output(simulator.scene(), kEnvironments, true, true) {
    simulator.step(states.view(), {}, output.view(), kSteps);
  }
};

RolloutStateArrays settled(const SceneDescription& description, const Simulator& simulator) {
  RolloutStateArrays few(simulator.scene(), 16);
  disturb(description, few, 5);
  simulator.step(few.view(), {}, {}, 10);
  std::vector<std::int64_t> order(kEnvironments);
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<std::int64_t>(e * 5 % 16);
  return chosen(few, order);
}

/// Whether environment e has the same bytes in both.
template <class T>
bool same_row(const std::vector<T>& a, const std::vector<T>& b, std::size_t e) {
  const std::size_t row = a.size() / kEnvironments;
  return row == 0 || same_bytes(&a[e * row], &b[e * row], row * sizeof(T));
}

template <class T>
bool is_zero(const std::vector<T>& values, std::size_t e) {
  const std::size_t row = values.size() / kEnvironments;
  for (std::size_t i = e * row; i < (e + 1) * row; ++i) {
    if (values[i] != 0) return false;
  }
  return true;
}

void expect_frozen(const Stepped& found, const RolloutStateArrays& before, std::size_t e) {
  EXPECT_EQ(found.states.status[e], kBadContactState | kFrozen) << e << ": " << status_text(found.states.status[e]);
  for_each_rollout_state(
      [&](const ArrayInfo& info, const auto& now, const auto& then) {
        if (std::string(info.name) == "status") return;
        EXPECT_TRUE(same_row(now, then, e)) << info.name << " of environment " << e;
      },
      found.states, before);
  for_each_rollout_output(
      [&](const ArrayInfo& info, const auto& values) {
        EXPECT_TRUE(is_zero(values, e)) << info.name << " of environment " << e;
      },
      found.output);
}

void expect_same(const Stepped& found, const Stepped& sound, std::size_t e) {
  const auto compare = [&](const ArrayInfo& info, const auto& x, const auto& y) {
    EXPECT_TRUE(same_row(x, y, e)) << info.name << " of environment " << e;
  };
  for_each_rollout_state(compare, found.states, sound.states);
  for_each_rollout_output(compare, found.output, sound.output);
}

class MemoryFault : public ::testing::TestWithParam<Integrator> {};

TEST_P(MemoryFault, FreezesItsEnvironmentAloneUntilAReset) {
  const SceneDescription description = remembering_bodies(GetParam());
  const Simulator simulator{Scene(description)};
  RolloutStateArrays begin = settled(description, simulator), before = begin;
  const Stepped sound(simulator, begin);
  for (const std::uint32_t status : sound.states.status) ASSERT_EQ(status & kFrozen, 0u);
  const std::vector<bool> spoiled = spoil_memories(before.contact_state, kEnvironments, 0);
  Stepped found(simulator, before);
  for (std::size_t e = 0; e < spoiled.size() && !HasFailure(); ++e) {
    spoiled[e] ? expect_frozen(found, before, e) : expect_same(found, sound, e);
  }

  const std::vector<std::uint8_t> mask(spoiled.begin(), spoiled.end());
  simulator.reset(found.states.view(), mask.data(), begin.view());
  const Stepped next(simulator, found.states);
  for (std::size_t e = 0; e < spoiled.size() && !HasFailure(); ++e) {
    if (spoiled[e]) expect_same(next, sound, e);
    EXPECT_EQ(next.states.status[e] & kFrozen, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, MemoryFault,
                         ::testing::Values(Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2),
                         [](const auto& of) { return detail::name_in(detail::kIntegratorNames, of.param); });

}  // namespace
}  // namespace isopatch::test
