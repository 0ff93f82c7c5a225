// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/rollout/step_comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/reference/rollout_reference.h"
#include "isopatch/isopatch.h"
#include "isopatch/rollout_state.h"

namespace isopatch::oracle {
namespace {

using reference::MotionState;
using reference::RolloutReference;

constexpr double kLever = 0.1;             // m
constexpr double kTolerance = 1e-9;        // of states, in m, rad, m/s and rad/s, and of contact states
constexpr double kWrenchTolerance = 1e-9;  // of forces and of torques over kLever, relative to the largest force

/// Infinite where one of two numbers is not a number.
double distance(double a, reference::Real b) {
  const double found = static_cast<double>(std::abs(a - b));
  return std::isnan(found) ? HUGE_VAL : found;
}

/// The largest difference of any number of two states. Quaternions of either sign are the same.
double difference(const RolloutStateArrays& found, const MotionState& expected) {
  double largest = 0;
  const auto compare = [&](double a, reference::Real b) { largest = std::max(largest, distance(a, b)); };
  for (std::size_t i = 0; i < expected.poses.size(); ++i) {
    const double* pose = found.poses.data() + 7 * i;
    const double* velocity = found.velocities.data() + 6 * i;
    for (std::size_t k = 0; k < 3; ++k) compare(pose[k], expected.poses[i].position[static_cast<Eigen::Index>(k)]);
    for (std::size_t k = 0; k < 6; ++k) compare(velocity[k], expected.velocities[i][static_cast<Eigen::Index>(k)]);
    const reference::Quaternion q(pose[3], pose[4], pose[5], pose[6]);
    compare(0, reference::rotation_vector(q.normalized() * expected.poses[i].orientation.conjugate()).norm());
  }
  for (std::size_t j = 0; j < expected.joints.size(); ++j) {
    compare(found.joints[2 * j], expected.joints[j].position);
    compare(found.joints[2 * j + 1], expected.joints[j].rate);
  }
  return largest;
}

/// The contact states of a part pair over a rollout: numbers, and how far they are off.
struct MemoryComparison {
  std::array<double, 8> largest = {}, miss = {};

  void add(const double* found, const std::array<reference::Real, 8>& expected) {
    for (std::size_t k = 0; k < 8; ++k) {
      largest[k] = std::max(largest[k], distance(0, expected[k]));
      miss[k] = std::max(miss[k], distance(found[k], expected[k]));
    }
  }

  /// The largest, relative to a number. Bristles bend by a micrometre, about.
  double relative() const {
    constexpr double kBend = 1e-6;  // m
    const double bend = std::max({kBend, largest[2], largest[3], largest[4]});
    const std::array<double, 8> scale = {largest[0], largest[1], bend, bend, bend, largest[5] + bend / kLever,
                                         1,          largest[7]};
    double most = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      if (miss[k] > 0) most = std::max(most, miss[k] / scale[k]);
    }
    return most;
  }
};

}  // namespace

StepComparison compare_steps(SceneDescription scene, const StepChoice& choice) {
  scene.rollout.tolerance = choice.tolerance;
  scene.contact.slip_tolerance = 1e-4;  // with less they take more iterations than there are
  const Simulator simulator(Scene(scene), {.backend = Backend::kCpu, .precision = Precision::kDouble});
  RolloutStateArrays found(simulator.scene(), 1);
  RolloutOutputArrays output(simulator.scene(), 1);
  simulator.initial_state(found.view());
  const RolloutReference stepper(scene);
  MotionState expected = stepper.initial_state();

  StepComparison result;
  result.state = difference(found, expected);
  std::vector<MemoryComparison> memories(expected.memories.size());
  for (int step = 0; step < choice.steps; ++step) {
    simulator.step(found.view(), {}, output.view());
    const std::vector<reference::Vector6> wrenches = stepper.step(expected);
    result.after_steps.push_back(difference(found, expected));
    result.state = std::max(result.state, result.after_steps.back());
    result.status |= found.status[0];
    for (std::size_t row = 0; row < memories.size(); ++row) {
      memories[row].add(&found.contact_state[8 * row], expected.memories[row].numbers());
    }
    for (std::size_t i = 0; i < wrenches.size(); ++i) {
      const double size = static_cast<double>(wrenches[i].head<3>().norm());
      result.force = std::max(result.force, size);
      result.contacts += size > 0 ? 1 : 0;
      for (std::size_t k = 0; k < 6; ++k) {
        const double miss = distance(output.pair_wrench[6 * i + k], wrenches[i][static_cast<Eigen::Index>(k)]);
        result.wrench = std::max(result.wrench, k < 3 ? miss : miss / kLever);
      }
    }
  }
  for (const MemoryComparison& memory : memories) result.memory = std::max(result.memory, memory.relative());
  return result;
}

void expect_agreement(const SceneDescription& scene, const StepChoice& choice) {
  const StepComparison found = compare_steps(scene, choice);
  const auto& differences = found.after_steps;
  const auto first = std::find_if(differences.begin(), differences.end(), [](double x) { return !(x < kTolerance); });
  EXPECT_LT(found.state, kTolerance) << "first after " << first - differences.begin() + 1 << " steps";
  EXPECT_LT(found.memory, kTolerance);
  EXPECT_LE(found.wrench, kWrenchTolerance * found.force);
  EXPECT_EQ(found.status & (kFrozen | (choice.converges ? kNotConverged : 0u)), 0u);
  EXPECT_GT(found.contacts, choice.contacts);
  const double wrench = found.force > 0 ? found.wrench / found.force : 0;
  testing::Test::RecordProperty("worst", fmt::format("{:.1e} {:.1e} {:.1e}", found.state, found.memory, wrench));
}

}  // namespace isopatch::oracle
