// SPDX-License-Identifier: Apache-2.0
//
// Rigid polytopes on joints of bodies that move: what a chain of joints lets move as a body on none, arms that grip
// steel, chains on what a program moves, and robots that are thrown.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/simulator/polytope/polytope_bodies.h"
#include "tests/support/paths/paths.h"
#include "tests/support/tree_scenes.h"

namespace isopatch::test {
namespace {

constexpr double kGravity = 9.81;

struct PolytopeTrees : ::testing::TestWithParam<Integrator> {
  PolytopeScene scene;

  Rollout start(double h) const {
    SceneDescription description = scene.description;
    description.rollout.time_step = h;
    description.rollout.integrator = GetParam();
    return Rollout(description);
  }
  /// Pairs of these bodies alone.
  void touch(const std::vector<std::array<int, 2>>& bodies) {
    std::vector<Pair>& pairs = scene.description.pairs.emplace();
    for (const auto& [a, b] : bodies) {
      pairs.emplace_back();
      pairs.back().a = a;
      pairs.back().b = b;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Integrators, PolytopeTrees, ::testing::Values(Integrator::kMidpoint, Integrator::kEuler),
                         [](const auto& of) { return of.param == Integrator::kMidpoint ? "Midpoint" : "Euler"; });

/// Two light sleds and a turntable carry a prism: it lands and slides as a polygon of its own does.
TEST_P(PolytopeTrees, AChainThatLetsAPrismMoveInAPlaneIsAPlanarBody) {
  std::mt19937 random(3);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 6; ++trial) {
    const double x = uniform(-0.5, 0.5), y = uniform(0.2, 0.4), angle = uniform(-3, 3), spin = uniform(-20, 20),
                 vx = uniform(-2, 2), vy = uniform(-2, 0), friction = trial % 2 == 0 ? 0 : 0.3,
                 h = trial % 3 == 0 ? 0.002 : 0.01;
    const auto floor_of = [&](double from, double to) {
      const std::string name = "floor from " + std::to_string(from);
      scene.add_fixed_polygon(name, rectangle(from, -1, to, 0)).friction = friction;
    };
    scene = PolytopeScene();
    Body& square = scene.add_polygon("square", rectangle(-0.1, -0.05, 0.1, 0.05),
                                     pose_at({x, y, 0}, turn_about({0, 0, 1}, angle)));
    square.density = 1000;
    square.friction = friction;
    square.velocity = {vx, vy, 0, 0, 0, spin};
    floor_of(-5, 0);
    floor_of(0, 5);
    touch({{0, 1}, {0, 2}});
    Rollout alone = start(h);

    scene = PolytopeScene();
    scene.description.rollout.gravity = {0, -kGravity, 0};
    const double mass = 1000 * 0.02, turning = mass * (0.04 + 0.01) / 12;
    add_link(scene, "sled x", std::nullopt, MotionType::kPrismatic, {1, 0, 0}, {}, {0, 0, 0}, {0.01, 0.01, 0.01}, 1e-9)
        .motion.position = x;
    add_link(scene, "sled y", 0, MotionType::kPrismatic, {0, 1, 0}, {}, {0, 0, 0}, {0.01, 0.01, 0.01}, 1e-9)
        .motion.position = y;
    Body& plate = scene.add_solid("plate", make_box("plate", {0.2, 0.1, 0.1}));
    plate.density.reset();
    plate.mass = mass;
    plate.inertia = std::array<double, 6>{turning, turning, turning, 0, 0, 0};
    plate.friction = friction;
    plate.motion.type = MotionType::kRevolute;
    plate.motion.parent = 1;
    plate.motion.axis = {0, 0, 1};
    plate.motion.anchor = {0, 0, 0};
    plate.motion.position = angle;
    plate.motion.velocity = spin;
    scene.description.bodies[0].motion.velocity = vx;
    scene.description.bodies[1].motion.velocity = vy;
    for (const double side : {-1.0, 1.0}) {
      scene.add_fixed_solid("floor", make_box("floor", {5, 1, 1}), pose_at({2.5 * side, -0.5, 0})).friction = friction;
      scene.description.bodies.back().name += side < 0 ? " left" : " right";
    }
    touch({{2, 3}, {2, 4}});
    Rollout carried = start(h);
    for (int i = 0; i < 60; ++i) {
      alone.step();
      carried.step();
      ASSERT_EQ(alone.state.status[0] & kFrozen, 0u);
      ASSERT_EQ(carried.state.status[0] & kFrozen, 0u) << status_text(carried.state.status[0]);
      ASSERT_NEAR(carried.state.joints[0], alone.position(0)[0], 1e-5) << trial << ", step " << i;
      ASSERT_NEAR(carried.state.joints[2], alone.position(0)[1], 1e-5) << trial << ", step " << i;
      ASSERT_NEAR(carried.state.joints[5], alone.angular_velocity(0)[2], 1e-3) << trial << ", step " << i;
    }
  }
}

/// What a gantry lets down glides over a seam.
TEST_P(PolytopeTrees, WhatAGantryCarriesGlidesOverASeam) {
  add_link(scene, "beam", std::nullopt, MotionType::kPrismatic, {1, 0, 0}, {}, {0, 0, 1}, {0.1, 0.1, 0.1}, 2)
      .motion.velocity = 1;
  Body& cube = scene.add_solid("cube", make_box("cube", {0.2, 0.2, 0.2}), pose_at({-0.15, 0, 0.1}));
  cube.density = 1000;
  cube.motion.type = MotionType::kPrismatic;
  cube.motion.parent = 0;
  cube.motion.axis = {0, 0, 1};
  scene.add_fixed_solid("left", make_box("left", {2, 2, 1}), pose_at({-1, 0, -0.5}));
  scene.add_fixed_solid("right", make_box("right", {2, 2, 1}), pose_at({1, 0, -0.5}));
  touch({{1, 2}, {1, 3}});
  scene.description.rollout.gravity = {0, 0, -kGravity};
  Rollout rollout = start(0.01);
  rollout.step(40, [&] {
    ASSERT_EQ(rollout.state.status[0], kOk) << status_text(rollout.state.status[0]);
    EXPECT_NEAR(rollout.state.joints[1], 1, 1e-12);
    EXPECT_NEAR(rollout.state.joints[3], 0, 1e-12);
  });
  EXPECT_NEAR(rollout.output.pair_wrench[2] + rollout.output.pair_wrench[8], 8 * kGravity, 1e-8);
}

/// The arm of six links whose fingers, one following the other, are of steel as its bar: it lifts the bar where
/// friction bears the weight, and leaves it where it does not.
TEST_P(PolytopeTrees, AnArmLiftsABarOfSteel) {
  for (const double friction : {0.8, 0.2}) {
    SceneDescription description = read_scene(source_path("bench/scenes/arm_lifts.json"));
    std::vector<Body>& bodies = description.bodies;
    const auto index_of = [&](const std::string& name) {
      int at = 0;
      while (bodies[static_cast<std::size_t>(at)].name != name) ++at;
      return at;
    };
    for (const char* name : {"left", "right", "bar"}) {
      Body& body = bodies[static_cast<std::size_t>(index_of(name))];
      body.rigid = true;
      body.modulus = Body{}.modulus;
      body.dissipation = Body{}.dissipation;
      body.friction = friction;
    }
    description.contact.model = ContactModel::kPolytope;
    description.rollout.integrator = GetParam();
    Rollout rollout(description);
    const int bar = index_of("bar"), palm = index_of("palm");
    const double before = rollout.position(bar)[2];
    rollout.step(static_cast<int>(std::lround(description.rollout.duration / description.rollout.time_step)));
    EXPECT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
    const double lift = rollout.position(bar)[2] - before;
    if (friction > 0.5) {
      EXPECT_GT(lift, 0.1);
      EXPECT_LT(length(rollout.velocity(bar)), 1e-3);
      EXPECT_NEAR(rollout.position(bar)[0], rollout.position(palm)[0], 0.01);
    } else {
      EXPECT_NEAR(lift, 0, 2e-3);
    }
  }
}

/// Two links on a cart that a program drives push a cube along the floor: it keeps the cart's pace.
TEST_P(PolytopeTrees, AChainOnACartPushesACube) {
  Body& cart = scene.add_fixed_solid("cart", make_box("cart", {0.1, 0.1, 0.1}), pose_at({0, 0, 0.5}));
  cart.fixed = false;
  cart.motion.type = MotionType::kPrescribed;
  cart.velocity = {0.5, 0, 0, 0, 0, 0};
  Body& upper =
      add_link(scene, "upper", 0, MotionType::kRevolute, {0, 1, 0}, {0, 0, 0.5}, {0, 0, 0.4}, {0.04, 0.04, 0.2}, 0.5);
  upper.motion.drive = {.stiffness = 500, .damping = 20};
  Body& tip = scene.add_solid("tip", make_box("tip", {0.04, 0.04, 0.28}), pose_at({0, 0, 0.16}));
  tip.density.reset();
  tip.mass = 0.5;
  tip.motion.type = MotionType::kRevolute;
  tip.motion.parent = 1;
  tip.motion.axis = {0, 1, 0};
  tip.motion.anchor = {0, 0, 0.3};
  tip.motion.drive = {.stiffness = 500, .damping = 20};
  Body& cube = scene.add_solid("cube", make_box("cube", {0.1, 0.1, 0.1}), pose_at({0.1, 0, 0.05}));
  cube.density = 1000;
  cube.friction = 0.2;
  scene.add_ground(0.2);
  touch({{2, 3}, {3, 4}});
  scene.description.rollout.gravity = {0, 0, -kGravity};
  Rollout rollout = start(0.005);
  rollout.step(400);
  EXPECT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
  EXPECT_NEAR(rollout.velocity(3)[0], 0.5, 1e-3);
  EXPECT_GT(rollout.position(3)[0], 1.02);
  EXPECT_NEAR(rollout.output.pair_wrench[0], -0.2 * kGravity, 1e-2);
}

/// Bricks with links on hinges, thrown onto steel: none gains energy.
TEST_P(PolytopeTrees, ThrownChainsGainNoEnergy) {
  std::mt19937 random(9);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 6; ++trial) {
    scene = PolytopeScene();
    Body& root = scene.add_solid("root", make_box("root", {0.2, 0.1, 0.06}), pose_at({0, 0, 0.4}));
    root.density = 1000;
    root.velocity = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-20, 20), uniform(-20, 20), 0};
    for (const double side : {-1.0, 1.0}) {
      Body& link = scene.add_solid(side < 0 ? "left" : "right", make_box("link", {0.16, 0.05, 0.04}),
                                   pose_at({side * 0.18, 0, 0.4}));
      link.density = 1000;
      link.motion.type = MotionType::kRevolute;
      link.motion.parent = 0;
      link.motion.axis = {0, 1, 0.3};
      link.motion.anchor = {side * 0.1, 0, 0.4};
      link.motion.velocity = uniform(-20, 20);
    }
    scene.add_ground();
    touch({{0, 3}, {1, 3}, {2, 3}});
    scene.description.rollout.gravity = {0, 0, -kGravity};
    const double h[] = {1e-3, 5e-3, 1e-2};
    Rollout rollout = start(h[trial % 3]);
    rollout.step(1);
    const double begin = rollout.energy();
    double most = begin;
    rollout.step(static_cast<int>(1.0 / h[trial % 3]), [&] {
      ASSERT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
      most = std::max(most, rollout.energy());
    });
    EXPECT_LT(most, begin + 1e-3 * std::abs(begin)) << trial;
  }
}

