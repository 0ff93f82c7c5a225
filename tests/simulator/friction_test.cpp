// SPDX-License-Identifier: Apache-2.0
//
// Coulomb's law: on an incline, in an impact, in a grip. Bristles: on an incline that is shaken.
#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "tests/support/rollout_scenes.h"

namespace isopatch::test {
namespace {

/// A brick that lies on a plane tilted by `tilt`, as gravity that is tilted the other way.
struct Incline {
  double speed, acceleration;  // downhill, after 1 s: m/s, m/s^2
};

Incline slide(double friction, double tilt, double slip_tolerance) {
  SceneBuilder scene;
  const double depth = 9.81 * std::cos(tilt) * 0.025 / (1e6 * 0.02);
  Body& brick = scene.add("brick", make_box("brick", {0.2, 0.1, 0.05}), pose_at({0, 0, 0.025 - depth}));
  brick.mass = 1;
  brick.modulus = 1e6;
  brick.dissipation = 5;
  brick.friction = friction;
  scene.add_ground(friction);
  scene.description.contact.slip_tolerance = slip_tolerance;
  scene.description.rollout.gravity = {9.81 * std::sin(tilt), 0, -9.81 * std::cos(tilt)};
  Rollout rollout(scene.finish());
  rollout.step(1000);
  const double before = rollout.velocity(0)[0];
  rollout.step(100);
  return {rollout.velocity(0)[0], (rollout.velocity(0)[0] - before) / 0.1};
}

TEST(Incline, SlidesWithTheAccelerationOfCoulombsLaw) {
  const double friction = 0.5;
  for (const double times : {1.02, 1.725}) {
    const double tilt = times * std::atan(friction);
    const double expected = 9.81 * (std::sin(tilt) - friction * std::cos(tilt));
    EXPECT_NEAR(slide(friction, tilt, 1e-4).acceleration, expected, 2e-4) << times;
  }
}

/// Below the threshold it creeps: v / sqrt(v^2 + v_s^2) = tan(tilt) / friction.
TEST(Incline, CreepsBelowTheThreshold) {
  const double friction = 0.5;
  for (const double times : {0.5, 0.98}) {
    const double tilt = std::atan(times * friction);
    const double expected = 1e-4 * times / std::sqrt(1 - times * times);
    EXPECT_NEAR(slide(friction, tilt, 1e-4).speed, expected, 0.01 * expected) << times;
  }
}

/// Friction over a tolerance this small is as large in the solver's matrix as bodies of many tons.
TEST(SlipTolerance, MayBeAMicrometerPerSecond) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    SceneDescription description = gripped_bar(integrator);
    description.contact.slip_tolerance = 1e-6;
    const RolloutStateArrays begin = random_states(description, 16, 14);
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      RolloutStateArrays state = begin;
      Simulator(Scene(description), {.precision = precision}).step(state.view(), {}, {}, 40);
      EXPECT_EQ(state.status, std::vector<std::uint32_t>(16, kOk)) << static_cast<int>(integrator);
    }
  }
}

/// How fast blocks on four feet walk down 15 degrees, m/s, that are shaken along the slope by forces that take so much
/// of what friction can hold, so often each second.
std::vector<double> walk(BristleFlow flow, double time_step, const std::vector<std::array<double, 2>>& shaking) {
  const double tilt = std::numbers::pi / 12, friction = 0.5, mass = 1;
  SceneBuilder builder;
  builder.add_ground(friction);
  Body& block = builder.add("block", make_sphere("foot", 0.01, 1), pose_at({0, 0, 0.0298}));
  block.mass = mass;
  block.rigid = true;
  block.friction = friction;
  block.inertia = {1e-3, 1e-3, 1e-3, 0, 0, 0};
  for (const double x : {-0.04, 0.04}) {
    for (const double y : {-0.04, 0.04}) {
      Part& foot = block.parts.emplace_back();
      foot.geometry = block.geometry;
      foot.pose = {x, y, -0.02, 1, 0, 0, 0};
    }
  }
  SceneDescription scene = builder.finish();
  Pair& pair = scene.pairs.emplace().emplace_back();
  pair.a = 1, pair.b = 0;
  pair.model = ContactModel::kPoint;
  pair.stiffness = 1e6;
  pair.dissipation = 20;
  pair.friction_model = FrictionModel::kBristle;
  pair.bristle_flow = flow;
  scene.rollout.time_step = time_step;
  const double downhill = 9.81 * std::sin(tilt), limit = friction * mass * 9.81 * std::cos(tilt);
  scene.rollout.gravity = {downhill, 0, -9.81 * std::cos(tilt)};

  Rollout rollout(scene, static_cast<std::int64_t>(shaking.size()));
  std::vector<double> wrenches(12 * shaking.size()), walked(shaking.size());
  RolloutInput input;
  input.body_wrench = wrenches.data();
  const double settled = 1, duration = 1;  // s, of whole periods
  for (double time = 0; time < settled + duration - time_step / 2; time += time_step) {
    if (std::fabs(time - settled) < time_step / 2) {
      for (std::size_t i = 0; i < shaking.size(); ++i) walked[i] = -rollout.position(1, static_cast<int>(i))[0];
    }
    for (std::size_t i = 0; i < shaking.size(); ++i) {
      const auto [part, frequency] = shaking[i];
      wrenches[12 * i + 6] = std::min(2 * time, 1.0) * (part * limit - mass * downhill) *
                             std::sin(2 * std::numbers::pi * frequency * time);
    }
    rollout.step(1, input);
  }
  for (std::size_t i = 0; i < shaking.size(); ++i) {
    EXPECT_EQ(rollout.state.status[i], kOk);
    walked[i] = (walked[i] + rollout.position(1, static_cast<int>(i))[0]) / duration;
  }
  return walked;
}

