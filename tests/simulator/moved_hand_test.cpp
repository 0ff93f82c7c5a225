// SPDX-License-Identifier: Apache-2.0
//
// What hangs on a hand that a program moves by writing its velocity, as learners do, feels it as it feels a path.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kLength = 0.3;  // m, from the hinge to the bob

enum class Link { kPendulum, kSlider };

/// A hand with a pendulum that hangs below it or a slider along x. The bob's mass is far larger than its moments, so
/// that a pendulum is a mass on a rod.
SceneBuilder hand(Link link, double time_step, Integrator integrator) {
  SceneBuilder scene;
  Body& holder = scene.add("hand", make_box("hand", {0.02, 0.02, 0.02}));
  holder.motion.type = MotionType::kPrescribed;
  Body& bob = scene.add("bob", make_box("bob", {0.02, 0.02, 0.02}), pose_at({0, 0, -kLength}));
  bob.mass = 0.5;
  bob.center_of_mass = {0, 0, 0};
  bob.inertia = {{1e-9, 1e-9, 1e-9, 0, 0, 0}};
  bob.motion.type = link == Link::kPendulum ? MotionType::kRevolute : MotionType::kPrismatic;
  bob.motion.parent = 0;
  bob.motion.axis = link == Link::kPendulum ? Vector{0, -1, 0} : Vector{1, 0, 0};
  if (link == Link::kPendulum) bob.motion.anchor = {0, 0, 0};
  scene.description.rollout.time_step = time_step;
  scene.description.rollout.integrator = integrator;
  return scene;
}

/// The angle after a second, of the ODE: phi'' = -(g sin phi + x'' cos phi) / l with the hand at x; the jump of its
/// velocity at the start turns at once.
double exact_angle(double jump, const std::function<double(double)>& acceleration, double duration) {
  double angle = 0, rate = -jump / kLength;
  constexpr int kSteps = 200000;
  const double h = duration / kSteps;
  const auto slope = [&](double t, double phi) {
    return -(9.81 * std::sin(phi) + acceleration(t) * std::cos(phi)) / kLength;
  };
  for (int i = 0; i < kSteps; ++i) {  // Runge-Kutta of fourth order
    const double t = i * h;
    const double k1 = slope(t, angle), k2 = slope(t + h / 2, angle + h / 2 * rate),
                 k3 = slope(t + h / 2, angle + h / 2 * rate + h * h / 4 * k1),
                 k4 = slope(t + h, angle + h * rate + h * h / 2 * k2);
    angle += h * rate + h * h / 6 * (k1 + k2 + k3);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return angle;
}

/// The joint's position after `duration`, where a program writes the mean of speed(t) over each step.
double driven(SceneBuilder scene, const std::function<double(double)>& way, double duration) {
  Rollout rollout(scene.finish());
  const double h = rollout.time_step();
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int i = 0; i < steps; ++i) {
    rollout.state.velocities[0] = (way((i + 1) * h) - way(i * h)) / h;
    rollout.step();
  }
  EXPECT_EQ(rollout.state.status[0], 0u);
  EXPECT_NEAR(rollout.position(0)[0], way(duration), 1e-12);
  return rollout.state.joints[0];
}

class MovedHand : public ::testing::TestWithParam<Integrator> {};

constexpr double kJump = 0.5;                                                      // m/s
double jumped(double time) { return kJump * time; }                                // from rest
double shaken(double time) { return 0.05 * (1 - std::cos(2 * M_PI * 2 * time)); }  // m, at 2 Hz
double acceleration_of_shaking(double time) {
  const double w = 2 * M_PI * 2;
  return 0.05 * w * w * std::cos(w * time);
}

TEST_P(MovedHand, SwingsAPendulum) {
  const double of_jump = exact_angle(
                   kJump, [](double) { return 0.0; }, 0.9),
               of_shaking = exact_angle(0, acceleration_of_shaking, 0.9);
  ASSERT_GT(std::fabs(of_jump), 0.05);
  ASSERT_GT(std::fabs(of_shaking), 0.02);
  for (const double h : {1e-2, 1e-3}) {
    const double found[2] = {driven(hand(Link::kPendulum, h, GetParam()), jumped, 0.9),
                             driven(hand(Link::kPendulum, h, GetParam()), shaken, 0.9)};
    const double error[2] = {std::fabs(found[0] - of_jump), std::fabs(found[1] - of_shaking)};
    // euler is of first order
    const double bound = GetParam() == Integrator::kEuler ? 15 * h : 100 * h * h;
    EXPECT_LT(error[0], bound) << h;
    EXPECT_LT(error[1], bound) << h;
  }
}