/// A cube between a jaw and one that follows it at half the pace: both bear the same force, twice and half as far.
TEST_P(PolytopeTrees, FollowersGoAsFarAsTheyShould) {
  Body& cube = scene.add_solid("cube", make_box("cube", {0.1, 0.1, 0.1}));
  cube.density = 1000;
  for (const double side : {-1.0, 1.0}) {
    Body& jaw =
        scene.add_solid(side < 0 ? "left" : "right", make_box("jaw", {0.02, 0.1, 0.1}), pose_at({side * 0.1, 0, 0}));
    jaw.density.reset();
    jaw.mass = 0.2;
    jaw.motion.type = MotionType::kPrismatic;
    jaw.motion.axis = {-side, 0, 0};
    if (side < 0) jaw.motion.drive.force = {{0, 5}};
    if (side > 0) jaw.motion.mimic = Mimic{1, 0.5, 0};
  }
  touch({{0, 1}, {0, 2}});
  scene.description.rollout.gravity = {0, 0, 0};
  Rollout rollout = start(0.005);
  rollout.step(200);
  EXPECT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
  const double closed = (0.1 - 0.01 - 0.05) * 2;  // both gaps
  EXPECT_NEAR(1.5 * rollout.state.joints[0], closed, 1e-9);
  EXPECT_NEAR(rollout.state.joints[2], 0.5 * rollout.state.joints[0], 1e-12);
  EXPECT_NEAR(rollout.position(1)[0] + 0.06, rollout.position(0)[0], 1e-9);
  EXPECT_NEAR(rollout.position(2)[0] - 0.06, rollout.position(0)[0], 1e-9);
}

