// SPDX-License-Identifier: Apache-2.0
//
// Contact states with numbers that no step leaves: they are faults, or they make no force that states of steps do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/memory_scenes.h"

namespace isopatch::test {
namespace {

constexpr std::size_t kNumbers = 8;

/// Every power of ten that a double can be.
std::vector<double> powers_of_ten() {
  std::vector<double> powers = {std::numeric_limits<double>::denorm_min()};
  for (int exponent = -323; exponent <= 308; ++exponent)
    powers.push_back(std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr));
  return powers;
}

/// The largest force of each pair in any environment without a fault.
std::vector<double> largest_forces(const ResultArrays& results) {
  std::vector<double> largest(static_cast<std::size_t>(results.num_pairs));
  for (std::size_t i = 0; i < results.pair_wrench.size(); i += 6) {
    const double* f = &results.pair_wrench[i];
    double& of_pair = largest[i / 6 % largest.size()];
    of_pair = std::max(of_pair, std::hypot(f[0], f[1], f[2]));
  }
  return largest;
}

class ContactStateRange : public ::testing::TestWithParam<Backend> {
 protected:
  const SceneDescription description_ = remembering_scene();
  const Scene scene_{description_};
  const Evaluator evaluator_{scene_, {.backend = GetParam(), .precision = Precision::kDouble}};

  ResultArrays evaluated(const StateArrays& states) const {
    ResultArrays results(scene_, states.num_environments);
    State state = states.view();
    state.time_step = 1e-3;
    evaluator_.evaluate(state, results.view());
    return results;
  }
};

TEST_P(ContactStateRange, EveryPowerOfTenIsAFaultOrMakesNoForceThatStepsDoNot) {
  StateArrays settled(description_, 1);
  disturb(description_, settled, 9);
  for (int i = 0; i < 3; ++i) settled.contact_state = evaluated(settled).contact_state;
  // steps leave the memory of what was set down gently, and of what was struck
  std::vector<double> usual = largest_forces(evaluated(settled));
  for (const double impact : {description_.contact.force_law.small_speed, 1.0}) {
    StateArrays touched = settled;
    for (std::size_t i = 0; i < touched.contact_state.size(); i += kNumbers) touched.contact_state[i] = impact;
    const std::vector<double> forces = largest_forces(evaluated(touched));
    for (std::size_t pair = 0; pair < usual.size(); ++pair) usual[pair] = std::max(usual[pair], forces[pair]);
  }
  EXPECT_GE(std::count_if(usual.begin(), usual.end(), [](double f) { return f > 0; }), 4);

  // the reference is slow
  const bool all = GetParam() == Backend::kCpu;
  const std::vector<double> values = all ? powers_of_ten() : std::vector<double>{1e-310, 1e-200, 1e-3, 1, 1e31, 1e306};
  const std::size_t count = values.size();
  for (std::size_t number = 0; number < kNumbers; ++number) {
    const bool is_signed = number >= 2 && number <= 5;
    for (const double sign : {1.0, -1.0}) {
      if (sign < 0 && !is_signed) continue;
      StateArrays states(description_, static_cast<std::int64_t>(count));
      const std::size_t row = settled.contact_state.size();
      states.velocities.clear();
      for (std::size_t e = 0; e < count; ++e) {
        std::copy(settled.poses.begin(), settled.poses.end(),
                  states.poses.begin() + static_cast<std::ptrdiff_t>(e * settled.poses.size()));
        states.velocities.insert(states.velocities.end(), settled.velocities.begin(), settled.velocities.end());
        std::vector<double> memory = settled.contact_state;
        for (std::size_t i = number; i < row; i += kNumbers) memory[i] = sign * values[e];
        states.contact_state.insert(states.contact_state.end(), memory.begin(), memory.end());
      }
      const ResultArrays results = evaluated(states);
      const std::vector<double> found = largest_forces(results);
      for (std::size_t pair = 0; pair < found.size(); ++pair) {
        EXPECT_LE(found[pair], 10 * usual[pair]) << "number " << number << ", pair " << pair;
      }
      std::size_t refused = 0;
      for (std::size_t e = 0; e < count; ++e) {
        EXPECT_EQ(results.status[e] & kFaults & ~kBadContactState, 0u);
        refused += results.status[e] == kBadContactState ? 1 : 0;
        for (std::size_t i = 0; i < row; ++i) {
          ASSERT_TRUE(std::isfinite(results.contact_state[e * row + i])) << number << " " << sign * values[e];
        }
      }
      EXPECT_GT(refused, 0u) << number;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ContactStateRange, ::testing::Values(Backend::kCpu, Backend::kReference),
                         [](const auto& of) { return of.param == Backend::kCpu ? "Cpu" : "Reference"; });

/// Pushed about at random, with materials that change from step to step, no step leaves what the next one refuses.
TEST(ContactStates, OfRandomStepsAreNeverRefused) {
  constexpr std::int64_t kEnvironments = 64;
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kMidpoint, Integrator::kSdirk2}) {
    const SceneDescription description = remembering_bodies(integrator);
    const Simulator simulator{Scene(description)};
    RolloutStateArrays state(simulator.scene(), kEnvironments), initial = state;
    Random random(7);
    const auto parts = static_cast<std::size_t>(simulator.scene().num_parts());
    std::vector<double> friction(kEnvironments * parts), push(kEnvironments * description.bodies.size() * 6);
    std::vector<double> largest(kNumbers);
    for (int i = 0; i < 40; ++i) {
      for (double& mu : friction) mu = std::pow(10, random.uniform(-3, 4));
      for (double& f : push) f = random.uniform(-20, 20);
      RolloutInput input;
      input.friction = friction.data();
      input.body_wrench = push.data();
      simulator.step(state.view(), input, {}, 1);
      for (std::size_t k = 0; k < state.contact_state.size(); ++k) {
        largest[k % kNumbers] = std::max(largest[k % kNumbers], std::abs(state.contact_state[k]));
      }
      std::vector<std::uint8_t> frozen(kEnvironments);
      for (std::size_t e = 0; e < frozen.size(); ++e) {
        ASSERT_EQ(state.status[e] & kBadContactState, 0u) << e << " in step " << i;
        frozen[e] = (state.status[e] & kFrozen) != 0 || i % 20 == 19 ? 1 : 0;
      }
      simulator.reset(state.view(), frozen.data(), initial.view());
    }
    EXPECT_GE(largest[0], 1e-3);  // impact speed
    EXPECT_GT(largest[2], 1e-6);  // bend
    EXPECT_GT(largest[7], 1e-3);  // age
  }
}

}  // namespace
}  // namespace isopatch::test
