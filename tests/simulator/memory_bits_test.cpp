// SPDX-License-Identifier: Apache-2.0
//
// Fifty steps of every kind of contact with state: the hash of an environment's poses, velocities and contact states
// is one, however they are taken.
#include <gtest/gtest.h>

#include <algorithm>

#include "host/rollout/simulator_backend.h"
#include "tests/support/hash.h"
#include "tests/support/memory_scenes.h"
#include "tests/support/vector_widths.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Vectors;
using Hashes = std::vector<std::uint64_t>;
using Order = std::vector<std::int64_t>;

constexpr int kSteps = 50;
constexpr std::int64_t kCount = 7;  // environments that differ

/// A law for each precision, so that all that a memory can have is in a step.
struct Case {
  const char* name;
  Integrator integrator;
  Precision precision;
  ImpactLatch latch = ImpactLatch::kFirst;
  double relaxation_time = 0;
};

std::ostream& operator<<(std::ostream& out, const Case& of) { return out << of.name; }

constexpr Case kCases[] = {{"Midpoint", Integrator::kMidpoint, Precision::kFloat},
                           {"Euler", Integrator::kEuler, Precision::kFloat},
                           {"Sdirk2", Integrator::kSdirk2, Precision::kFloat},
                           {"MidpointRelaxing", Integrator::kMidpoint, Precision::kDouble, ImpactLatch::kLargest, 0.02},
                           {"EulerRelaxing", Integrator::kEuler, Precision::kDouble, ImpactLatch::kLargest, 0.02},
                           {"Sdirk2Relaxing", Integrator::kSdirk2, Precision::kDouble, ImpactLatch::kLargest, 0.02}};

SceneDescription scene_of(const Case& of) {
  SceneDescription scene = remembering_scene();
  scene.rollout.integrator = of.integrator;
  scene.contact.force_law.latch = of.latch;
  scene.contact.force_law.relaxation_time = of.relaxation_time;
  return scene;
}

/// Environments in no order, each of them many times.
Order shuffled(std::int64_t size) {
  Random random(5);
  Order order;
  for (std::int64_t i = 0; i < size; ++i) order.push_back(random.below(static_cast<int>(kCount)));
  return order;
}

class MemoryBits : public ::testing::TestWithParam<Case> {
 protected:
  SceneDescription description_ = scene_of(GetParam());
  RolloutStateArrays begin_{Scene(description_), kCount};
  RolloutStateArrays end_;
  Hashes expected_;

  void SetUp() override {
    disturb(description_, begin_, 3);
    end_ = stepped(simulator(), begin_, kSteps);
    expected_ = state_hashes(end_);
  }

  CpuOptions options() const {
    CpuOptions options;
    options.precision = GetParam().precision;
    return options;
  }
  Simulator simulator() const { return detail::make_simulator(Scene(description_), options()); }

  static RolloutStateArrays stepped(const Simulator& by, RolloutStateArrays states, int steps) {
    by.step(states.view(), {}, {}, steps);
    return states;
  }

  /// Expects the end of environment order[i] at place i, after the last `steps` of the fifty.
  void expect_end(const Simulator& by, const Order& order, int steps = kSteps) const {
    const RolloutStateArrays from = stepped(simulator(), begin_, kSteps - steps);
    const Hashes found = state_hashes(stepped(by, chosen(from, order), steps));
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(found[i], expected_[static_cast<std::size_t>(order[i])])
          << "environment " << order[i] << " at " << i << " of " << order.size();
    }
  }
};

