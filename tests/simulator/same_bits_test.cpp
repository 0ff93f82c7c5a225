// SPDX-License-Identifier: Apache-2.0
//
// An environment's bits depend on nothing but its own state.
#include <gtest/gtest.h>

#include "host/rollout/simulator_backend.h"
#include "host/scene/enumerator_names.h"
#include "tests/support/tree_scenes.h"

namespace isopatch::test {
namespace {

/// All environments after `calls` calls of `steps` steps.
RolloutStateArrays stepped(const Simulator& simulator, RolloutStateArrays states, int calls, int steps) {
  for (int i = 0; i < calls; ++i) simulator.step(states.view(), {}, {}, steps);
  return states;
}

/// Environment `from` of `a` has the bits of environment `to` of `b`.
void expect_same(const RolloutStateArrays& a, std::int64_t from, const RolloutStateArrays& b, std::int64_t to) {
  for_each_rollout_state(
      [&](const ArrayInfo& info, const auto& x, const auto& y) {
        if (x.empty()) return;
        const std::size_t row = x.size() / static_cast<std::size_t>(a.num_environments);
        EXPECT_TRUE(same_bytes(&x[static_cast<std::size_t>(from) * row], &y[static_cast<std::size_t>(to) * row],
                               row * sizeof(x[0])))
            << info.name << " of environment " << from;
      },
      a, b);
}

constexpr int kSteps = 12;

class SameBits : public ::testing::TestWithParam<Integrator> {
 protected:
  SameBits() {
    if (GetParam() != Integrator::kSdirk2) scenes_.push_back(all_kinds_of_trees(GetParam()));
  }

  std::vector<SceneDescription> scenes_ = {dropped_bodies(GetParam()), gripped_bar(GetParam())};
};

TEST_P(SameBits, FromRunToRunAndOnAnyThreads) {
  for (const SceneDescription& description : scenes_) {
    const RolloutStateArrays begin = random_states(description, 16, 1);
    const Simulator one(Scene(description), {.num_threads = 1}), all{Scene(description)};
    const RolloutStateArrays first = stepped(one, begin, 1, kSteps), second = stepped(all, begin, 1, kSteps);
    for (std::int64_t e = 0; e < 16; ++e) expect_same(first, e, second, e);
  }
}

TEST_P(SameBits, WithAnyVectors) {
  using detail::Vectors;
  for (const SceneDescription& description : scenes_) {
    const RolloutStateArrays begin = random_states(description, 16, 11);
    const RolloutStateArrays plain =
        stepped(detail::make_simulator(Scene(description), {{}, false, Vectors::kNone}), begin, 1, kSteps);
    for (const Vectors vectors : {Vectors::kBaseline, Vectors::kBest}) {
      const RolloutStateArrays packed =
          stepped(detail::make_simulator(Scene(description), {{}, false, vectors}), begin, 1, kSteps);
      for (std::int64_t e = 0; e < 16; ++e) expect_same(packed, e, plain, e);
    }
  }
}

TEST_P(SameBits, InBatchesOfAnySizeAndOrder) {
  for (const SceneDescription& description : scenes_) {
    const RolloutStateArrays begin = random_states(description, 33, 2);
    const Simulator simulator{Scene(description)};
    const RolloutStateArrays all = stepped(simulator, begin, 1, kSteps);
    for (const std::int64_t size : {1, 31, 32}) {
      std::vector<std::int64_t> environments;
      for (std::int64_t i = 0; i < size; ++i) environments.push_back((32 - i * 7 % 33 + 33) % 33);
      const RolloutStateArrays some = stepped(simulator, chosen(begin, environments), 1, kSteps);
      for (std::int64_t i = 0; i < size; ++i) expect_same(some, i, all, environments[static_cast<std::size_t>(i)]);
    }
  }
}

TEST_P(SameBits, ContinuedFromACopyAndWithAnyCapacity) {
  for (SceneDescription description : scenes_) {
    const RolloutStateArrays begin = random_states(description, 4, 3);
    const RolloutStateArrays whole = stepped(Simulator(Scene(description)), begin, 1, kSteps);
    RolloutStateArrays middle = stepped(Simulator(Scene(description)), begin, 1, 5);
    description.rollout.polygon_capacity = 2000;
    const RolloutStateArrays continued = stepped(Simulator(Scene(description)), middle, kSteps - 5, 1);
    for (std::int64_t e = 0; e < 4; ++e) expect_same(continued, e, whole, e);
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, SameBits,
                         ::testing::Values(Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2),
                         [](const auto& of) { return detail::name_in(detail::kIntegratorNames, of.param); });

}  // namespace
}  // namespace isopatch::test
