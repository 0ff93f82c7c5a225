// SPDX-License-Identifier: Apache-2.0
//
// Steps of rigid polytopes: rest, seams, friction, spins, and what they share a scene with.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "tests/simulator/polytope_pour.h"

namespace isopatch::test {
namespace {

using std::numbers::pi;

constexpr double kGravity = 9.81;

/// The largest change of a body's velocity in a step.
double change(const Rollout& rollout, int body, const Vector& v, const Vector& w) {
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    largest = std::max({largest, std::abs(rollout.velocity(body)[k] - v[k]),
                        std::abs(rollout.angular_velocity(body)[k] - w[k])});
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
                         [](const auto& info) { return info.param == Integrator::kMidpoint ? "Midpoint" : "Euler"; });

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
    Body& cube = of.add_solid("cube", make_box("cube", {0.2, 0.2, 0.2}), pose_at({-0.15, 0, 0.2}, turn_about({1, 2, 3}, 1)));
    cube.velocity = {1, 0.2, 0, 3, -2, 5};
    cube.friction = 0.4;
    const Vector sizes[] = {{2, 2, 1}, {2, 1.03, 1}, {2, 0.97, 1}},
                 places[] = {{-1, 0, -0.5}, {1, -0.485, -0.5}, {1, 0.515, -0.5}};
    for (int i = 0; i < 3; ++i) {
      const std::string name = "floor " + std::to_string(i);
      const auto index = static_cast<std::size_t>(i);
      if (!one_body || i == 0) {
        Body& part = of.add_fixed_solid(name, make_box(name, sizes[index]), one_body ? pose_at({0, 0, 0}) : pose_at(places[index]));
        part.friction = 0.4;
      } else {
        of.description.geometries.push_back(make_box(name, sizes[index]));
      }
      if (!one_body) continue;
      Part part;
      part.geometry = 1 + i;
      part.pose = pose_at(places[index]);
      part.friction = 0.4;
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
      scene.add_solid("cube " + std::to_string(i), make_box("cube", {0.1, 0.1, 0.1}),
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
    scene.add_polygon("square", rectangle(-0.5, -0.5, 0.5, 0.5),
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
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int trial = 0; trial < 12; ++trial) {
    scene = PolytopeScene();
    Body& body = scene.add_solid("body", make_box("body", sizes[trial % 3]),
                                 pose_at({0, 0, 0.3}, turn_about({uniform(-1, 1), uniform(-1, 1), 1}, uniform(-3, 3))));
    body.density = 7800;
    const double spin = uniform(5, 50);
    body.velocity = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), spin * uniform(-1, 1), spin * uniform(-1, 1), spin};
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
    const double kinetic = std::abs(begin);
    EXPECT_LT(most, begin + 1e-3 * kinetic) << trial << ", gains " << gains << " of " << begin;
  }
}

}  // namespace
}  // namespace isopatch::test
