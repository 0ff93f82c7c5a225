// SPDX-License-Identifier: Apache-2.0
//
// Motion without contact: free bodies, paths, joints and drives.
#include <gtest/gtest.h>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

/// A box that tumbles about its middle axis without gravity.
double tumbling_energy(Integrator integrator) {
  SceneBuilder scene;
  Body& box = scene.add("box", make_box("box", {0.2, 0.1, 0.05}));
  box.velocity = {0, 0, 0, 0.2, 6, 0.1};
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.time_step = 1e-2;
  scene.description.rollout.integrator = integrator;
  Rollout rollout(scene.finish());
  rollout.step(0);
  const double energy = rollout.energy();
  const std::vector<double> momentum = rollout.output.momentum;
  double most = 0;
  rollout.step(1000, [&] { most = std::max(most, std::fabs(rollout.energy() / energy - 1)); });
  const double size = length({momentum[3], momentum[4], momentum[5]});
  for (int i = 3; i < 6; ++i) EXPECT_NEAR(rollout.output.momentum[i], momentum[i], 1e-12 * size);
  return most;
}

TEST(FreeMotion, TumblingKeepsEnergyAndMomentum) {
  EXPECT_LT(tumbling_energy(Integrator::kEuler), 3e-4);
  EXPECT_LT(tumbling_energy(Integrator::kSdirk2), 1.2e-4);
}

TEST(FreeMotion, FallsByGravityAndScaledMassDoesNotMatter) {
  SceneBuilder scene;
  scene.add("ball", make_sphere("ball", 0.05, 1)).velocity = {1, 0, 0, 0, 0, 3};
  Rollout rollout(scene.finish(), 2);
  const std::vector<double> scale = {1, 7}, gravity = {0, 0, -9.81, 0, 3, 0};
  RolloutInput input;
  input.mass_scale = scale.data();
  input.gravity = gravity.data();
  rollout.step(100, input);
  EXPECT_NEAR(rollout.velocity(0)[2], -0.981, 1e-12);
  EXPECT_NEAR(rollout.position(0)[0], 0.1, 1e-12);
  EXPECT_NEAR(rollout.velocity(0, 1)[1], 0.3, 1e-12);
  EXPECT_NEAR(rollout.angular_velocity(0)[2], 3, 1e-12);
  const MassProperties mass = body_mass(scene.description, scene.description.bodies[0]);
  const double energy = 0.5 * 7 * (mass.mass * (1 + 0.09) + mass.inertia[2][2] * 9);
  EXPECT_NEAR(rollout.output.kinetic_energy[1], energy, 1e-12 * energy);
}

TEST(FreeMotion, ExternalWrenchTurnsAndPushes) {
  SceneBuilder scene;
  Body& body = scene.add("body", make_box("box", {0.1, 0.1, 0.1}));
  body.mass = 2;
  body.inertia = {{0.5, 0.5, 0.5, 0, 0, 0}};
  scene.description.rollout.gravity = {0, 0, 0};
  Rollout rollout(scene.finish());
  const std::vector<double> wrench = {4, 0, 0, 0, 0, 1};
  RolloutInput input;
  input.body_wrench = wrench.data();
  rollout.step(500, input);
  EXPECT_NEAR(rollout.velocity(0)[0], 1, 1e-12);
  EXPECT_NEAR(rollout.angular_velocity(0)[2], 1, 1e-12);
}

/// A slider 0.1 m from the axis of a parent that turns at 3 rad/s about z: r'' = w^2 r, so it is at 0.1 cosh(w t).
double slider_position(Integrator integrator, double time_step) {
  SceneBuilder scene;
  Body& hub = scene.add("hub", make_box("box", {0.02, 0.02, 0.02}));
  hub.velocity = {0, 0, 0, 0, 0, 3};
  hub.motion.type = MotionType::kPrescribed;
  Body& slider = scene.add("slider", make_box("box", {0.02, 0.02, 0.02}), pose_at({0.1, 0, 0}));
  slider.motion.type = MotionType::kPrismatic;
  slider.motion.parent = 0;
  slider.motion.axis = {1, 0, 0};
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.time_step = time_step;
  scene.description.rollout.integrator = integrator;
  Rollout rollout(scene.finish());
  rollout.step(static_cast<int>(std::lround(0.4 / time_step)));
  const Vector at = rollout.position(1);
  EXPECT_NEAR(length(at), 0.1 + rollout.state.joints[0], 1e-9);
  EXPECT_NEAR(std::atan2(at[1], at[0]), 1.2, 1e-9);
  return rollout.state.joints[0];
}

