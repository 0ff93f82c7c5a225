// SPDX-License-Identifier: Apache-2.0
//
// Many bodies on each other, and bodies that others carry.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

SceneDescription stack_of_ten(double dissipation, double time_step) {
  Random random(3);
  SceneBuilder scene;
  const Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
  for (int i = 0; i < 10; ++i) {
    const auto turn = turn_about({0, 0, 1}, random.uniform(-0.2, 0.2));
    Body& body = scene.add(
        "cube " + std::to_string(i), cube,
        pose_at({random.uniform(-4e-3, 4e-3), random.uniform(-4e-3, 4e-3), 0.05 + 1e-4 + i * (0.1 + 1e-4)}, turn));
    body.mass = 1;
    body.modulus = 1e7;
    body.dissipation = dissipation;
    body.friction = 0.6;
  }
  scene.add_ground(0.6);
  scene.description.rollout.time_step = time_step;
  return scene.finish();
}

TEST(Stack, OfTenStands) {
  Rollout rollout(stack_of_ten(50, 5e-3));
  const Vector begin = rollout.position(9);
  rollout.step(0);
  const double before = rollout.energy();
  double most = before, kinetic = 0;
  int worst = 0;
  rollout.step(2400, [&] {
    most = std::max(most, rollout.energy());
    if (rollout.time() > 6) kinetic = std::max(kinetic, rollout.output.kinetic_energy[0]);
    worst = std::max(worst, rollout.output.solver_iterations[0]);
  });
  const Vector end = rollout.position(9);
  std::printf("stack: moved %.4f mm, energy %.3g J more, kinetic %.2g J, iterations at most %d, polygons %d\n",
              1e3 * std::hypot(end[0] - begin[0], end[1] - begin[1]), most - before, kinetic, worst,
              rollout.output.num_polygons[0]);
  EXPECT_EQ(rollout.state.status[0], kOk);
  EXPECT_LT(std::hypot(end[0] - begin[0], end[1] - begin[1]), 2e-3);
  EXPECT_LE(most, before);
  EXPECT_LT(kinetic, 1e-6);
}

/// Contacts that are seen late give none, with little damping at large steps.
TEST(Stack, OfTenGainsNoEnergyWithLittleDamping) {
  Rollout rollout(stack_of_ten(2, 1e-2));
  rollout.step(0);
  const double before = rollout.energy();
  double most = before;
  rollout.step(300, [&] { most = std::max(most, rollout.energy()); });
  std::printf("d = 2 s/m at 10 ms: %.3g J more, top at %.3f m\n", most - before, rollout.position(9)[2]);
  EXPECT_LE(most, before * (1 + 1e-9));
  EXPECT_NEAR(rollout.position(9)[2], 0.95, 2e-3);
  EXPECT_LT(std::hypot(rollout.position(9)[0], rollout.position(9)[1]), 5e-3);
}

/// Cubes that touch, or nearly, gain no energy where contact is seen late, come to rest, and stay above each other.
TEST(Stack, OfFiveGainsNoEnergy) {
  for (const double time_step : {1e-3, 5e-3, 1e-2}) {
    for (const double modulus : {1e7, 1e8, 1e9}) {
      for (const double gap : {0.0, 1e-4}) {
        for (const double dissipation : {0.0, 20.0}) {
          SceneBuilder scene;
          const Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
          for (int i = 0; i < 5; ++i) {
            Body& body = scene.add("cube " + std::to_string(i), cube, pose_at({0, 0, 0.05 + 0.1 * i + gap * (i + 1)}));
            body.mass = 1;
            body.modulus = modulus;
            body.dissipation = dissipation;
            body.friction = 0.5;
          }
          scene.add_ground(0.5);
          scene.description.rollout.time_step = time_step;
          Rollout rollout(scene.finish());
          rollout.step(0);
          const double begin = rollout.energy();
          double most = begin, aside = 0;
          rollout.step(static_cast<int>(std::lround(3 / time_step)), [&] {
            most = std::max(most, rollout.energy());
            aside = std::max(aside, std::hypot(rollout.position(4)[0], rollout.position(4)[1]));
          });
          SCOPED_TRACE(testing::Message() << time_step << " s, " << modulus << " Pa, " << gap << " m, " << dissipation);
          EXPECT_LT(most - begin, 1e-6);
          EXPECT_LT(rollout.output.kinetic_energy[0], modulus < 1e8 && time_step < 2e-3 ? 1e-10 : 1e-12);
          EXPECT_LT(aside, modulus < 1e9 || time_step < 1e-2 ? 2e-3 : 7e-3);
        }
      }
    }
  }
}

/// A hand with two fingers grips a bar, lifts it, and turns.
TEST(Lift, HandLiftsAndTurnsABar) {
  SceneBuilder scene;
  const double half = std::sqrt(0.5);
  Body& hand = scene.add("hand", make_box("hand", {0.02, 0.02, 0.02}), pose_at({0, 0, 0.3}));
  hand.rigid = true;
  hand.motion.type = MotionType::kPrescribed;
  hand.motion.path.times = {0, 0.3, 0.8, 1.3, 1.6};
  hand.motion.path.poses = {pose_at({0, 0, 0.3}), pose_at({0, 0, 0.3}), pose_at({0, 0, 0.5}),
                            pose_at({0, 0, 0.5}, {half, 0, half, 0}), pose_at({0, 0, 0.5}, {half, 0, half, 0})};
  Body& bar = scene.add("bar", make_box("bar", {0.16, 0.02, 0.04}), pose_at({0, 0, 0.02}));
  bar.mass = 0.1;
  bar.rigid = true;
  bar.friction = 0.8;
  const Geometry pad = make_sphere("pad", 0.02, 3);
  for (const double side : {-1.0, 1.0}) scene.add_finger(pad, side, 1e-3, 0.02, {{0, 12}}).motion.parent = 0;
  Body& ground = scene.add_ground(0.5);
  ground.rigid = false;
  ground.modulus = 1e6;
  ground.dissipation = 5;
  scene.description.rollout.time_step = 2e-3;
  Rollout rollout(scene.finish());
  rollout.step(800);
  EXPECT_EQ(rollout.state.status[0] & (kFrozen | kNotConverged), kOk);
  const Vector at = rollout.position(1);
  const auto q = rollout.orientation(1);
  // 0.28 m below the hand's origin, which the quarter turn about y puts beside it
  std::printf("bar at %.4f %.4f %.4f, turned %.4f rad, speed %.2g m/s\n", at[0], at[1], at[2],
              2 * std::atan2(q[2], q[0]), length(rollout.velocity(1)));
  EXPECT_NEAR(at[0], -0.28, 3e-3);
  EXPECT_NEAR(at[2], 0.5, 3e-3);
  EXPECT_NEAR(2 * std::atan2(q[2], q[0]), M_PI / 2, 0.02);
}

}  // namespace
}  // namespace isopatch::test