/// Without these the tests below would show nothing.
TEST_P(MemoryBits, AreOfContactsThatAllHaveAMemory) {
  RolloutStateArrays states = begin_;
  const Simulator by = simulator();
  const std::size_t row = states.contact_state.size() / kCount;
  std::vector<double> oldest(row / 8);
  for (int step = 0; step < kSteps; ++step) {
    by.step(states.view());
    for (std::size_t i = 7; i < states.contact_state.size(); i += 8) {
      double& age = oldest[i % row / 8];
      age = std::max(age, states.contact_state[i]);
    }
  }
  EXPECT_EQ(state_hashes(states), expected_) << "in calls of one step";
  for (std::size_t i = 0; i < oldest.size(); ++i) EXPECT_GT(oldest[i], 2e-3) << "part pair " << i;
  for (const std::uint32_t status : states.status) EXPECT_EQ(status & kFrozen, 0u);
  for (std::size_t e = 1; e < expected_.size(); ++e) EXPECT_NE(expected_[e], expected_[0]) << e;

  states = stepped(by, begin_, kSteps / 2);
  std::fill(states.contact_state.begin(), states.contact_state.end(), 0.0);
  const Hashes forgotten = state_hashes(stepped(by, states, kSteps / 2));
  for (std::size_t e = 0; e < forgotten.size(); ++e) EXPECT_NE(forgotten[e], expected_[e]) << e;
}

TEST_P(MemoryBits, DoNotDependOnTheBatchOrItsOrder) {
  const Simulator by = simulator();
  expect_end(by, shuffled(4096), 2);  // first, so that smaller ones have its memory
  expect_end(by, shuffled(33));
  expect_end(by, {6, 5, 4, 3, 2, 1, 0});
  expect_end(by, {3, 0, 6, 1, 5, 2, 4});
  for (std::int64_t e = 0; e < kCount; ++e) expect_end(by, {e});
}

TEST_P(MemoryBits, DoNotDependOnThreads) {
  for (const int threads : {1, 2, 3}) {
    CpuOptions of_threads = options();
    of_threads.num_threads = threads;
    expect_end(detail::make_simulator(Scene(description_), of_threads), shuffled(20));
  }
}

TEST_P(MemoryBits, DoNotDependOnVectors) {
  for (const Vectors vectors : widths_and_none()) {
    for (const bool brute_force : {false, true}) {
      if (brute_force && vectors != Vectors::kNone) continue;
      CpuOptions of_vectors = options();
      of_vectors.vectors = vectors;
      of_vectors.brute_force = brute_force;
      expect_end(detail::make_simulator(Scene(description_), of_vectors), shuffled(11));
    }
  }
}

TEST_P(MemoryBits, DoNotDependOnTheCapacity) {
  RolloutOutputArrays output(Scene(description_), kCount);
  RolloutStateArrays states = begin_;
  const Simulator by = simulator();
  std::int32_t needed = 0;
  for (int step = 0; step < kSteps; ++step) {
    by.step(states.view(), {}, output.view());
    for (const std::int32_t polygons : output.polygons_needed) needed = std::max(needed, polygons);
  }
  for (const int capacity : {needed, 2000}) {
    description_.rollout.polygon_capacity = capacity;
    expect_end(simulator(), shuffled(11));
  }
  description_.rollout.polygon_capacity = 0;
  const Simulator reserved = simulator();
  reserved.reserve(300);
  expect_end(reserved, shuffled(11));
}

TEST_P(MemoryBits, AreThoseOfAHostSimulator) {
  RolloutStateArrays states = begin_;
  HostSimulator(Scene(description_), options()).step(states.view(), {}, {}, kSteps);
  EXPECT_EQ(state_hashes(states), expected_);
}

TEST_P(MemoryBits, GoOnFromACopyAndBesideEnvironmentsThatAreReset) {
  const RolloutStateArrays middle = stepped(simulator(), begin_, kSteps / 2);
  RolloutStateArrays copy(Scene(description_), kCount), initial = begin_, from = middle;
  const Simulator by = simulator();
  by.reset(copy.view(), nullptr, from.view());
  EXPECT_EQ(state_hashes(stepped(by, copy, kSteps / 2)), expected_);

  const std::vector<std::uint8_t> mask = {0, 0, 0, 1, 0, 0, 0};
  by.reset(copy.view(), mask.data(), initial.view());
  copy = stepped(by, copy, kSteps / 2);
  Hashes wanted = expected_;
  wanted[3] = state_hashes(middle)[3];
  EXPECT_EQ(state_hashes(copy), wanted);
  EXPECT_EQ(state_hashes(stepped(by, copy, kSteps / 2))[3], expected_[3]) << "fifty steps after its reset";
}

INSTANTIATE_TEST_SUITE_P(Steps, MemoryBits, ::testing::ValuesIn(kCases),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace isopatch::test