TEST(Joints, SliderOnATurningParentMovesOut) {
  const double exact = 0.1 * std::cosh(1.2) - 0.1;
  EXPECT_NEAR(exact, 0.081066, 1e-6);
  EXPECT_NEAR(slider_position(Integrator::kEuler, 4e-3), 0.08197, 1e-5);
  EXPECT_NEAR(slider_position(Integrator::kEuler, 2e-3), 0.08152, 1e-5);
  EXPECT_NEAR(slider_position(Integrator::kEuler, 1e-3), 0.08129, 1e-5);
  EXPECT_NEAR(slider_position(Integrator::kSdirk2, 4e-3), exact, 1e-5);
  EXPECT_NEAR(slider_position(Integrator::kSdirk2, 2e-3), exact, 2e-6);
}

/// A pendulum on a revolute joint in the world, against small oscillations of the right period.
TEST(Joints, PendulumHasItsPeriod) {
  SceneBuilder scene;
  Body& rod = scene.add("rod", make_box("box", {0.02, 0.02, 0.2}), pose_at({0, 0, -0.1}));
  rod.motion.type = MotionType::kRevolute;
  rod.motion.axis = {0, 1, 0};
  rod.motion.anchor = {{0, 0, 0}};
  rod.motion.position = 0.01;
  scene.description.rollout.integrator = Integrator::kSdirk2;
  Rollout rollout(scene.finish());
  const double m = body_mass(scene.description, scene.description.bodies[0]).mass;
  const double I = m * (0.02 * 0.02 + 0.2 * 0.2) / 12 + m * 0.01;
  const double period = 2 * M_PI * std::sqrt(I / (m * 9.81 * 0.1));
  double crossed = 0, before = 0.01;
  int crossings = 0;
  rollout.step(2000, [&] {
    const double now = rollout.state.joints[0];
    if ((now < 0) != (before < 0)) {
      ++crossings;
      crossed = rollout.time() - 1e-3 * now / (now - before);
    }
    before = now;
  });
  ASSERT_GE(crossings, 4);
  EXPECT_NEAR(crossed, period * (2 * crossings - 1) / 4, 2e-4 * crossed);
}

TEST(Joints, DriveHoldsItsTargetAndItsLimit) {
  SceneBuilder scene;
  for (int i = 0; i < 2; ++i) {
    Body& body = scene.add(i == 0 ? "held" : "weak", make_box("box", {0.1, 0.1, 0.1}), pose_at({i * 1.0, 0, 0}));
    body.motion.type = MotionType::kPrismatic;
    body.motion.axis = {0, 0, 2};
    body.motion.drive.stiffness = 1e6;
    body.motion.drive.damping = 1e4;
    body.motion.drive.target = {{0, 0}, {0.5, 0.2}};
    if (i == 1) body.motion.drive.force_limit = 5.0;  // less than its weight of 9.81 N
  }
  Rollout rollout(scene.finish());
  rollout.step(1000);
  EXPECT_NEAR(rollout.state.joints[0], 0.2 - 9.81 / 1e6, 1e-9);
  EXPECT_NEAR(rollout.state.joints[3], -(9.81 - 5), 1e-9);  // m/s after 1 s
}

TEST(Paths, AreFollowedToTheirEnd) {
  SceneBuilder scene;
  Body& hand = scene.add("hand", make_box("box", {0.1, 0.1, 0.1}));
  hand.motion.type = MotionType::kPrescribed;
  const double half = std::sqrt(0.5);
  hand.motion.path.times = {0, 0.1, 0.2};
  hand.motion.path.poses = {pose_at({0, 0, 0}), pose_at({0.1, 0, 0}), pose_at({0.1, 0, 0}, {half, 0, 0, half})};
  Rollout rollout(scene.finish());
  EXPECT_NEAR(rollout.velocity(0)[0], 1, 1e-12);
  rollout.step(50);
  EXPECT_NEAR(rollout.position(0)[0], 0.05, 1e-12);
  EXPECT_NEAR(rollout.velocity(0)[0], 1, 1e-9);
  rollout.step(150);
  EXPECT_NEAR(rollout.orientation(0)[3], half, 1e-12);
  EXPECT_NEAR(rollout.angular_velocity(0)[2], M_PI / 2 / 0.1, 1e-6);
}

}  // namespace
}  // namespace isopatch::test
