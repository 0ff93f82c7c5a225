// SPDX-License-Identifier: Apache-2.0
//
// Steps of rigid polytopes: rest, seams, friction, spins, and what they share a scene with.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "tests/simulator/polytope/polytope_pour.h"

namespace isopatch::test {
namespace {

using std::numbers::pi;

constexpr double kGravity = 9.81;

/// The largest change of a body's velocity in a step.
double change(const Rollout& rollout, int body, const Vector& v, const Vector& w) {
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    largest = std::max(
        {largest, std::abs(rollout.velocity(body)[k] - v[k]), std::abs(rollout.angular_velocity(body)[k] - w[k])});
  }
  return largest;
}

struct PolytopeSteps : ::testing::TestWithParam<Integrator> {
  PolytopeScene scene;

  Rollout start(double h) {
    scene.description.rollout.time_step = h;
    scene.description.rollout.integrator = GetParam();
    return Rollout(scene.finish());
  }
  /// The largest change of velocity in so many steps.
  double glide(int steps, double h, bool is_flat) {
    if (!is_flat) scene.description.rollout.gravity = {0, 0, -kGravity};
    Rollout rollout = start(h);
    const Vector v = rollout.velocity(0), w = rollout.angular_velocity(0);
    double largest = 0;
    rollout.step(steps, [&] {
      EXPECT_EQ(rollout.state.status[0], kOk) << status_text(rollout.state.status[0]);
      largest = std::max(largest, change(rollout, 0, v, w));
    });
    return largest;
  }
};

INSTANTIATE_TEST_SUITE_P(Integrators, PolytopeSteps, ::testing::Values(Integrator::kMidpoint, Integrator::kEuler),
                         [](const auto& of) { return of.param == Integrator::kMidpoint ? "Midpoint" : "Euler"; });

TEST_P(PolytopeSteps, ASquareGlidesOverASeam) {
  scene.add_polygon("square", rectangle(-0.1, -0.1, 0.1, 0.1), pose_at({-0.15, 0.1, 0})).velocity = {1, 0, 0, 0, 0, 0};
  scene.add_fixed_polygon("left", rectangle(-2, -1, 0, 0));
  scene.add_fixed_polygon("right", rectangle(0, -1, 2, 0));
  EXPECT_LT(glide(40, 0.01, true), 1e-12);
}

TEST_P(PolytopeSteps, ASquareGlidesOverTiles) {
  scene.add_polygon("square", rectangle(-0.1, -0.1, 0.1, 0.1), pose_at({-0.15, 0.1, 0})).velocity = {1, 0, 0, 0, 0, 0};
  for (int i = 0; i < 16; ++i) {
    const double x = -0.3 + 0.05 * i;
    scene.add_fixed_polygon("tile " + std::to_string(i), rectangle(x, -0.1, x + 0.05, 0));
  }
  EXPECT_LT(glide(40, 0.01, true), 1e-12);
}

TEST_P(PolytopeSteps, ACubeGlidesOverAJunction) {
  for (const double spin : {0.0, 2.0}) {
    scene = PolytopeScene();
    scene.add_solid("cube", make_box("cube", {0.2, 0.2, 0.2}), pose_at({-0.15, 0, 0.1}, turn_about({0, 0, 1}, 0.3)))
        .velocity = {1, 0.2, 0, 0, 0, spin};
    scene.add_fixed_solid("left", make_box("left", {2, 2, 1}), pose_at({-1, 0, -0.5}));
    scene.add_fixed_solid("near", make_box("near", {2, 1.03, 1}), pose_at({1, -0.485, -0.5}));
    scene.add_fixed_solid("far", make_box("far", {2, 0.97, 1}), pose_at({1, 0.515, -0.5}));
    EXPECT_LT(glide(40, 0.01, false), 1e-12) << spin;
  }
}

TEST_P(PolytopeSteps, AFloorOfSeveralPartsIsOneOfSeveralBodies) {
  const auto take = [&](bool one_body) {
    PolytopeScene of;
    Body& cube =
        of.add_solid("cube", make_box("cube", {0.2, 0.2, 0.2}), pose_at({-0.15, 0, 0.2}, turn_about({1, 2, 3}, 1)));
    cube.velocity = {1, 0.2, 0, 3, -2, 5};
    const Vector sizes[] = {{2, 2, 1}, {2, 1.03, 1}, {2, 0.97, 1}},
                 places[] = {{-1, 0, -0.5}, {1, -0.485, -0.5}, {1, 0.515, -0.5}};
    for (int i = 0; i < 3; ++i) {
      const std::string name = "floor " + std::to_string(i);
      const auto index = static_cast<std::size_t>(i);
      if (!one_body || i == 0) {
        of.add_fixed_solid(name, make_box(name, sizes[index]), one_body ? pose_at({0, 0, 0}) : pose_at(places[index]));
      } else {
        of.description.geometries.push_back(make_box(name, sizes[index]));
      }
      if (!one_body) continue;
      Part part;
      part.geometry = 1 + i;
      part.pose = pose_at(places[index]);
      of.description.bodies[1].parts.push_back(part);
    }
    of.description.rollout.time_step = 0.005;
    of.description.rollout.integrator = GetParam();
    Rollout rollout(of.finish());
    rollout.step(100);
    EXPECT_EQ(rollout.state.status[0], kOk);
    return rollout.state.poses;
  };
  const std::vector<double> bodies = take(false), parts = take(true);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(bodies[i], parts[i], 1e-9) << i;
}

TEST_P(PolytopeSteps, StacksStay) {
  for (const double offset : {0.0, 0.02}) {
    scene = PolytopeScene();
    for (int i = 0; i < 10; ++i) {
      scene
          .add_solid("cube " + std::to_string(i), make_box("cube", {0.1, 0.1, 0.1}),
                     pose_at({i % 2 * offset, 0, 0.05 + 0.1 * i}, turn_about({0, 0, 1}, i % 3 == 2 ? pi / 4 : 0)))
          .density = 1000;
    }
    scene.add_ground();
    scene.description.rollout.gravity = {0, 0, -kGravity};
    Rollout rollout = start(0.01);
    const std::vector<double> begin = rollout.state.poses;
    rollout.step(200);
    EXPECT_EQ(rollout.state.status[0], kOk);
    for (int i = 0; i < 10; ++i) {
      EXPECT_LT(length(rollout.velocity(i)) + length(rollout.angular_velocity(i)), 1e-10) << offset << ", cube " << i;
    }
    for (std::size_t i = 0; i < 70; ++i) EXPECT_NEAR(rollout.state.poses[i], begin[i], 1e-12) << offset;
    double force = 0;
    for (std::size_t p = 0; p < rollout.output.pair_wrench.size() / 6; ++p) {
      const auto& pair = (*rollout.simulator.scene().description().pairs)[p];
      if (pair.b == 10) force += rollout.output.pair_wrench[6 * p + 2];
    }
    EXPECT_NEAR(force, 10 * kGravity, 1e-8);
  }
}

/// A closed form: it slides with the difference of weight and friction along the slope, or stays.
TEST_P(PolytopeSteps, ASquareOnASlope) {
  const double angle = 20 * pi / 180, time = 0.5;
  for (const double friction : {0.0, 0.3, 0.35, 0.38, 0.5}) {
    scene = PolytopeScene();
    const Point2 along = {std::cos(angle), -std::sin(angle)}, up = {std::sin(angle), std::cos(angle)};
    scene
        .add_polygon("square", rectangle(-0.5, -0.5, 0.5, 0.5),
                     pose_at({0.5 * up[0], 0.5 * up[1], 0}, turn_about({0, 0, 1}, -angle)))
        .friction = friction;
    Body& slope = scene.add_fixed_polygon("slope", rectangle(-10, -1, 10, 0));
    slope.pose = pose_at({0, 0, 0}, turn_about({0, 0, 1}, -angle));
    slope.friction = friction;
    Rollout rollout = start(0.01);
    rollout.step(static_cast<int>(time / 0.01));
    const Vector v = rollout.velocity(0);
    const double speed = v[0] * along[0] + v[1] * along[1], lift = v[0] * up[0] + v[1] * up[1];
    const double expected = std::max(0.0, kGravity * (std::sin(angle) - friction * std::cos(angle)) * time);
    EXPECT_NEAR(speed, expected, 0.01 * expected + 1e-3) << friction;
    EXPECT_LT(std::abs(lift), 1e-9) << friction;
    EXPECT_LT(std::abs(rollout.angular_velocity(0)[2]), 1e-9) << friction;
  }
}

/// Pens, plates and bricks that are thrown into a box of steel: no step gains energy but by rounding.
TEST_P(PolytopeSteps, ThrownBodiesGainNoEnergy) {
  const Vector sizes[] = {{0.01, 0.01, 0.15}, {0.1, 0.08, 0.004}, {0.2, 0.1, 0.06}};
  std::mt19937 random(5);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 12; ++trial) {
    scene = PolytopeScene();
    Body& body = scene.add_solid("body", make_box("body", sizes[trial % 3]),
                                 pose_at({0, 0, 0.3}, turn_about({uniform(-1, 1), uniform(-1, 1), 1}, uniform(-3, 3))));
    body.density = 7800;
    const double spin = uniform(5, 50);
    body.velocity = {uniform(-1, 1),        uniform(-1, 1),        uniform(-1, 1),
                     spin * uniform(-1, 1), spin * uniform(-1, 1), spin};
    scene.add_ground();
    scene.description.rollout.gravity = {0, 0, -kGravity};
    const double h[] = {1e-3, 5e-3, 1e-2};
    Rollout rollout = start(h[trial / 4]);
    rollout.step(1);
    const double begin = rollout.energy();
    double most = begin, gains = 0, last = begin;
    rollout.step(static_cast<int>(1.0 / h[trial / 4]), [&] {
      ASSERT_EQ(rollout.state.status[0] & kFrozen, 0u);
      most = std::max(most, rollout.energy());
      gains += std::max(0.0, rollout.energy() - last);
      last = rollout.energy();
    });
    EXPECT_LT(most, begin + 1e-3 * std::abs(begin)) << trial << ", gains " << gains << " of " << begin;
  }
}

