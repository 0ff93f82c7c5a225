// SPDX-License-Identifier: Apache-2.0
//
// Steps of rigid polytopes do not depend on how a scene is written: which body of a pair is the first, where the
// world's origin is and how it is turned, and whether a plane has polygons or prisms.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/simulator/polytope/polytope_bodies.h"

namespace isopatch::test {
namespace {

using Quaternion = std::array<double, 4>;

Quaternion product(const Quaternion& p, const Quaternion& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}
Vector turned(const Quaternion& q, const Vector& v) {
  const Quaternion r = product(product(q, {0, v[0], v[1], v[2]}), {q[0], -q[1], -q[2], -q[3]});
  return {r[1], r[2], r[3]};
}

/// Another frame of the world.
struct Frame {
  Vector origin = {0, 0, 0};
  Quaternion turn = {1, 0, 0, 0};

  std::array<double, 7> pose(const std::array<double, 7>& of) const {
    const Vector at = turned(turn, {of[0], of[1], of[2]});
    return pose_at({at[0] + origin[0], at[1] + origin[1], at[2] + origin[2]},
                   product(turn, {of[3], of[4], of[5], of[6]}));
  }
  SceneDescription scene(SceneDescription of) const {
    for (Body& body : of.bodies) {
      body.pose = pose(body.pose);
      const Vector v = turned(turn, {body.velocity[0], body.velocity[1], body.velocity[2]}),
                   w = turned(turn, {body.velocity[3], body.velocity[4], body.velocity[5]});
      body.velocity = {v[0], v[1], v[2], w[0], w[1], w[2]};
    }
    of.rollout.gravity = turned(turn, of.rollout.gravity);
    return of;
  }
};

struct PolytopeFrames : ::testing::TestWithParam<Integrator> {
  /// Bricks that are thrown onto a table and onto each other.
  SceneDescription bricks(unsigned seed, double friction) const {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    PolytopeScene scene;
    for (int i = 0; i < 3; ++i) {
      Body& brick = scene.add_solid("brick " + std::to_string(i), make_box("brick", {0.2, 0.1, 0.06 + 0.02 * i}),
                                    pose_at({uniform(-0.1, 0.1), uniform(-0.1, 0.1), 0.15 + 0.25 * i},
                                            turn_about({uniform(-1, 1), uniform(-1, 1), 1}, uniform(-3, 3))));
      brick.density = 1000;
      brick.friction = friction;
      brick.velocity = {uniform(-1, 1),   uniform(-1, 1),   uniform(-3, 0),
                        uniform(-20, 20), uniform(-20, 20), uniform(-20, 20)};
    }
    scene.add_fixed_solid("table", make_box("table", {2, 2, 0.2}), pose_at({0, 0, -0.1})).friction = friction;
    scene.description.rollout.gravity = {0, 0, -9.81};
    return with(scene.finish(), seed % 2 == 0 ? 0.005 : 0.01);
  }
  SceneDescription with(SceneDescription scene, double h) const {
    scene.rollout.time_step = h;
    scene.rollout.integrator = GetParam();
    return scene;
  }
};

INSTANTIATE_TEST_SUITE_P(Integrators, PolytopeFrames, ::testing::Values(Integrator::kMidpoint, Integrator::kEuler),
                         [](const auto& of) { return of.param == Integrator::kMidpoint ? "Midpoint" : "Euler"; });

constexpr int kSteps = 25;

TEST_P(PolytopeFrames, PairsMayBeSwapped) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SceneDescription scene = bricks(seed, seed < 4 ? 0 : 0.4);
    Rollout one(scene);
    for (Pair& pair : *scene.pairs) std::swap(pair.a, pair.b);
    Rollout other(scene);
    one.step(kSteps);
    other.step(kSteps);
    EXPECT_EQ(one.state.status[0] & kFrozen, 0u);
    for (std::size_t i = 0; i < 21; ++i) EXPECT_NEAR(one.state.poses[i], other.state.poses[i], 1e-9) << seed;
    for (std::size_t i = 0; i < one.output.pair_wrench.size(); ++i) {
      if (i % 6 >= 3) continue;  // torques, about other origins
      EXPECT_NEAR(one.output.pair_wrench[i], -other.output.pair_wrench[i], 1e-5) << seed;
    }
  }
}

