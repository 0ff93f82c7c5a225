// SPDX-License-Identifier: Apache-2.0
//
// Planar bodies move along x and y and turn about z, whatever acts on them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

struct PlanarMotion : ::testing::Test {
  std::mt19937 random{17};
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  /// Of a plate whose centre of mass and inertia know nothing of the plane.
  Body& add_plate(SceneBuilder& scene, const std::string& name, double x, double y) {
    Body& body = scene.add(name, make_box(name, {0.2, 0.1, 0.04}),
                           pose_at({x, y, uniform(-0.01, 0.01)}, turn_about({0, 0, 1}, uniform(-3, 3))));
    body.motion.type = MotionType::kPlanar;
    body.mass = uniform(0.1, 3);
    body.center_of_mass = Point3{uniform(-0.05, 0.05), uniform(-0.03, 0.03), uniform(-0.01, 0.01)};
    body.inertia = std::array<double, 6>{1.2e-3, 1.5e-3, 1.8e-3, 1e-4, -2e-4, 1.5e-4};
    body.modulus = std::pow(10, uniform(4, 6));
    body.friction = uniform(0, 1);
    body.velocity = {uniform(-3, 3), uniform(-3, 3), 0, 0, 0, uniform(-50, 50)};
    return body;
  }
};

TEST_F(PlanarMotion, StaysInItsPlaneToTheBit) {
  for (int trial = 0; trial < 24; ++trial) {
    SceneBuilder scene;
    add_plate(scene, "first", -0.1, 0);
    add_plate(scene, "second", 0.1, 0.02);
    Body& ball = scene.add("ball", make_sphere("ball", 0.04, 1), pose_at({0, 0, 0.08}, turn_about({1, 2, 3}, 1)));
    ball.velocity = {0, 0, -2, 10, -20, 30};
    scene.add_ground(0.5).pose[2] = -0.015;
    scene.description.rollout.integrator = Integrator(trial % 3);
    scene.description.rollout.time_step = std::pow(10, uniform(-3, std::log10(0.02)));
    scene.description.rollout.gravity = {uniform(-5, 5), uniform(-5, 5), -9.81};
    Rollout rollout(scene.finish(), 1, trial % 2 == 0 ? Precision::kFloat : Precision::kDouble);
    const double z[2] = {rollout.position(0)[2], rollout.position(1)[2]};
    double touched = 0;
    rollout.step(100, [&] {
      ASSERT_EQ(rollout.state.status[0] & kFrozen, 0u) << trial;
      touched += rollout.output.num_polygons[0];
      for (int body = 0; body < 2; ++body) {
        EXPECT_EQ(rollout.position(body)[2], z[body]);
        EXPECT_EQ(rollout.orientation(body)[1], 0);
        EXPECT_EQ(rollout.orientation(body)[2], 0);
        EXPECT_EQ(rollout.velocity(body)[2], 0);
        EXPECT_EQ(rollout.angular_velocity(body)[0], 0);
        EXPECT_EQ(rollout.angular_velocity(body)[1], 0);
      }
    });
    EXPECT_GT(touched, 0) << trial;
  }
}

/// The centre of mass flies as a point does, and the body turns as it began.
TEST_F(PlanarMotion, FliesExactly) {
  for (const double h : {1e-3, 5e-3, 2e-2}) {
    SceneBuilder scene;
    const Body body = add_plate(scene, "plate", 0.3, -0.2);
    scene.description.rollout.time_step = h;
    scene.description.rollout.gravity = {2, -9.81, -4};
    Rollout rollout(scene.finish());
    rollout.step(1);
    const double kinetic = rollout.output.kinetic_energy[0] + rollout.output.potential_energy[0];
    rollout.step(static_cast<int>(1 / h) - 1);
    const double t = rollout.time(), angle = 2 * std::atan2(body.pose[6], body.pose[3]);
    const auto arm = [&](double at) {
      const Point3& c = *body.center_of_mass;
      return Vector{std::cos(at) * c[0] - std::sin(at) * c[1], std::sin(at) * c[0] + std::cos(at) * c[1], 0};
    };
    const double spin = body.velocity[5];
    const Vector before = arm(angle), after = arm(angle + spin * t);
    const double center[2] = {
        body.pose[0] + before[0] + (body.velocity[0] - spin * before[1]) * t + 0.5 * 2 * t * t,
        body.pose[1] + before[1] + (body.velocity[1] + spin * before[0]) * t - 0.5 * 9.81 * t * t};
    EXPECT_NEAR(rollout.position(0)[0] + after[0], center[0], 1e-11) << h;
    EXPECT_NEAR(rollout.position(0)[1] + after[1], center[1], 1e-11) << h;
    EXPECT_NEAR(rollout.angular_velocity(0)[2], spin, 1e-12 * std::abs(spin)) << h;
    const auto q = rollout.orientation(0);
    EXPECT_NEAR(std::remainder(2 * std::atan2(q[3], q[0]) - angle - spin * t, 2 * std::numbers::pi), 0, 1e-10) << h;
    EXPECT_NEAR(rollout.energy(), kinetic, 1e-10) << h;
  }
}

/// Two plates that hit each other keep their momentum in the plane and about z.
TEST_F(PlanarMotion, CollisionsKeepMomenta) {
  for (int trial = 0; trial < 8; ++trial) {
    SceneBuilder scene;
    add_plate(scene, "first", -0.15, 0).velocity[0] = 3;
    add_plate(scene, "second", 0.15, 0.02).velocity[0] = -3;
    for (Body& body : scene.description.bodies) body.velocity[5] *= 0.1;
    scene.description.rollout.gravity = {0, 0, -9.81};
    scene.description.rollout.time_step = uniform(1e-3, 4e-3);
    Rollout rollout(scene.finish());
    rollout.step(0);
    const std::vector<double> before = rollout.output.momentum;
    double touched = 0;
    rollout.step(100, [&] { touched += rollout.output.num_polygons[0]; });
    ASSERT_GT(touched, 0);
    for (const std::size_t k : {0, 1, 5})
      EXPECT_NEAR(rollout.output.momentum[k], before[k], 1e-10) << trial << ", " << k;
  }
}

TEST_F(PlanarMotion, StatesOutOfThePlaneAreFaults) {
  SceneBuilder scene;
  add_plate(scene, "plate", 0, 0);
  Rollout rollout(scene.finish(), 5);
  rollout.state.poses[7 * 1 + 4] = 1e-3;       // tilted
  rollout.state.velocities[6 * 2 + 2] = 1e-9;  // along z
  rollout.state.velocities[6 * 3 + 4] = 2;     // about y
  rollout.state.poses[7 * 4 + 2] = 1;          // in a plane beside it
  rollout.step(3);
  const std::uint32_t expected[] = {kOk, kBadPose | kFrozen, kBadVelocity | kFrozen, kBadVelocity | kFrozen, kOk};
  for (std::size_t e = 0; e < 5; ++e) EXPECT_EQ(rollout.state.status[e], expected[e]) << e;
}

}  // namespace
}  // namespace isopatch::test