/// Fingers of steel on sliding joints hold a bar of steel as far as friction goes: else it falls with what is left.
TEST_P(PolytopeSteps, AGripHoldsOrSlips) {
  for (const double friction : {0.3, 0.2}) {
    scene = PolytopeScene();
    Body& bar = scene.add_solid("bar", make_box("bar", {0.02, 0.02, 0.6}));
    bar.density.reset();
    bar.mass = 0.5;
    bar.friction = friction;
    for (const double side : {-1.0, 1.0}) {
      Body& finger = scene.add_solid(side < 0 ? "left" : "right", make_box("finger", {0.02, 0.01, 0.02}),
                                     pose_at({0, side * 0.015, 0}));
      finger.density.reset();
      finger.mass = 0.1;
      finger.friction = friction;
      finger.motion.type = MotionType::kPrismatic;
      finger.motion.axis = {0, -side, 0};
      finger.motion.drive.force = {{0, 10}};
    }
    scene.description.rollout.gravity = {0, 0, -kGravity};
    Rollout rollout = start(0.005);
    rollout.step(100);
    EXPECT_EQ(rollout.state.status[0], kOk) << status_text(rollout.state.status[0]);
    const double left = kGravity - 2 * friction * 10 / 0.5, expected = left > 0 ? -left * 0.5 : 0;
    EXPECT_NEAR(rollout.velocity(0)[2], expected, 0.01 * std::abs(expected) + 1e-3) << friction;
    EXPECT_LT(std::abs(rollout.position(0)[1]), 1e-9);
    EXPECT_NEAR(rollout.output.pair_wrench[1] + rollout.output.pair_wrench[7], 0, 1e-6);
  }
}

