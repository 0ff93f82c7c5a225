// SPDX-License-Identifier: Apache-2.0
//
// Volumetric contact of meshes in steps: it rolls, rests, slides and rebounds as it should.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/paths/paths.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kGravity = 9.81;

SceneDescription on_ground(const Geometry& geometry, double mass, double stiffness, double time_step) {
  SceneBuilder builder;
  Body& body = builder.add("body", geometry);
  body.rigid = true;
  body.mass = mass;
  builder.add_ground();
  SceneDescription& scene = builder.description;
  scene.contact.model = ContactModel::kVolumetric;
  Pair pair;
  pair.a = 0, pair.b = 1;
  pair.stiffness = stiffness;
  pair.friction = 0.5;
  scene.pairs = {pair};
  scene.rollout.time_step = time_step;
  return scene;
}

/// The depth at which a ball of .5 kg and 50 mm rests.
double depth_at_rest(double stiffness) {
  const double volume = 0.5 * kGravity / stiffness;
  double low = 0, high = 0.05;
  for (int i = 0; i < 100; ++i) {
    const double h = 0.5 * (low + high);
    (std::numbers::pi * h * h * (0.05 - h / 3) < volume ? low : high) = h;
  }
  return low;
}

/// The speed of that ball after a second, which rolls with 1 m/s, over what friction at the contact's centre leaves.
double speed_left(int subdivisions, bool exact, double stiffness, double left, double time_step) {
  SceneDescription scene = on_ground(make_sphere("ball", 0.05, subdivisions), 0.5, stiffness, time_step);
  scene.bodies[0].center_of_mass = {0, 0, 0};
  scene.bodies[0].inertia = {5e-4, 5e-4, 5e-4, 0, 0, 0};
  scene.bodies[0].pose = pose_at({0, 0, 0.05 - depth_at_rest(stiffness)});
  scene.bodies[0].velocity = {1, 0, 0, 0, 20, 0};
  (*scene.pairs)[0].exact_spheres = exact;
  Rollout rollout(scene);
  rollout.step(static_cast<int>(std::lround(1 / time_step)));
  return rollout.velocity(0)[0] / left;
}

struct Rolling {
  double stiffness, left;        // N/m^3; m/s
  std::array<double, 3> speeds;  // of an independent program, after steps of 1, 5 and 10 ms
};

TEST(VolumetricSteps, AMeshRollsAsABall) {
  constexpr std::array<double, 3> kSteps = {1e-3, 5e-3, 1e-2};
  const std::vector<Rolling> coarse = {{2e6, 0.9837, {1.000, 0.998, 0.996}},
                                       {2e7, 0.9951, {0.999, 0.996, 0.988}},
                                       {2e8, 0.9985, {0.999, 0.976, 0.930}}},
                             fine = {{2e6, 0.9837, {1.000, 1.000, 0.999}}, {2e7, 0.9951, {1.000, 0.999, 0.997}}};
  for (const auto& [subdivisions, rows] : {std::pair{3, coarse}, std::pair{4, fine}}) {
    for (const Rolling& row : rows) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double speed = speed_left(subdivisions, false, row.stiffness, row.left, kSteps[i]);
        EXPECT_NEAR(speed, row.speeds[i], 0.005) << subdivisions << ", " << row.stiffness << ", " << kSteps[i];
        EXPECT_LT(speed, 1 + 1e-4);
        EXPECT_NEAR(speed_left(1, true, row.stiffness, row.left, kSteps[i]), 1, 0.001);
      }
    }
  }
}

/// Without damping, which acts at three points of the plate, no number depends on which body is the first.
TEST(VolumetricSteps, WhichBodyIsTheFirstDoesNotMatter) {
  for (const double h : {1e-3, 5e-3, 2e-2}) {
    std::array<std::array<Vector, 2>, 2> velocities;
    for (const int ball : {0, 1}) {
      SceneBuilder builder;
      const auto add_ball = [&] {
        Body& body = builder.add("ball", make_sphere("ball", 0.05, 3), pose_at({0, 0, 0.0485}));
        body.mass = 0.5;
        body.rigid = true;
        body.velocity = {0.7, 0.3, 0, -6, 14, 3};
      };
      if (ball == 0) add_ball();
      Body& table = builder.add("table", make_box("table", {2, 2, 0.2}), pose_at({0, 0, -0.1}));
      table.rigid = table.fixed = true;
      if (ball == 1) add_ball();
      Pair pair;
      pair.a = 0, pair.b = 1;
      pair.model = ContactModel::kVolumetric;
      pair.stiffness = 2e6;
      pair.friction = 0.4;
      builder.description.pairs = {pair};
      builder.description.rollout.time_step = h;
      Rollout rollout(builder.description);
      rollout.step(20);
      velocities[static_cast<std::size_t>(ball)] = {rollout.velocity(ball), rollout.angular_velocity(ball)};
    }
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(velocities[0][k / 3][k % 3], velocities[1][k / 3][k % 3], 1e-9) << h << ", " << k;
    }
  }
}

