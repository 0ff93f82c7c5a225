// SPDX-License-Identifier: Apache-2.0
//
// What joints have besides drives: stops, friction, damping, rotors, and others that follow them. All integrators have
// all of it; figures are closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kSteps[] = {1e-3, 5e-3, 1e-2};
constexpr Integrator kIntegrators[] = {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2};

/// A slider of 1 kg along x, without gravity.
SceneDescription slider(Integrator integrator, double time_step, const Motion& motion) {
  SceneBuilder scene;
  Body& body = scene.add("slider", make_box("slider", {0.1, 0.1, 0.1}));
  body.mass = 1;
  body.modulus = 1e6;
  body.motion = motion;
  body.motion.type = MotionType::kPrismatic;
  body.motion.axis = {1, 0, 0};
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.integrator = integrator;
  scene.description.rollout.time_step = time_step;
  return scene.finish();
}

int steps_of(double time, double time_step) { return static_cast<int>(std::lround(time / time_step)); }

/// Pushed by 10 N against a stop, and thrown at it.
TEST(Joint, StopsAtItsLimits) {
  for (const Integrator integrator : kIntegrators) {
    for (const double h : kSteps) {
      for (const double speed : {0.0, 5.0, 4.3}) {  // at 5 m/s a step ends where the stop is
        Motion motion;
        motion.upper = 0.1;
        motion.velocity = speed;
        motion.drive.force = {{0, speed > 0 ? 0.0 : 10.0}};
        Rollout rollout(slider(integrator, h, motion));
        double beyond = 0, back = 0;
        rollout.step(steps_of(0.5, h), [&] {
          beyond = std::max(beyond, rollout.state.joints[0] - 0.1);
          back = std::min(back, rollout.state.joints[1]);
        });
        EXPECT_LT(beyond, 1e-7) << h << " s, " << speed << " m/s";
        EXPECT_NEAR(rollout.state.joints[0], 0.1, 1e-7);
        EXPECT_GT(back, -1e-5);
        if (speed > 0) continue;
        EXPECT_NEAR(rollout.output.joint_limit_force[0], -10, 1e-5);
        EXPECT_EQ(rollout.output.joints_at_limit[0], 1);
      }
    }
  }
}

/// A little beyond a stop it goes back; further, its environment freezes.
TEST(Joint, WrittenBeyondAStopGoesBackOrFreezesItsEnvironment) {
  for (const Integrator integrator : kIntegrators) {
    Motion motion;
    motion.upper = 0.1;
    motion.velocity = 0.02;
    Rollout rollout(slider(integrator, 1e-3, motion), 4), without(slider(integrator, 1e-3, motion), 4);
    rollout.simulator.initial_state(rollout.state.view());
    without.simulator.initial_state(without.state.view());
    rollout.state.joints[2 * 1] = 0.5;
    rollout.state.joints[2 * 2] = 0.1 + 5e-4;
    rollout.step();
    EXPECT_EQ(rollout.state.status, (std::vector<std::uint32_t>{kOk, kBadPose | kFrozen, kOk, kOk}));
    EXPECT_EQ(rollout.state.joints[2 * 1], 0.5);
    EXPECT_EQ(rollout.output.joints_at_limit[2], 1);
    rollout.step(2);
    without.step(3);
    EXPECT_LT(rollout.state.joints[2 * 2], 0.1 + 1e-7);
    for (const std::size_t e : {0u, 3u}) {
      EXPECT_TRUE(same_bytes(&rollout.state.joints[2 * e], &without.state.joints[2 * e], 2 * sizeof(double))) << e;
    }
  }
}

/// It is put back there, and stays.
TEST(Joint, BeyondAStopComesBackWithoutASpeed) {
  for (const Integrator integrator : kIntegrators) {
    for (const double h : {1e-3, 5e-3, 1e-2}) {
      for (const double side : {1.0, -1.0}) {
        Motion motion;
        motion.upper = 0.1;
        motion.lower = -0.1;
        motion.bounce = side > 0 ? 0.5 : 0.0;
        Rollout rollout(slider(integrator, h, motion));
        rollout.state.joints[0] = side * (0.1 + 9e-4);
        rollout.step(3, [&] {
          EXPECT_LT(std::fabs(rollout.state.joints[1]), 1e-6);
          EXPECT_EQ(rollout.state.status[0], kOk);
        });
        EXPECT_NEAR(rollout.state.joints[0], side * 0.1, 1e-8) << h;
      }
    }
  }
}

TEST(Joint, OfNoNumberFreezesItsEnvironment) {
  Motion motion;
  motion.upper = 0.1;
  Rollout rollout(slider(Integrator::kMidpoint, 1e-3, motion), 2);
  rollout.simulator.initial_state(rollout.state.view());
  rollout.state.joints[2 * 1] = std::nan("");
  rollout.step();
  EXPECT_EQ(rollout.state.status, (std::vector<std::uint32_t>{kOk, kBadPose | kFrozen}));
}