/// A bar of steel with a soft tip stands on steel with both, in one solve.
TEST_P(PolytopeSteps, ASoftTipBearsBesideSteel) {
  Body& bar = scene.add_solid("bar", make_box("bar", {0.04, 0.04, 0.1}), pose_at({0, 0, 0.0515}));
  bar.density.reset();
  bar.mass = 1;
  scene.description.geometries.push_back(make_sphere("tip", 0.01, 1));
  Part steel, tip;
  steel.geometry = 0;
  tip.geometry = 1;
  tip.pose = pose_at({0, 0, -0.041});
  tip.rigid = false;
  tip.modulus = 1e6;
  tip.dissipation = 20;
  bar.parts = {steel, tip};
  scene.add_fixed_solid("table", make_box("table", {0.2, 0.2, 0.1}), pose_at({0, 0, -0.05}));
  scene.description.rollout.gravity = {0, 0, -kGravity};
  Rollout rollout = start(0.002);
  rollout.step(1500);
  EXPECT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
  EXPECT_NEAR(rollout.output.pair_wrench[2], kGravity, 1e-6);
  EXPECT_NEAR(rollout.position(0)[2], 0.05, 1e-9);

  ResultArrays results(rollout.simulator.scene(), 1, {});
  State state;
  state.num_environments = 1;
  state.poses = rollout.state.poses.data();
  Evaluator(rollout.simulator.scene()).evaluate(state, results.view());
  EXPECT_GT(results.pair_wrench[2], 0.1);
  EXPECT_LT(results.pair_wrench[2], kGravity - 0.1);
}