TEST(Bristles, HoldWhatIsShaken) {
  std::vector<std::array<double, 2>> shaking;
  for (const double part : {0.6, 0.75, 0.9}) {
    for (const double frequency : {5.0, 10.0, 30.0, 60.0}) shaking.push_back({part, frequency});
  }
  for (const double time_step : {1e-3, 5e-3}) {
    const std::vector<double> found = walk(BristleFlow::kNearLimit, time_step, shaking);
    for (std::size_t i = 0; i < shaking.size(); ++i) {
      EXPECT_LE(std::fabs(found[i]), i < 4 ? 1e-9 : 1e-6) << shaking[i][0] << " at " << shaking[i][1] << " Hz";
    }
  }
  EXPECT_GT(walk(BristleFlow::kAlways, 1e-3, {{0.6, 60}})[0], 3e-6) << "the law of the thesis";
}

/// Tangential over friction times normal impulse of a stiff ball's oblique impact.
double impact_ratio(int friction_passes) {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 2), pose_at({0, 0, 0.0505}));
  ball.mass = 0.5;
  ball.modulus = 1e8;
  ball.friction = 0.2;
  ball.velocity = {2, 0, -1, 0, 0, 0};
  scene.add_ground(0.2);
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.time_step = 5e-3;
  scene.description.rollout.friction_passes = friction_passes;
  Rollout rollout(scene.finish());
  double normal = 0, tangential = 0;
  rollout.step(20, [&] {
    normal += rollout.output.pair_wrench[2];
    tangential -= rollout.output.pair_wrench[0];
  });
  EXPECT_GT(normal, 0);
  return tangential / (0.2 * normal);
}

TEST(Impact, HasFrictionInProportionToTheNormalImpulse) {
  EXPECT_NEAR(impact_ratio(3), 1, 0.01);
  const double one_pass = impact_ratio(1);
  EXPECT_GT(std::fabs(one_pass - 1), 0.1);
  std::printf("three passes %.4f, one %.3f\n", impact_ratio(3), one_pass);
}

/// Two balls press a bar 40 mm from its middle with a force.
SceneDescription pinch(double force) {
  SceneBuilder scene;
  Body& bar = scene.add("bar", make_box("bar", {0.16, 0.02, 0.04}), pose_at({0.04, 0, 0}));
  bar.mass = 0.1;
  bar.rigid = true;
  bar.friction = 0.8;
  const Geometry pad = make_sphere("pad", 0.02, 3);
  for (const double side : {-1.0, 1.0}) scene.add_finger(pad, side, -5e-4, 0, {{0, force}});
  scene.description.rollout.time_step = 2e-3;
  scene.description.contact.slip_tolerance = 1e-4;
  return scene.finish();
}

/// The bar's angle, and its angular speed, after `duration` seconds.
std::pair<double, double> held(double force, double duration) {
  Rollout rollout(pinch(force));
  rollout.step(static_cast<int>(duration / 2e-3));
  EXPECT_EQ(rollout.state.status[0] & ~static_cast<unsigned>(kFrictionLag), kOk);
  const auto q = rollout.orientation(0);
  return {2 * std::asin(q[2]), rollout.angular_velocity(0)[1]};
}

/// The weight turns the bar against the friction torque of the patches, which is .994 of it at 4.0 N and 1.058 at 4.2
/// N.
TEST(Pinch, HoldsFromAForceOn) {
  const auto [slipped, fast] = held(4.0, 0.4);
  const auto [kept, slow] = held(4.2, 0.4);
  std::printf("4.0 N: %.3f rad %.4f rad/s; 4.2 N: %.4f rad %.5f rad/s\n", slipped, fast, kept, slow);
  EXPECT_GT(std::fabs(fast), 3 * std::fabs(slow));
  EXPECT_NEAR(std::fabs(slow), 0.0487, 0.03 * 0.0487);
}

/// The force alternates between two levels: the bar turns while it is low, and stops.
TEST(Pinch, TurnsAndStopsWithASquareWave) {
  SceneDescription scene = pinch(0);
  for (int finger = 1; finger <= 2; ++finger) {
    scene.bodies[static_cast<std::size_t>(finger)].motion.drive.force = {
        {0, 8}, {0.5, 3}, {0.55, 8}, {1.0, 3}, {1.05, 8}};
  }
  Rollout rollout(scene);
  std::vector<double> angle;
  rollout.step(750, [&] {
    const auto q = rollout.orientation(0);
    angle.push_back(2 * std::atan2(q[2], q[0]));
  });
  const auto turned = [&](double from, double to) {
    return angle[static_cast<std::size_t>(to / 2e-3) - 1] - angle[static_cast<std::size_t>(from / 2e-3)];
  };
  std::printf("turned %.4f %.4f %.4f %.4f %.4f\n", turned(0.3, 0.5), turned(0.5, 0.7), turned(0.7, 1.0),
              turned(1.0, 1.2), turned(1.2, 1.5));
  EXPECT_LT(std::fabs(turned(0.3, 0.5)), 0.005);
  EXPECT_GT(turned(0.5, 0.7), 0.03);
  EXPECT_LT(std::fabs(turned(0.7, 1.0)), 0.005);
  EXPECT_GT(turned(1.0, 1.2), 0.03);
  EXPECT_LT(std::fabs(turned(1.2, 1.5)), 0.005);
}

}  // namespace
}  // namespace isopatch::test