TEST_P(PolytopeFrames, AWorldMayBeTurnedAndFarAway) {
  std::mt19937 random(17);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const SceneDescription scene = bricks(seed, seed < 4 ? 0 : 0.4);
    Frame near, far;
    near.turn = turn_about({uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, uniform(-3, 3));
    near.origin = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    far.origin = {1e6, -7e5, 3e5};
    Rollout here(scene);
    here.step(12);
    for (const auto& [frame, tolerance] : {std::pair{near, 1e-9}, std::pair{far, 1e-6}}) {
      if (tolerance > 1e-9 && seed >= 4) continue;  // rounding decides what sticks
      Rollout there(frame.scene(scene));
      there.step(12);
      EXPECT_EQ(there.state.status[0] & kFrozen, 0u);
      for (std::size_t body = 0; body < 3; ++body) {
        std::array<double, 7> pose;
        for (std::size_t k = 0; k < 7; ++k) pose[k] = here.state.poses[7 * body + k];
        const std::array<double, 7> expected = frame.pose(pose);
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(there.state.poses[7 * body + k], expected[k], tolerance) << seed << ", " << body;
        }
      }
    }
  }
}

TEST_P(PolytopeFrames, PolygonsArePrismsInAPlane) {
  std::mt19937 random(23);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int trial = 0; trial < 6; ++trial) {
    std::vector<std::array<double, 7>> poses;
    std::vector<std::array<double, 6>> velocities;
    for (int i = 0; i < 2; ++i) {
      poses.push_back(pose_at({uniform(-0.1, 0.1), 0.12 + 0.22 * i, 0}, turn_about({0, 0, 1}, uniform(-3, 3))));
      velocities.push_back({uniform(-1, 1), uniform(-2, 0), 0, 0, 0, uniform(-20, 20)});
    }
    const auto take = [&](bool has_prisms) {
      PolytopeScene scene;
      for (std::size_t i = 0; i < 2; ++i) {
        const std::string name = "body " + std::to_string(i);
        const double height = 0.1 + 0.02 * static_cast<double>(i), mass = 2;
        Body& body = has_prisms ? scene.add_solid(name, make_box(name, {0.2, height, 1 - 0.3 * static_cast<double>(i)}),
                                                  poses[i])
                                : scene.add_polygon(name, rectangle(-0.1, -height / 2, 0.1, height / 2), poses[i]);
        body.motion.type = MotionType::kPlanar;
        body.velocity = velocities[i];
        body.friction = trial % 2 == 0 ? 0 : 0.3;
        body.density.reset();
        body.mass = mass;
        const double turning = mass * (0.04 + height * height) / 12;
        body.inertia = std::array<double, 6>{turning, turning, turning, 0, 0, 0};
      }
      Body& floor = has_prisms ? scene.add_fixed_solid("floor", make_box("floor", {4, 1, 4}), pose_at({0, -0.5, 0}))
                               : scene.add_fixed_polygon("floor", rectangle(-2, -1, 2, 0));
      floor.friction = trial % 2 == 0 ? 0 : 0.3;
      scene.description.rollout.gravity = {0, -9.81, 0};
      scene.description.contact.polytope.margin = 0.01;
      scene.description.contact.polytope.tolerance = 1e-7;
      Rollout rollout(with(scene.finish(), trial % 3 == 0 ? 0.01 : 0.005));
      rollout.step(12);
      EXPECT_EQ(rollout.state.status[0] & kFrozen, 0u) << status_text(rollout.state.status[0]);
      return rollout.state;
    };
    const auto flat = take(false), solid = take(true);
    const double tolerance = trial % 2 == 0 ? 1e-9 : 1e-6;  // friction ends with impulses to eight digits
    for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(flat.poses[i], solid.poses[i], tolerance) << trial << ", " << i;
  }
}

}  // namespace
}  // namespace isopatch::test