TEST(Joint, BouncesAsAsked) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler}) {
    Motion motion;
    motion.lower = -0.1;
    motion.velocity = -2;
    motion.bounce = 0.6;
    Rollout rollout(slider(integrator, 1e-3, motion));
    rollout.step(100);
    EXPECT_NEAR(rollout.state.joints[1], 1.2, 1e-4);
  }
}

/// 2 N stop 1 kg at 1 m/s within 1/4 m; under half of that force it creeps at v_s r / sqrt(1 - r^2).
TEST(Joint, HasFriction) {
  for (const double h : kSteps) {
    Motion motion;
    motion.friction = 2;
    motion.velocity = 1;
    Rollout rollout(slider(Integrator::kMidpoint, h, motion));
    rollout.step(steps_of(2, h));
    EXPECT_NEAR(rollout.state.joints[0], 0.25, 2e-3) << h;
    EXPECT_LT(std::abs(rollout.state.joints[1]), 1e-6) << h;

    motion.velocity = 0;
    motion.drive.force = {{0, 1}};
    Rollout pushed(slider(Integrator::kMidpoint, h, motion));
    pushed.step(steps_of(1, h));
    EXPECT_NEAR(pushed.state.joints[1], kUsualStepSlipTolerance * 0.5 / std::sqrt(0.75), 1e-10) << h;
  }
}

TEST(Joint, IsDamped) {
  double error[2] = {};
  for (int i = 0; i < 2; ++i) {
    Motion motion;
    motion.damping = 2;
    motion.velocity = 1;
    const double h = i == 0 ? 1e-2 : 5e-3;
    Rollout rollout(slider(Integrator::kMidpoint, h, motion));
    rollout.step(steps_of(1, h));
    error[i] = std::abs(rollout.state.joints[1] - std::exp(-2.0));
  }
  std::printf("damping: off by %.2g at 10 ms, %.2g at 5 ms\n", error[0], error[1]);
  EXPECT_LT(error[1], 1e-4);
  EXPECT_GT(error[0] / error[1], 3.3);
}

TEST(Joint, HasARotor) {
  for (const Integrator integrator : kIntegrators) {
    Motion motion;
    motion.armature = 3;
    motion.drive.force = {{0, 8}};
    Rollout rollout(slider(integrator, 1e-3, motion));
    rollout.step(500);
    EXPECT_NEAR(rollout.state.joints[1], 1, 1e-9);
    EXPECT_NEAR(rollout.output.kinetic_energy[0], 2, 1e-8);
  }
}

/// A gripper: one drive moves two fingers of 50 g against each other.
SceneDescription gripper(Integrator integrator, double time_step, bool with_object) {
  SceneBuilder scene;
  const Geometry pad = make_box("pad", {0.02, 0.02, 0.02});
  for (const double side : {-1.0, 1.0}) {
    Body& finger = scene.add(side < 0 ? "left" : "right", pad, pose_at({0, side * 0.04, 0}));
    finger.mass = 0.05;
    finger.modulus = 1e6;
    finger.friction = 0.8;
    finger.motion.type = MotionType::kPrismatic;
    finger.motion.axis = {0, 1, 0};
  }
  scene.description.bodies[0].motion.drive.force = {{0, 8}};
  scene.description.bodies[1].motion.mimic = Mimic{0, -1, 0};
  if (with_object) {
    Body& object = scene.add("object", make_box("object", {0.03, 0.04, 0.03}), pose_at({0, 2e-3, 0}));
    object.mass = 0.1;
    object.modulus = 1e6;
    object.dissipation = 2;
    object.friction = 0.8;
  }
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.integrator = integrator;
  scene.description.rollout.time_step = time_step;
  return scene.finish();
}

TEST(Joint, MovesOthersThatMimicIt) {
  for (const Integrator integrator : kIntegrators) {
    Rollout rollout(gripper(integrator, 1e-3, false));
    rollout.step(10);
    EXPECT_NEAR(rollout.state.joints[1], 80 * 0.01, 1e-9);
    EXPECT_NEAR(rollout.state.joints[3], -80 * 0.01, 1e-9);
  }
}

/// Also when the object lies off the middle at first: the fingers move as one.
TEST(Joint, GripperOfOneDriveCentersWhatItHolds) {
  for (const Integrator integrator : kIntegrators) {
    for (const double h : {1e-3, 5e-3}) {
      Rollout rollout(gripper(integrator, h, true));
      rollout.step(steps_of(2, h), [&] {
        EXPECT_NEAR(rollout.position(0)[1] + rollout.position(1)[1], 0, 1e-12);
        EXPECT_EQ(rollout.state.joints[2], -rollout.state.joints[0]);
      });
      EXPECT_EQ(rollout.state.status[0] & kFrozen, kOk);
      const double between = rollout.position(2)[1];
      const double force = std::abs(rollout.output.pair_wrench[6 * 1 + 1]);
      std::printf("%d at %.0f ms: object at %.2g m, squeezed by %.4f N\n", static_cast<int>(integrator), 1e3 * h,
                  between, force);
      EXPECT_NEAR(between, 0, 5e-4) << h;
      EXPECT_NEAR(force, 4, 0.05) << h;  // half of the drive's on either side
    }
  }
}

}  // namespace
}  // namespace isopatch::test