/// Bricks that a weld or a hinge holds together are thrown onto steel: it holds, and none gains energy.
TEST_P(PolytopeTrees, LoopsHoldBricksThatAreThrown) {
  std::mt19937 random(13);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 6; ++trial) {
    scene = PolytopeScene();
    const double spin = uniform(-10, 10), vz = uniform(-2, 0);
    for (const double side : {-1.0, 1.0}) {
      Body& brick = scene.add_solid(side < 0 ? "left" : "right", make_box("brick", {0.2, 0.1, 0.06}),
                                    pose_at({side * 0.1, 0, 0.3}));
      brick.density = 1000;
      brick.friction = 0.4;
      brick.velocity = {0.5, 0, vz - spin * side * 0.1, 0, spin, 0};
    }
    const LoopType type = trial % 2 == 0 ? LoopType::kWeld : LoopType::kHinge;
    scene.description.loops = {{type, 0, 1, {0, 0, 0.3}, {0, trial % 2 == 0 ? 0.0 : 1.0, 0}}};
    scene.add_ground(trial < 3 ? 0 : 0.4);
    touch({{0, 2}, {1, 2}});
    scene.description.rollout.gravity = {0, 0, -kGravity};
    const double h[] = {1e-3, 2e-3, 5e-3};
    Rollout rollout = start(h[trial % 3]);
    rollout.step(1);
    const double begin = rollout.energy();
    double most = 0;
    const auto gap = [](const Rollout& of) {
      return length({of.output.loop_gap[0], of.output.loop_gap[1], of.output.loop_gap[2]});
    };
    rollout.step(static_cast<int>(2.0 / h[trial % 3]), [&] {
      ASSERT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
      ASSERT_LT(rollout.energy(), begin + 1e-3 * std::abs(begin)) << trial << ", at " << rollout.time();
      most = std::max(most, gap(rollout));
    });
    EXPECT_LT(most, 5e-4) << trial;  // (h w)^2 r as they land: 5 ms, 14 rad/s, 0.1 m
    EXPECT_LT(gap(rollout), 1e-6) << trial;
    if (trial < 3) continue;  // slides on
    EXPECT_NEAR(rollout.output.pair_wrench[2] + rollout.output.pair_wrench[8], 2 * 1.2 * kGravity, 0.01) << trial;
    EXPECT_LT(length(rollout.velocity(0)), 1e-3) << trial;
  }
}

}  // namespace
}  // namespace isopatch::test
