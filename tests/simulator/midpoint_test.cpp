// SPDX-License-Identifier: Apache-2.0
//
// The integrator midpoint: what rolls goes on rolling, what falls is not lost, what lies comes to rest, and no drop
// makes energy. Figures without a closed form are those of an independent program of the same formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

SceneDescription with_midpoint(SceneBuilder& scene, double time_step) {
  scene.description.rollout.time_step = time_step;
  scene.description.rollout.integrator = Integrator::kMidpoint;
  return scene.finish();
}

Body& add_ball(SceneBuilder& scene, double modulus, double height, int subdivisions = 3) {
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, subdivisions), pose_at({0, 0, 0.05 + height}));
  ball.mass = 0.5;
  ball.modulus = modulus;
  ball.friction = 0.5;
  return ball;
}

/// The part of its speed that a ball keeps as it rolls for a second. It begins as deep as its weight presses it in,
/// with the turning of that radius, and has some time to settle.
double rolls_on(double modulus, double time_step) {
  SceneBuilder scene;
  const double depth = std::sqrt(0.5 * 9.81 / (M_PI * modulus));
  Body& ball = add_ball(scene, modulus, -depth, 4);
  ball.velocity = {1, 0, 0, 0, 1 / (0.05 - depth), 0};
  scene.add_ground(0.5);
  Rollout rollout(with_midpoint(scene, time_step));
  const auto roll = [&](double time) { rollout.step(static_cast<int>(std::lround(time / time_step))); };
  roll(0.3);
  const double before = rollout.velocity(0)[0];
  roll(1);
  EXPECT_EQ(rollout.state.status[0] & kFrozen, kOk);
  return rollout.velocity(0)[0] / before;
}

TEST(Midpoint, FallsAsInTheClosedForm) {
  SceneBuilder scene;
  add_ball(scene, 1e6, 10);
  scene.add_ground();
  Rollout rollout(with_midpoint(scene, 1e-2));
  rollout.step(100);
  EXPECT_NEAR(rollout.position(0)[2], 10.05 - 9.81 / 2, 1e-9);
}

TEST(Midpoint, RollsOn) {
  struct Case {
    double modulus, time_step, left, within;
  };
  for (const auto& [modulus, time_step, left, within] :
       {Case{1e6, 1e-3, 0.9993, 1e-3}, Case{1e6, 5e-3, 0.9991, 1e-3}, Case{1e5, 1e-2, 0.9986, 2e-3},
        Case{1e8, 5e-3, 0.9692, 5e-3}}) {
    const double found = rolls_on(modulus, time_step);
    std::printf("%.0e Pa, %.0f ms: %.4f of the speed left (%.4f)\n", modulus, 1e3 * time_step, found, left);
    EXPECT_NEAR(found, left, within);
    EXPECT_LE(found, 1 + 1e-4);
  }
}

/// The mean over starts that put the contact at different times of a step.
double restitution(double dissipation, double time_step) {
  double sum = 0;
  constexpr int kStarts = 4;
  for (int i = 0; i < kStarts; ++i) {
    SceneBuilder scene;
    Body& ball = add_ball(scene, 1e6, (i + 0.5) / kStarts * time_step, 2);
    ball.dissipation = dissipation;
    ball.velocity = {0, 0, -1, 0, 0, 0};
    scene.add_ground();
    scene.description.rollout.gravity = {0, 0, 0};
    Rollout rollout(with_midpoint(scene, time_step));
    rollout.step(static_cast<int>(0.2 / time_step));
    sum += rollout.velocity(0)[2];
  }
  return sum / kStarts;
}

TEST(Midpoint, ReboundsAsTheMaterialSays) {
  const double elastic = restitution(0, 1e-3), damped = restitution(0.5, 1e-3);
  std::printf("rebound at 1 ms: %.4f of 1, %.4f of .7484\n", elastic, damped);
  EXPECT_GT(elastic, 0.95);
  EXPECT_LE(elastic, 1);
  EXPECT_NEAR(damped, 0.7484, 0.03);
}

/// A body that starts `height` above the ground, in any attitude.
struct Dropped {
  const char* name;
  Geometry geometry;
  double height;
};