// A slider without friction stays where it is, whatever its hand does along its axis.
TEST_P(MovedHand, LeavesASliderInItsPlace) {
  for (const double h : {1e-2, 1e-3}) {
    for (const auto way : {jumped, shaken}) {
      EXPECT_NEAR(driven(hand(Link::kSlider, h, GetParam()), way, 1.0), -way(1.0), 1e-9) << h;
    }
  }
}

// The same motion as a path, which has a kink at the start.
TEST_P(MovedHand, FeelsAPathAsItFeelsAVelocity) {
  constexpr double h = 5e-3, kRest = 0.1;
  SceneBuilder on_path = hand(Link::kPendulum, h, GetParam());
  on_path.description.bodies[0].motion.path = {
      {0, kRest, 10}, {pose_at({0, 0, 0}), pose_at({0, 0, 0}), pose_at({kJump * (10 - kRest), 0, 0})}};
  Rollout path(on_path.finish());
  path.step(160);
  const auto way = [&](double time) { return kJump * std::max(time - kRest, 0.0); };
  const double written = driven(hand(Link::kPendulum, h, GetParam()), way, 0.8);
  EXPECT_NEAR(path.state.joints[0], written, 1e-9);
  EXPECT_NEAR(written,
              exact_angle(
                  kJump, [](double) { return 0.0; }, 0.7),
              GetParam() == Integrator::kEuler ? 0.05 : 2e-3);
}

// On a slider, a rate and the hand's velocity along the axis leave the same velocity of the body: both are felt.
TEST_P(MovedHand, FeelsRatesThatAreWritten) {
  Rollout rollout(hand(Link::kSlider, 1e-3, GetParam()).finish());
  rollout.step(3);
  rollout.state.joints[1] = 1;
  rollout.step();
  EXPECT_NEAR(rollout.state.joints[1], 1, 1e-12);
  rollout.state.velocities[0] = 0.25;
  rollout.step();
  EXPECT_NEAR(rollout.state.joints[1], 0.75, 1e-12);
  rollout.state.joints[1] = 2;  // 1.25 more
  rollout.state.velocities[0] = 1.25;
  rollout.step();
  EXPECT_NEAR(rollout.state.joints[1], 1, 1e-12);
  EXPECT_NEAR(rollout.velocity(1)[0], 2.25, 1e-12);
}

// What was written with the whole state is felt once more by nobody.
TEST_P(MovedHand, GoesOnFromACopy) {
  const auto moved = [&](Rollout& rollout, int i) {
    rollout.state.velocities[0] = std::sin(i);
    rollout.step();
  };
  Rollout rollout(hand(Link::kPendulum, 5e-3, GetParam()).finish());
  for (int i = 0; i < 20; ++i) moved(rollout, i);
  Rollout other(rollout.simulator.scene().description());
  for (int i = 0; i < 7; ++i) moved(other, 3 * i);

  // its arrays, but for the rates that steps left
  const auto rates = other.state.joint_rates;
  other.state = rollout.state;
  other.state.joint_rates = rates;
  Rollout copy(rollout.simulator.scene().description());
  copy.state = rollout.state;
  for (int i = 0; i < 20; ++i) {
    moved(rollout, i * i);
    moved(copy, i * i);
    if (i == 0) other.step(0);
    moved(other, i * i);
  }
  EXPECT_EQ(copy.state.joints, rollout.state.joints);
  EXPECT_EQ(copy.state.velocities, rollout.state.velocities);
  EXPECT_EQ(other.state.joints, rollout.state.joints);
}

TEST_P(MovedHand, IsOneEnvironmentsWhereItIsNotANumber) {
  Rollout rollout(hand(Link::kPendulum, 1e-3, GetParam()).finish(), 3);
  for (std::size_t e = 0; e < 3; ++e) rollout.state.velocities[12 * e] = 0.5;
  rollout.state.velocities[12] = std::nan("");
  rollout.step(10);
  EXPECT_EQ(rollout.state.status[0], 0u);
  EXPECT_EQ(rollout.state.status[1], kBadVelocity | kFrozen);
  EXPECT_EQ(rollout.state.joints[0], rollout.state.joints[4]);
  EXPECT_NE(rollout.state.joints[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Integrators, MovedHand,
                         ::testing::Values(Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2));

}  // namespace
}  // namespace isopatch::test
