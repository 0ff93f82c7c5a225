// SPDX-License-Identifier: Apache-2.0
//
// The status bit fell_through: what is too heavy for a support, or too fast for a step, comes out on the other side.
#include <gtest/gtest.h>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

/// A block of 1 m on another one that is fixed.
SceneDescription blocks(double mass, double modulus) {
  SceneBuilder scene;
  const Geometry block = make_box("block", {1, 1, 1});
  Body& upper = scene.add("upper", block, pose_at({0.1, 0, 1.05}));
  upper.mass = mass;
  upper.modulus = modulus;
  upper.dissipation = 1;
  Body& lower = scene.add("lower", block);
  lower.modulus = modulus;
  lower.fixed = true;
  return scene.finish();
}

SceneDescription on_half_space(const Geometry& thing, double mass, bool is_rigid, double modulus, double thickness) {
  SceneBuilder scene;
  Body& body = scene.add("thing", thing, pose_at({0, 0, 0.11}));
  body.mass = mass;
  body.modulus = modulus;
  body.rigid = !is_rigid;
  Body& floor = scene.add("floor", make_half_space("floor", thickness));
  floor.rigid = is_rigid;
  floor.modulus = modulus;
  floor.fixed = true;
  return scene.finish();
}

/// Whether the bit was set in any step; the state is as without it.
bool falls(const SceneDescription& scene, int steps) {
  Rollout rollout(scene);
  bool found = false;
  rollout.step(steps, [&] {
    EXPECT_EQ(rollout.state.status[0] & kFrozen, 0u);
    found = found || (rollout.state.status[0] & kFellThrough) != 0;
  });
  return found;
}

TEST(FellThrough, SaysThatABlockIsTooHeavyForTheOneBelow) {
  EXPECT_TRUE(falls(blocks(1000, 1e4), 1000));
  EXPECT_FALSE(falls(blocks(100, 1e4), 1000));
  EXPECT_FALSE(falls(blocks(1000, 1e6), 1000));
}

TEST(FellThrough, IsOfAnyStepOfACall) {
  Rollout rollout(blocks(1000, 1e4));
  rollout.step(1000);
  EXPECT_LT(rollout.position(0)[2], -1);
  EXPECT_EQ(rollout.state.status[0] & kFellThrough, kFellThrough);
  rollout.step(1);
  EXPECT_EQ(rollout.state.status[0] & kFellThrough, 0u);  // far below it is free
}

TEST(FellThrough, IsAtEveryStepBelowAHalfSpace) {
  const Geometry ball = make_sphere("ball", 0.1, 2);
  for (const bool is_rigid : {true, false}) {
    Rollout heavy(on_half_space(ball, 1000, is_rigid, 1e4, 0.1));
    heavy.step(1000);
    EXPECT_LT(heavy.position(0)[2], is_rigid ? 0 : -0.1);
    heavy.step(1);
    EXPECT_EQ(heavy.state.status[0] & kFellThrough, kFellThrough);
    EXPECT_FALSE(falls(on_half_space(ball, 1, is_rigid, 1e5, 0.1), 500));
  }
}

TEST(FellThrough, IsOfWhatIsTooFastForAStep) {
  SceneDescription scene = blocks(0.01, 1e5);
  scene.geometries[0] = make_box("chip", {0.02, 0.02, 0.02});
  scene.geometries[1] = make_box("plate", {1, 1, 0.01});
  scene.bodies[0].velocity = {0, 0, -500, 0, 0, 0};
  EXPECT_TRUE(falls(scene, 20));
}

TEST(FellThrough, IsNotOfWhatPassesBesideOrLiesBelow) {
  SceneDescription beside = blocks(1, 1e6);
  beside.bodies[0].pose = pose_at({1.01, 0, 1});
  EXPECT_FALSE(falls(beside, 600));
  SceneDescription below = blocks(1, 1e6);
  below.bodies[0].pose = pose_at({0, 0, -1.1});
  EXPECT_FALSE(falls(below, 300));
}

/// The centre of a ring that slides down a peg is in the peg.
TEST(FellThrough, IsNotOfARingOnAPeg) {
  SceneBuilder scene;
  Body& ring = scene.add("ring", make_box("side", {0.03, 0.12, 0.03}), pose_at({0, 0, 0.1}));
  ring.mass = 0.1;
  for (int side = 0; side < 4; ++side) {
    Part& part = ring.parts.emplace_back();
    part.geometry = ring.geometry;
    const double angle = side * 1.5707963267948966;
    part.pose = pose_at({0.05 * std::cos(angle), 0.05 * std::sin(angle), 0}, turn_about({0, 0, 1}, angle));
  }
  Body& peg = scene.add("peg", make_cylinder("peg", 0.03, 0.3, 32));
  peg.rigid = true;
  peg.fixed = true;
  EXPECT_FALSE(falls(scene.finish(), 300));
}

TEST(FellThrough, IsNotOfPairsThatAreMasked) {
  Rollout rollout(blocks(1, 1e6));
  const std::uint8_t none = 0;
  RolloutInput input;
  input.pair_mask = &none;
  for (int i = 0; i < 800; ++i) {
    rollout.step(1, input);
    ASSERT_EQ(rollout.state.status[0], kOk);
  }
  EXPECT_LT(rollout.position(0)[2], -1);
}

}  // namespace
}  // namespace isopatch::test