/// By how much the energy of a body that turns freely goes up and down.
double error_of_turning(const SceneDescription& thrown, int steps) {
  SceneDescription scene = thrown;
  scene.rollout.gravity = {0, 0, 0};
  scene.bodies[0].pose[2] = 100;
  Rollout rollout(scene);
  rollout.step(0);
  const double start = rollout.energy();
  double most = 0;
  rollout.step(steps, [&] { most = std::max(most, std::fabs(rollout.energy() - start)); });
  return most;
}

/// A body that is thrown with spin never has more kinetic energy and weight than at the start, and then rests.
TEST(VolumetricSteps, WhatIsThrownComesToRest) {
  std::mt19937 random(31);
  std::normal_distribution<double> normal;
  struct Thrown {
    Geometry geometry;
    double mass, area;  // of its largest face, m^2
  };
  const Thrown bodies[] = {{make_box("cube", {0.1, 0.1, 0.1}), 1, 0.01},
                           {make_box("brick", {0.2, 0.1, 0.05}), 2, 0.02},
                           {make_box("plate", {0.2, 0.2, 0.01}), 0.5, 0.04}};
  for (const Thrown& thrown : bodies) {
    for (const double stiffness : {1e6, 1e7, 1e8, 1e9}) {
      for (const double h : {1e-3, 5e-3, 1e-2}) {
        for (const double e : {0.3, 1.0}) {
          SceneDescription scene = on_ground(thrown.geometry, thrown.mass, stiffness, h);
          (*scene.pairs)[0].restitution = e;
          Body& body = scene.bodies[0];
          body.velocity = {normal(random),     normal(random),     0,
                           5 * normal(random), 5 * normal(random), 5 * normal(random)};
          body.pose = pose_at({0, 0, 0.3}, turn_about({normal(random), normal(random), 1}, normal(random)));
          const int steps = static_cast<int>(4 / h);
          Rollout rollout(scene);
          rollout.step(0);
          const double start = rollout.energy();
          double most = 0;
          rollout.step(steps, [&] { most = std::max(most, rollout.energy() - start); });
          EXPECT_LT(most, 1e-6 + 3 * error_of_turning(scene, steps))
              << scene.geometries[0].name << ", " << stiffness << ", " << h << ", e " << e;
          if (e == 1 || h * std::sqrt(stiffness * thrown.area / thrown.mass) > 5) continue;
          if (stiffness < 1e7) continue;  // not yet at rest
          EXPECT_LT(rollout.output.kinetic_energy[0], 1e-15)
              << scene.geometries[0].name << ", " << stiffness << ", " << h;
        }
      }
    }
  }
}

TEST(VolumetricSteps, ABlockOnASlopeHolds) {
  const SceneDescription whole = read_scene(source_path("bench/scenes/block_on_slope.json"));
  SceneDescription halves = whole;
  halves.geometries[0] = make_box("half", {0.05, 0.1, 0.1});
  for (const double x : {-0.025, 0.025}) {
    Part& half = halves.bodies[0].parts.emplace_back();
    half.geometry = 0;
    half.name = x < 0 ? "left" : "right";
    half.pose = {x, 0, 0, 1, 0, 0, 0};
  }
  for (const SceneDescription* of : {&whole, &std::as_const(halves)}) {
    for (const double h : {5e-3, 1e-2}) {
      SceneDescription scene = *of;
      scene.rollout.time_step = h;
      Rollout rollout(scene);
      const auto moved = [&](double seconds) {
        const Vector before = rollout.position(0);
        rollout.step(static_cast<int>(std::lround(seconds / h)));
        const Vector after = rollout.position(0);
        return length({after[0] - before[0], after[1] - before[1], after[2] - before[2]});
      };
      moved(1);
      EXPECT_LT(moved(2), 1e-8) << h;
      EXPECT_LT(moved(3), 1e-10) << h;
    }
  }
}

/// The rebound of a mesh ball is that of the exact ball.
TEST(VolumetricSteps, AMeshReboundsAsABall) {
  for (const double e : {0.5, 0.9}) {
    for (const double h : {1e-3, 5e-4}) {
      std::array<double, 2> rebound = {};
      for (const bool exact : {false, true}) {
        for (const double phase : {0.125, 0.375, 0.625, 0.875}) {
          SceneDescription scene = on_ground(make_sphere("ball", 0.1, exact ? 1 : 4), 1, 1e7, h);
          scene.rollout.gravity = {0, 0, 0};
          scene.bodies[0].pose = pose_at({0, 0, 0.1 + phase * h});
          scene.bodies[0].velocity = {0, 0, -1, 0, 0, 0};
          (*scene.pairs)[0].restitution = e;
          (*scene.pairs)[0].exact_spheres = exact;
          Rollout rollout(scene);
          rollout.step(static_cast<int>(0.1 / h));
          rebound[exact] += rollout.velocity(0)[2] / 4;
        }
      }
      std::printf("e %g, %g ms: %.4f, of the ball %.4f\n", e, 1e3 * h, rebound[0], rebound[1]);
      EXPECT_NEAR(rebound[0], rebound[1], 0.003) << e << ", " << h;
    }
  }
}

}  // namespace
}  // namespace isopatch::test