std::vector<Dropped> dropped_shapes() {
  return {{"cube", make_box("cube", {0.1, 0.1, 0.1}), 0.12},   {"brick", make_box("brick", {0.2, 0.1, 0.05}), 0.14},
          {"plate", make_box("plate", {0.1, 0.1, 0.01}), 0.1}, {"pen", make_box("pen", {0.15, 0.01, 0.01}), 0.1},
          {"die", make_box("die", {0.02, 0.02, 0.02}), 0.03},  {"ball", make_sphere("ball", 0.05, 2), 0.07}};
}

/// A shape dropped with spin in environments of its own; after each step none may have more energy than at the start.
TEST(Midpoint, NoDropGainsEnergyOrIsLost) {
  constexpr int kEnvironments = 8;
  Random random(5);
  for (const Dropped& shape : dropped_shapes()) {
    double gained = 0;
    int lost = 0, drops = 0;
    for (const double modulus : {1e5, 1e7, 1e9}) {
      for (const double time_step : {5e-3, 1e-2}) {
        for (const double dissipation : {0.0, 20.0}) {
          SceneBuilder scene;
          Body& body = scene.add(shape.name, shape.geometry);
          body.density = 1000;
          body.modulus = modulus;
          body.dissipation = dissipation;
          body.friction = 0.5;
          scene.add_ground(0.5);
          Rollout rollout(with_midpoint(scene, time_step), kEnvironments);
          rollout.simulator.initial_state(rollout.state.view());
          for (std::size_t e = 0; e < kEnvironments; ++e) {
            const Vector axis = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
            const auto pose = pose_at({0, 0, shape.height}, turn_about(axis, random.uniform(0, 3)));
            std::copy(pose.begin(), pose.end(), rollout.state.poses.begin() + static_cast<std::ptrdiff_t>(14 * e));
            double* const v = rollout.state.velocities.data() + 12 * e;
            for (int i = 0; i < 6; ++i) v[i] = random.uniform(-1, 1) * (i < 3 ? 1 : 5);
            v[2] -= 1;
          }
          rollout.step(0);
          std::vector<double> before(kEnvironments);
          const auto energy = [&](std::size_t e) {
            return rollout.output.kinetic_energy[e] + rollout.output.potential_energy[e];
          };
          for (std::size_t e = 0; e < kEnvironments; ++e) before[e] = energy(e);
          for (int i = 0; i < static_cast<int>(0.6 / time_step); ++i) {
            rollout.step();
            for (std::size_t e = 0; e < kEnvironments; ++e) gained = std::max(gained, energy(e) - before[e]);
          }
          for (std::int64_t e = 0; e < kEnvironments; ++e) lost += rollout.position(0, e)[2] < 0 ? 1 : 0;
          drops += kEnvironments;
        }
      }
    }
    std::printf("%s: %d drops, at most %.2g J more than at the start, %d lost\n", shape.name, drops, gained, lost);
    EXPECT_LT(gained, 1e-6) << shape.name;
    EXPECT_EQ(lost, 0) << shape.name;
  }
}

/// At 10 ms it moves by several millimetres as it settles, since the triangles of its faces are not symmetric.
TEST(Midpoint, StackOfFiveRests) {
  for (const double time_step : {5e-3, 1e-2}) {
    SceneBuilder scene;
    const Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
    for (int i = 0; i < 5; ++i) {
      Body& body = scene.add("cube " + std::to_string(i), cube, pose_at({0, 0, 0.05 + 1e-4 + i * (0.1 + 1e-4)}));
      body.mass = 1;
      body.modulus = 1e9;
      body.dissipation = 20;
      body.friction = 0.5;
    }
    scene.add_ground(0.5);
    Rollout rollout(with_midpoint(scene, time_step));
    rollout.step(0);
    const double before = rollout.energy();
    double most = before;
    rollout.step(static_cast<int>(3 / time_step), [&] { most = std::max(most, rollout.energy()); });
    const Vector top = rollout.position(4);
    std::printf("%.0f ms: kinetic %.2g J, top off by %.3g mm, %.2g J gained\n", 1e3 * time_step,
                rollout.output.kinetic_energy[0], 1e3 * std::hypot(top[0], top[1], top[2] - 0.45), most - before);
    EXPECT_LT(rollout.output.kinetic_energy[0], 1e-15);
    EXPECT_LT(std::hypot(top[0], top[1], top[2] - 0.45), time_step < 1e-2 ? 2e-3 : 1e-2);
    EXPECT_LE(most - before, 1e-12);
  }
}

