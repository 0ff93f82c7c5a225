// SPDX-License-Identifier: Apache-2.0
#include "host/cli/random_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "host/cli/rollout/start_states.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {
namespace {

/// Of an evaluation.
std::vector<std::uint32_t> statuses_of(const SceneDescription& scene, const StateArrays& states) {
  const Scene built(scene);
  ResultArrays results(built, states.num_environments);
  HostEvaluator(built).evaluate(states.view(), results.view());
  return results.status;
}

SceneDescription scene() {
  SceneDescription scene;
  scene.geometries = {make_box("cube", {0.1, 0.1, 0.1}), make_half_space("ground", 1)};
  scene.bodies.resize(2);
  scene.bodies[0].pose = {1, 2, 3, 0, 1, 0, 0};
  scene.bodies[0].velocity = {1, 0, 0, 0, 0, 2};
  scene.bodies[1].geometry = 1;
  scene.bodies[1].fixed = true;
  scene.pairs = {{0, 1, {}, {}}};
  return scene;
}

TEST(CounterRandom, HasTheSameNumbersOnEveryMachine) {
  const CounterRandom random(7);
  EXPECT_EQ(random.symmetric(1, 2), 0.17890094350089836);
  EXPECT_EQ(random.symmetric(1000000, 0), -0.8565589547995123);
}

TEST(CounterRandom, IsUniformInItsInterval) {
  const CounterRandom random(0);
  constexpr int kCount = 20'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double value = random.symmetric(static_cast<std::uint64_t>(i), 3);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(3.0 * kCount)) << "five standard deviations";
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
}

TEST(RandomStates, BeginWithTheSceneItself) {
  const StateArrays states = random_states(scene(), 3, 1);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(states.poses[i], scene().bodies[0].pose[i]);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(states.velocities[i], scene().bodies[0].velocity[i]);
}

TEST(RandomStates, StayCloseAndLeaveFixedBodiesAlone) {
  constexpr std::size_t kEnvironments = 1000;
  const SceneDescription original = scene();
  const StateArrays states = random_states(original, kEnvironments, 1);
  const double size = body_size(original);
  EXPECT_NEAR(size, 0.1 * std::sqrt(3.0), 1e-15);

  double largest_angle = 0;
  for (std::size_t environment = 1; environment < kEnvironments; ++environment) {
    const double* moved = &states.poses[environment * 14];
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(std::fabs(moved[i] - original.bodies[0].pose[i]), 0.02 * size);
    double dot = 0, norm = 0;
    for (std::size_t i = 3; i < 7; ++i) {
      dot += moved[i] * original.bodies[0].pose[i];
      norm += moved[i] * moved[i];
    }
    EXPECT_NEAR(norm, 1, 1e-14);
    largest_angle = std::max(largest_angle, 2 * std::acos(std::min(1.0, std::fabs(dot))));
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(moved[7 + i], original.bodies[1].pose[i]);
  }
  EXPECT_LE(largest_angle, 0.2);
  EXPECT_GE(largest_angle, 0.1);
}

TEST(RandomStates, DependOnTheSeedAndNotOnHowManyThereAre) {
  const StateArrays few = random_states(scene(), 10, 5), many = random_states(scene(), 20, 5),
                    other = random_states(scene(), 10, 6);
  EXPECT_TRUE(std::equal(few.poses.begin(), few.poses.end(), many.poses.begin()));
  EXPECT_TRUE(std::equal(few.velocities.begin(), few.velocities.end(), many.velocities.begin()));
  EXPECT_NE(few.poses, other.poses);
}

/// A polygon, a cube that moves parallel to the plane, 0.3 m above it, and one that moves freely.
SceneDescription planar_scene() {
  SceneDescription scene;
  scene.geometries = {make_polygon("tile", {{0, 0}, {0.04, 0}, {0, 0.03}}), make_box("cube", {0.1, 0.1, 0.1})};
  scene.bodies.resize(3);
  for (Body& body : scene.bodies) body.rigid = true;
  scene.bodies[0].motion.type = MotionType::kPlanar;
  scene.bodies[1].geometry = 1;
  scene.bodies[1].pose = {1, 2, 0.3, 0.8, 0, 0, 0.6};
  scene.bodies[1].velocity = {1, 0, 0, 0, 0, 2};
  scene.bodies[1].motion.type = MotionType::kPlanar;
  scene.bodies[2].geometry = 1;
  scene.bodies[2].pose[0] = 5;
  scene.pairs = std::vector<Pair>();
  return scene;
}

void expect_in_plane(const SceneDescription& scene, const std::vector<double>& poses,
                     const std::vector<double>& velocities) {
  const std::size_t bodies = scene.bodies.size();
  for (std::size_t k = bodies; 7 * k < poses.size(); ++k) {
    const std::array<double, 7>& start = scene.bodies[k % bodies].pose;
    if (k % bodies == 2) continue;
    const double *pose = &poses[7 * k], *velocity = &velocities[6 * k];
    EXPECT_NE(pose[0], start[0]);
    EXPECT_NE(pose[1], start[1]);
    EXPECT_NE(pose[6], start[6]);
    EXPECT_EQ(pose[2], start[2]);
    EXPECT_EQ(pose[4], 0);
    EXPECT_EQ(pose[5], 0);
    EXPECT_NE(velocity[0], 0);
    EXPECT_NE(velocity[1], 0);
    EXPECT_NE(velocity[5], 0);
    for (const std::size_t i : {2U, 3U, 4U}) EXPECT_EQ(velocity[i], 0);
  }
}

TEST(RandomStates, KeepPolygonsAndPlanarBodiesInTheirPlane) {
  const SceneDescription scene = planar_scene();
  EXPECT_NEAR(body_size(scene), 0.05, 1e-15) << "the diagonal of the polygon";
  constexpr std::int64_t kCount = 50;
  const StateArrays states = random_states(scene, kCount, 1);
  expect_in_plane(scene, states.poses, states.velocities);
  for (const std::uint32_t status : statuses_of(scene, states)) EXPECT_EQ(status, kOk);

  SceneDescription free = scene;  // the draws of a body are the same if others are planar or not
  free.bodies[1].motion.type = MotionType::kFree;
  const StateArrays all = random_states(free, kCount, 1);
  for (std::size_t e = 1; e < kCount; ++e) {
    for (std::size_t i = 14; i < 21; ++i) EXPECT_EQ(states.poses[21 * e + i], all.poses[21 * e + i]);
    for (std::size_t i = 12; i < 18; ++i) EXPECT_EQ(states.velocities[18 * e + i], all.velocities[18 * e + i]);
    for (const std::size_t i : {7U, 8U}) EXPECT_EQ(states.poses[21 * e + i], all.poses[21 * e + i]);
    for (const std::size_t i : {6U, 7U, 11U}) EXPECT_EQ(states.velocities[18 * e + i], all.velocities[18 * e + i]);
    EXPECT_NE(all.poses[21 * e + 9], 0.3);
  }
}

TEST(RandomStates, OfARolloutVaryPlanarBodiesToo) {
  SceneDescription scene = planar_scene();
  scene.rollout.variation = {0.01, 0.5, 0.1};
  const Scene built(scene);
  RolloutArguments arguments;
  arguments.envs = 20;
  const RolloutStart start = rollout_start(arguments, built);
  expect_in_plane(scene, start.state.poses, start.state.velocities);
  for (std::size_t e = 1; e < 20; ++e) {
    EXPECT_LE(std::fabs(start.state.poses[21 * e]), 0.01);
    EXPECT_LE(2 * std::asin(std::fabs(start.state.poses[21 * e + 6])), 0.5);
  }
}

TEST(RandomStates, FromALaterOneOnAreThoseOfTheWhole) {
  const StateArrays whole = random_states(scene(), 20, 5), later = random_states(scene(), 13, 5, 7),
                    far = random_states(scene(), 1, 5, 1'000'000'000'000);
  ASSERT_EQ(later.num_environments, 13);
  EXPECT_TRUE(std::equal(later.poses.begin(), later.poses.end(), whole.poses.end() - 13 * 14));
  EXPECT_TRUE(std::equal(later.velocities.begin(), later.velocities.end(), whole.velocities.end() - 13 * 12));
  EXPECT_NE(far.poses[0], scene().bodies[0].pose[0]);
}

}  // namespace
}  // namespace isopatch::cli
