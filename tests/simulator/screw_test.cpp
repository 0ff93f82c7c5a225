// SPDX-License-Identifier: Apache-2.0
//
// A nut on a bolt under gravity: it turns down at the lead of the thread, or the thread locks.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kLead = 2.5e-3;  // m a turn, of M20 x 2.5

/// The flanks are polygons between the corners on the exact helices. Nut and bolt have different numbers of them: as
/// many on both would fit each other at some angles only, and lock there.
SceneDescription nut_on_bolt(double friction, double spin) {
  SceneBuilder scene;
  Nut nut;
  nut.segments = 36;
  Bolt bolt;
  bolt.segments = 48;
  bolt.thread.clearance = 2e-4;
  Body& moving = scene.add("nut", make_nut("nut", nut), pose_at({0, 0, 0.014925}));
  moving.modulus = 1e6;
  moving.dissipation = 0.5;
  moving.friction = friction;
  moving.density = 7800;
  moving.velocity = {0, 0, spin * kLead / (2 * M_PI), 0, 0, spin};
  Body& fixed = scene.add("bolt", make_surface_mesh("bolt", make_bolt_surface(bolt)));
  fixed.rigid = true;
  fixed.fixed = true;
  fixed.friction = friction;
  scene.description.contact.slip_tolerance = 1e-5;
  return scene.finish();
}

struct Turned {
  double spin, speed;  // rad/s, m/s
};

/// After so many steps from 0.3 rad/s downward.
Turned turn(double friction, int steps) {
  Rollout rollout(nut_on_bolt(friction, -0.3), 1, Precision::kFloat);
  rollout.step(steps);
  EXPECT_EQ(rollout.state.status[0] & (kFrozen | kNotConverged), kOk);
  return {rollout.angular_velocity(0)[2], rollout.velocity(0)[2]};
}

TEST(Screw, NutTurnsDownAtTheLead) {
  const Turned found = turn(0.02, 60);
  EXPECT_LT(found.spin, -0.6);
  EXPECT_NEAR(found.speed, found.spin * kLead / (2 * M_PI), 0.025 * std::fabs(found.speed));
  std::printf("spin %.4f rad/s, speed over that of the lead %.4f\n", found.spin,
              found.speed / (found.spin * kLead / (2 * M_PI)));
}

/// With flanks of 60 degrees at a friction of tan(lead angle) cos(30 degrees) = 0.0375.
TEST(Screw, NutLocksBetweenTwoFrictions) {
  const Turned loose = turn(0.034, 120), locked = turn(0.042, 120);
  std::printf("friction .034: %.4f rad/s, .042: %.2g rad/s\n", loose.spin, locked.spin);
  EXPECT_LT(loose.spin, -0.4);
  EXPECT_GT(locked.spin, -0.005);
}

}  // namespace
}  // namespace isopatch::test