/// They are thinner than the way of a step.
TEST(Midpoint, PlatesDoNotFallThroughTheGround) {
  constexpr int kEnvironments = 8;
  SceneBuilder scene;
  Body& plate = scene.add("plate", make_box("plate", {0.1, 0.1, 0.01}), pose_at({0, 0, 0.03}));
  plate.mass = 0.2;
  plate.modulus = 1e7;
  plate.friction = 0.5;
  plate.velocity = {0, 0, -2, 0, 0, 0};
  scene.add_ground(0.5);
  Rollout rollout(with_midpoint(scene, 1e-2), kEnvironments);
  rollout.simulator.initial_state(rollout.state.view());
  for (std::size_t e = 0; e < kEnvironments; ++e) rollout.state.poses[14 * e + 2] += 2.5e-3 * static_cast<double>(e);
  rollout.step(300);
  for (std::int64_t e = 0; e < kEnvironments; ++e) {
    EXPECT_NEAR(rollout.position(0, e)[2], 0.005, 1e-3) << e;
    EXPECT_LT(rollout.output.kinetic_energy[static_cast<std::size_t>(e)], 1e-15) << e;
  }
}

/// Twelve bodies meet in the middle, without gravity.
TEST(Midpoint, KeepsMomenta) {
  for (const double modulus : {1e6, 1e9}) {
    for (const double time_step : {1e-4, 1e-3, 1e-2}) {
      Random random(11);
      SceneBuilder scene;
      const Geometry shapes[] = {make_box("box", {0.1, 0.08, 0.06}), make_sphere("ball", 0.04, 1)};
      for (int i = 0; i < 12; ++i) {
        const int column = i % 3, row = i / 3 % 2, layer = i / 6;
        const Vector at = {0.13 * (column - 1), 0.13 * (row - 0.5), 0.13 * (layer - 0.5)};
        Body& body = scene.add("body " + std::to_string(i), shapes[i % 2],
                               pose_at(at, turn_about({random.uniform(-1, 1), 1, random.uniform(-1, 1)}, 2)));
        body.mass = random.uniform(0.2, 1);
        body.modulus = modulus;
        body.friction = 0.5;
        for (std::size_t k = 0; k < 3; ++k) {
          body.velocity[k] = -8 * at[k] + random.uniform(-0.3, 0.3);
          body.velocity[3 + k] = random.uniform(-5, 5);
        }
      }
      scene.description.rollout.gravity = {0, 0, 0};
      Rollout rollout(with_midpoint(scene, time_step));
      rollout.step(0);
      const std::vector<double> before = rollout.output.momentum;
      rollout.step(static_cast<int>(std::min(0.3 / time_step, 500.0)));
      EXPECT_EQ(rollout.state.status[0] & kFrozen, kOk);
      double changed = 0;
      for (std::size_t i = 0; i < 6; ++i) changed = std::max(changed, std::abs(rollout.output.momentum[i] - before[i]));
      std::printf("%.0e Pa, %.1f ms: momenta change by %.2g\n", modulus, 1e3 * time_step, changed);
      EXPECT_LT(changed, 1e-12);
    }
  }
}

/// A compliant box slides on a compliant box at mu g.
TEST(Midpoint, SlidesAsCoulombSays) {
  SceneBuilder scene;
  Body& box = scene.add("box", make_box("box", {0.1, 0.1, 0.1}), pose_at({0, 0, 0.05 - 2e-5}));
  box.mass = 1;
  box.modulus = 1e6;
  box.friction = 0.5;
  box.dissipation = 1;
  box.velocity = {2, 0, 0, 0, 0, 0};
  Body& floor = scene.add("floor", make_box("floor", {4, 0.5, 0.1}), pose_at({0, 0, -0.05}));
  floor.modulus = 1e6;
  floor.friction = 0.5;
  floor.fixed = true;
  Rollout rollout(with_midpoint(scene, 1e-3));
  rollout.step(50);
  const double before = rollout.velocity(0)[0];
  rollout.step(200);
  const double slowing = (before - rollout.velocity(0)[0]) / 0.2;
  std::printf("sliding box slows by %.4f of mu g\n", slowing / (0.5 * 9.81));
  EXPECT_NEAR(slowing, 0.5 * 9.81, 0.02 * 0.5 * 9.81);
}