TEST_P(PolytopeSteps, WallsThatCrushABodyAreAFault) {
  scene.add_solid("cube", make_box("cube", {0.1, 0.1, 0.1}));
  for (const double side : {-1.0, 1.0}) {
    Body& wall =
        scene.add_solid(side < 0 ? "left" : "right", make_box("wall", {0.1, 1, 1}), pose_at({side * 0.11, 0, 0}));
    wall.motion.type = MotionType::kPrescribed;
    wall.velocity = {-side, 0, 0, 0, 0, 0};
  }
  scene.description.rollout.gravity = {0, 0, 0};
  Rollout rollout = start(0.005);
  rollout.step(1);
  EXPECT_EQ(rollout.state.status[0], kOk);
  rollout.step(10);
  EXPECT_EQ(rollout.state.status[0], kNoStep | kFrozen) << status_text(rollout.state.status[0]);
}

TEST_P(PolytopeSteps, TooSmallACapacityIsAFault) {
  scene.add_solid("cube", make_box("cube", {0.1, 0.1, 0.1}), pose_at({0, 0, 0.05}));
  scene.add_ground();
  scene.description.rollout.gravity = {0, 0, -kGravity};
  scene.description.rollout.relation_capacity = 1;
  Rollout rollout = start(0.005);
  const std::vector<double> before = rollout.state.poses;
  rollout.step(1);
  EXPECT_EQ(rollout.state.status[0], kStepCapacity | kFrozen);
  EXPECT_EQ(rollout.state.poses, before);
}

/// Threads, batches and the order in them change no bit; a fault stays in its environment.
TEST_P(PolytopeSteps, BitsAreTheEnvironmentsOwn) {
  std::mt19937 random(11);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int i = 0; i < 4; ++i) {
    Body& body = scene.add_solid("body " + std::to_string(i), make_box("box", {0.1, 0.08, 0.03 + 0.02 * i}),
                                 pose_at({0.03 * i, 0.02, 0.1 + 0.12 * i}, turn_about({1, 2, 1.0 + i}, 0.5)));
    body.density = 1000;
    body.friction = 0.3;
  }
  scene.add_ground(0.5);
  scene.description.rollout.gravity = {0, 0, -kGravity};
  scene.description.rollout.time_step = 0.005;
  scene.description.rollout.integrator = GetParam();
  const Scene made(scene.finish());
  constexpr std::int64_t kCount = 7;
  Rollout first(Simulator(made, {.num_threads = 1}), kCount);
  for (std::int64_t e = 0; e < kCount; ++e) {
    for (int i = 0; i < 4; ++i) first.state.velocities[static_cast<std::size_t>(6 * (5 * e + i) + 2)] = uniform(-3, 3);
  }
  const std::vector<std::int64_t> order = {6, 2, 2, 0, 5, 3, 1, 4};
  Rollout other(Simulator(made, {.num_threads = 2}), 1);
  other.state = chosen(first.state, order);
  other.output = RolloutOutputArrays(made, static_cast<std::int64_t>(order.size()));
  other.state.poses[7 * 5 * 2] = std::numeric_limits<double>::quiet_NaN();
  first.step(50);
  other.step(20);
  other.step(30);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 2) {
      EXPECT_EQ(other.state.status[k], kBadPose | kFrozen);
      continue;
    }
    const auto e = static_cast<std::size_t>(order[k]);
    EXPECT_EQ(first.state.status[e] & kFrozen, 0u);
    EXPECT_TRUE(same_bytes(&first.state.poses[35 * e], &other.state.poses[35 * k], 35 * sizeof(double))) << k;
    EXPECT_TRUE(same_bytes(&first.state.velocities[30 * e], &other.state.velocities[30 * k], 30 * sizeof(double))) << k;
  }
}

}  // namespace
}  // namespace isopatch::test
