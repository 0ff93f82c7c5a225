// SPDX-License-Identifier: Apache-2.0
//
// Rollouts in double against the reference, which steps with one dense matrix in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "host/reference/rollout_reference.h"
#include "isopatch/isopatch.h"
#include "isopatch/rollout_state.h"
#include "tests/reference/rollout/rollout_scenes.h"

namespace isopatch::oracle {
namespace {

using reference::MotionState;
using reference::RolloutReference;

constexpr int kSteps = 100;
constexpr double kLever = 0.1;             // m
constexpr double kTolerance = 1e-9;        // of states, in m, rad, m/s and rad/s
constexpr double kWrenchTolerance = 1e-9;  // of forces and of torques over kLever, relative to the largest force

struct SceneCase {
  const char* name;
  SceneDescription (*make)();
};

std::ostream& operator<<(std::ostream& out, const SceneCase& scene) { return out << scene.name; }

constexpr SceneCase kScenes[] = {{"ThrownBall", thrown_ball},        {"TiltedCube", tilted_cube},
                                 {"BallOnBox", ball_on_box},         {"PinchedBar", pinched_bar},
                                 {"DrivenFlap", driven_flap},        {"SweepingSlider", sweeping_slider},
                                 {"CoupledGripper", coupled_gripper}};

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

struct Comparison {
  double state = 0;   // the largest difference
  double wrench = 0;  // of forces and of torques over kLever, N
  double force = 0;   // the largest, N
  int contacts = 0;   // steps of pairs with a force
  std::uint32_t status = 0;
};

Comparison compare(SceneDescription scene) {
  scene.rollout.tolerance = 1e-13;      // the solves of a rollout end here, those of the reference at 1e-15
  scene.contact.slip_tolerance = 1e-4;  // with less they take more iterations than there are
  const Simulator simulator(Scene(scene), {.backend = Backend::kCpu, .precision = Precision::kDouble});
  RolloutStateArrays found(simulator.scene(), 1);
  RolloutOutputArrays output(simulator.scene(), 1);
  simulator.initial_state(found.view());
  const RolloutReference stepper(scene);
  MotionState expected = stepper.initial_state();

  Comparison result;
  result.state = difference(found, expected);
  for (int step = 0; step < kSteps; ++step) {
    simulator.step(found.view(), {}, output.view());
    const std::vector<reference::Vector6> wrenches = stepper.step(expected);
    result.state = std::max(result.state, difference(found, expected));
    result.status |= found.status[0];
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
  return result;
}

void expect_agreement(const SceneDescription& scene) {
  const Comparison found = compare(scene);
  EXPECT_LT(found.state, kTolerance);
  EXPECT_LT(found.wrench, kWrenchTolerance * found.force);
  EXPECT_EQ(found.status & (kFrozen | kNotConverged), 0u);
  EXPECT_GT(found.contacts, 10);
}

class RolloutReferenceTest : public testing::TestWithParam<SceneCase> {};

TEST_P(RolloutReferenceTest, EulerAgrees) {
  SceneDescription scene = GetParam().make();
  scene.rollout.integrator = Integrator::kEuler;
  expect_agreement(scene);
}

TEST_P(RolloutReferenceTest, SecondOrderAgrees) {
  SceneDescription scene = GetParam().make();
  scene.rollout.integrator = Integrator::kSdirk2;
  expect_agreement(scene);
}

TEST_P(RolloutReferenceTest, MidpointAgrees) {
  SceneDescription scene = GetParam().make();
  scene.rollout.integrator = Integrator::kMidpoint;
  expect_agreement(scene);
}

/// Other methods lose the plate. Without sub-steps it takes another course.
TEST(RolloutReferenceOfSubsteps, MidpointAgrees) {
  SceneDescription scene = fast_plate();
  expect_agreement(scene);
  const auto after = [&] {
    const Simulator simulator(Scene(scene), {.precision = Precision::kDouble});
    RolloutStateArrays state(simulator.scene(), 1);
    simulator.step(state.view(), {}, {}, kSteps);
    return state.poses;
  };
  const std::vector<double> in_pieces = after();
  scene.rollout.max_substeps = 1;
  EXPECT_NE(after(), in_pieces);
}

TEST_P(RolloutReferenceTest, PointsAtCentroidsAgree) {
  SceneDescription scene = GetParam().make();
  scene.rollout.points = ContactPoints::kCentroid;
  expect_agreement(scene);
}

INSTANTIATE_TEST_SUITE_P(Scenes, RolloutReferenceTest, testing::ValuesIn(kScenes),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace isopatch::oracle