/// The impulses along and across the ground of a brick that tumbles.
TEST(Midpoint, FrictionStaysInItsCone) {
  SceneBuilder scene;
  Body& brick =
      scene.add("brick", make_box("brick", {0.2, 0.1, 0.05}), pose_at({0, 0, 0.15}, turn_about({1, 2, 3}, 1)));
  brick.mass = 1;
  brick.modulus = 1e7;
  brick.friction = 0.4;
  brick.velocity = {1, 0.5, -1, 3, -4, 2};
  scene.add_ground(0.4);
  Rollout rollout(with_midpoint(scene, 5e-3));
  double most = 0;
  rollout.step(200, [&] {
    const double* f = rollout.output.pair_wrench.data();
    if (f[2] * 5e-3 > 1e-9) most = std::max(most, std::hypot(f[0], f[1]) / (0.4 * f[2]));
  });
  std::printf("tangential force at most %.4f of mu times the normal force\n", most);
  EXPECT_GT(most, 0.9);
  EXPECT_LE(most, 1.02);
}

/// The same bits whether environments are alone or among others that take more sub-steps.
TEST(Midpoint, SubstepsOfOthersChangeNothing) {
  SceneBuilder scene;
  Body& plate =
      scene.add("plate", make_box("plate", {0.1, 0.1, 0.01}), pose_at({0, 0, 0.03}, turn_about({1, 0, 0}, 0.2)));
  plate.mass = 0.2;
  plate.modulus = 1e6;
  plate.friction = 0.5;
  scene.add_ground(0.5);
  const SceneDescription description = with_midpoint(scene, 1e-2);
  const auto states = [&](Rollout& rollout, const std::vector<double>& speeds) {
    rollout.simulator.initial_state(rollout.state.view());
    for (std::size_t e = 0; e < speeds.size(); ++e) rollout.state.velocities[12 * e + 2] = -speeds[e];
  };
  const std::vector<double> speeds = {0.1, 2, 5, 0};
  Rollout all(description, 4);
  states(all, speeds);
  all.step(20);
  for (std::size_t e = 0; e < speeds.size(); ++e) {
    Rollout one(description);
    states(one, {speeds[e]});
    one.step(20);
    EXPECT_TRUE(same_bytes(one.state.poses.data(), all.state.poses.data() + 14 * e, 14 * sizeof(double))) << e;
    EXPECT_TRUE(same_bytes(one.state.velocities.data(), all.state.velocities.data() + 12 * e, 12 * sizeof(double)))
        << e;
  }
}

/// A drive with a frequency of 20 rad/s and a damping of .3 after a step of its target.
TEST(Midpoint, DrivesAreOfSecondOrder) {
  const auto error = [](double time_step) {
    SceneBuilder scene;
    Body& slider = scene.add("slider", make_box("slider", {0.1, 0.1, 0.1}));
    slider.mass = 1;
    slider.motion.type = MotionType::kPrismatic;
    slider.motion.axis = {1, 0, 0};
    slider.motion.drive.stiffness = 400;
    slider.motion.drive.damping = 12;
    slider.motion.drive.target = {{0, 0.1}};
    slider.modulus = 1e6;
    scene.description.rollout.gravity = {0, 0, 0};
    Rollout rollout(with_midpoint(scene, time_step));
    const double damped = 20 * std::sqrt(1 - 0.09);
    double largest = 0;
    rollout.step(static_cast<int>(std::lround(0.4 / time_step)), [&] {
      const double t = rollout.time(), decay = std::exp(-6 * t);
      const double exact = 0.1 * (1 - decay * (std::cos(damped * t) + 6 / damped * std::sin(damped * t)));
      largest = std::max(largest, std::abs(rollout.position(0)[0] - exact));
    });
    return largest;
  };
  const double coarse = error(4e-3), middle = error(2e-3), fine = error(1e-3);
  std::printf("drive: off by %.3g, %.3g, %.3g m at 4, 2, 1 ms\n", coarse, middle, fine);
  EXPECT_LT(fine, 2e-5);
  EXPECT_GT(coarse / middle, 3.3);
  EXPECT_GT(middle / fine, 3.3);
}

}  // namespace
}  // namespace isopatch::test
