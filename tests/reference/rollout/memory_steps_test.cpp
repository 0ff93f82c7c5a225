// SPDX-License-Identifier: Apache-2.0
//
// Steps of contacts with state against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "isopatch/scene/scene_file.h"
#include "tests/reference/rollout/rollout_scenes.h"
#include "tests/reference/rollout/step_comparison.h"
#include "tests/support/memory_scenes.h"
#include "tests/support/paths/paths.h"

namespace isopatch::oracle {
namespace {

/// A scene of the benchmarks, with meshes of few cells for the reference.
SceneDescription bench_scene(const std::string& name) {
  SceneDescription scene = read_scene(source_path("bench/scenes/" + name + ".json"));
  for (Geometry& geometry : scene.geometries) {
    if (geometry.primitive.kind == PrimitiveKind::kSphere) {
      geometry = make_sphere(geometry.name, geometry.primitive.radius, 1);
    }
  }
  return scene;
}

/// A bar between two fingers, away from its middle, so that it turns; they press less and less.
SceneDescription pinch_held() {
  SceneDescription scene = bench_scene("pinch_held");
  for (Body& finger : scene.bodies) {
    if (finger.motion.type == MotionType::kPrismatic) finger.motion.drive.force = {{0, 6}, {0.05, 6}, {0.2, 1}};
  }
  return scene;
}

/// A block that is thrown onto a slope, on four feet.
SceneDescription block_held() {
  SceneDescription scene = bench_scene("block_held");
  scene.bodies[0].velocity = {0.02, 0.01, -0.05, 0.1, 0.2, 0.3};
  return scene;
}

/// A block that sticks to a plate until its spring tears it off.
SceneDescription stick_slip() {
  SceneDescription scene = bench_scene("stick_slip");
  scene.bodies[0].motion.drive.stiffness = 200;
  scene.bodies[0].motion.velocity = 0.15;
  scene.bodies[1].velocity = {0.105, 0.105, 0, 0, 0, 0};
  return scene;
}

/// A ball that spins, just before it hits the table.
SceneDescription ball_on_table() {
  SceneDescription scene = bench_scene("ball_on_table");
  scene.bodies[0].pose[2] = 0.1203;
  scene.bodies[0].velocity[2] = -1.4;
  return scene;
}

/// A top on the table, 1 um deep: the depth at which it touches first has digits.
SceneDescription tippe_top() {
  SceneDescription scene = bench_scene("tippe_top");
  scene.bodies[0].pose[2] -= 1e-6;
  return scene;
}

/// Impacts of a restitution that are over in one step: of a ball that spins, of a block on four feet, and of two balls
/// that fly.
SceneDescription short_impacts() {
  test::SceneBuilder builder;
  builder.add_ground(0.4);
  const auto add = [&](const char* name, double radius, const test::Vector& at, const std::array<double, 6>& velocity) {
    Body& body = builder.add(name, make_sphere(name, radius, 1), test::pose_at(at));
    body.mass = 0.5;
    body.rigid = true;
    body.friction = 0.5;
    body.velocity = velocity;
    return static_cast<int>(builder.description.bodies.size()) - 1;
  };
  const int ball = add("ball", 0.05, {0, 0, 0.053}, {0.5, 0.2, -1, 3, -2, 20});
  const int block = add("block", 0.01, {1, 0, 0.045}, {0.1, -0.2, -0.8, 0.3, 0.5, 1});
  Body& feet = builder.description.bodies[static_cast<std::size_t>(block)];
  feet.inertia = {1e-3, 1e-3, 1.5e-3, 0, 0, 0};
  for (const double x : {-0.04, 0.04}) {
    for (const double y : {-0.03, 0.03}) {
      Part& foot = feet.parts.emplace_back();
      foot.geometry = feet.geometry;
      foot.pose = {x, y, -0.02, 1, 0, 0, 0};
    }
  }
  const int left = add("left", 0.03, {2, 0, 5}, {1, 0.1, 0, 0, 5, 0});
  const int right = add("right", 0.02, {2.06, 0.01, 5.005}, {-1, 0, 0, 0, 0, 3});
  SceneDescription& scene = builder.description;
  scene.pairs.emplace();
  const auto pair = [&](int a, int b, ContactModel model, double stiffness, double restitution) {
    Pair& added = scene.pairs->emplace_back();
    added.a = a, added.b = b;
    added.model = model;
    added.exact_spheres = model == ContactModel::kVolumetric;
    added.stiffness = stiffness;
    added.restitution = restitution;
  };
  pair(ball, 0, ContactModel::kVolumetric, 1e8, 0.6);
  pair(0, block, ContactModel::kPoint, 1e7, 0.4);
  pair(left, right, ContactModel::kPoint, 1e8, 0.9);
  scene.rollout.time_step = 5e-3;
  return scene;
}

/// All kinds of contacts with state, of bodies that move, with the latch and the radius that other scenes have not.
SceneDescription all_kinds() {
  SceneDescription scene = test::remembering_bodies(Integrator::kMidpoint);
  scene.contact.force_law.latch = ImpactLatch::kLargest;
  for (Pair& pair : *scene.pairs) pair.spin_radius = 1.1;
  RolloutStateArrays states(Scene(scene), 1);
  test::disturb(scene, states, 5);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    std::copy_n(states.poses.begin() + static_cast<std::ptrdiff_t>(7 * i), 7, scene.bodies[i].pose.begin());
    std::copy_n(states.velocities.begin() + static_cast<std::ptrdiff_t>(6 * i), 6, scene.bodies[i].velocity.begin());
  }
  return scene;
}

/// With steps that are so short for sdirk2 that no contact is too stiff, which midpoint would take.
SceneDescription with_integrator(SceneDescription scene, Integrator integrator) {
  scene.rollout.integrator = integrator;
  if (integrator == Integrator::kSdirk2) scene.rollout.time_step /= 5;
  return scene;
}

/// Planar bodies whose patches hold by bristles.
SceneDescription planar_bristles() {
  SceneDescription scene = planar_bodies();
  scene.contact.force_law.friction_model = FrictionModel::kBristle;
  return scene;
}

class MemorySteps : public testing::TestWithParam<SceneCase> {};

TEST_P(MemorySteps, AgreeWithMidpoint) { expect_agreement(with_integrator(GetParam().make(), Integrator::kMidpoint)); }

TEST_P(MemorySteps, AgreeWithEuler) { expect_agreement(with_integrator(GetParam().make(), Integrator::kEuler)); }

TEST_P(MemorySteps, AgreeWithSecondOrder) {
  expect_agreement(with_integrator(GetParam().make(), Integrator::kSdirk2), {.steps = 500});
}

constexpr SceneCase kScenes[] = {{"PinchHeld", pinch_held}, {"BlockHeld", block_held},
                                 {"StickSlip", stick_slip}, {"BallOnTable", ball_on_table},
                                 {"TippeTop", tippe_top},   {"PlanarBristles", planar_bristles}};

INSTANTIATE_TEST_SUITE_P(Scenes, MemorySteps, testing::ValuesIn(kScenes),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Friction that turns within 1e-5 m/s, a hundredth of the Stribeck velocity, may have no more digits.
constexpr double kSolve = 1e-12;

TEST(MemoryStepsOfShortImpacts, AgreeWithMidpoint) { expect_agreement(short_impacts(), {.tolerance = kSolve}); }

TEST(MemoryStepsOfShortImpacts, AgreeWithSecondOrder) {
  expect_agreement(with_integrator(short_impacts(), Integrator::kSdirk2), {.tolerance = kSolve});
}

/// The scene with this pair alone: other bodies stay where they are.
SceneDescription with_one_pair(SceneDescription scene, std::size_t index) {
  const Pair pair = (*scene.pairs)[index];
  scene.pairs = {pair};
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const auto body = static_cast<int>(i);
    if (body == pair.a || body == pair.b) continue;
    scene.bodies[i].fixed = true;
    scene.bodies[i].velocity = {};
  }
  return scene;
}

TEST(MemoryStepsOfAllKinds, AgreeWithEveryIntegrator) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    const SceneDescription scene = with_integrator(all_kinds(), integrator);
    for (std::size_t pair = 0; pair < scene.pairs->size(); ++pair) {
      SCOPED_TRACE(pair);
      expect_agreement(with_one_pair(scene, pair), {.tolerance = kSolve, .contacts = 0});
    }
    expect_agreement(scene, {.steps = 12, .tolerance = kSolve});
  }
}

/// A plate that falls on a ball with bristles, faster than it is thick in a step, and the ball as a volume on the
/// ground.
SceneDescription fast_plate_with_bristles() {
  SceneDescription scene = fast_plate();
  scene.contact.force_law.friction_model = FrictionModel::kBristle;
  scene.contact.force_law.bristle.stribeck_velocity = 3e-2;  // of less, 2.5 m/s have too few digits for the tolerance
  Pair& volume = (*scene.pairs)[2];
  volume.model = ContactModel::kVolumetric;
  volume.exact_spheres = true;
  volume.restitution = 0.5;
  return scene;
}

TEST(MemoryStepsOfSubsteps, AgreeWithMidpoint) {
  SceneDescription scene = fast_plate_with_bristles();
  expect_agreement(scene, {.tolerance = kSolve});
  const auto after = [&] {
    test::Rollout rollout(scene);
    rollout.step(100);
    return rollout.state.contact_state;
  };
  const std::vector<double> in_pieces = after();
  scene.rollout.max_substeps = 1;
  EXPECT_NE(after(), in_pieces);
}

/// A ball of facets that rolls on the ground, a brick that tumbles onto a table of two parts, and a rigid block that
/// slides on another.
SceneDescription volumes_that_move() {
  test::SceneBuilder builder;
  builder.add_ground(0.5);
  // of a normal along an axis, rounding chooses the axes of a plate's points
  builder.description.bodies[0].pose = test::pose_at({}, test::turn_about({2, -1, 0}, 0.04));
  const auto add = [&](const char* name, const Geometry& geometry, const test::Vector& at,
                       const std::array<double, 6>& velocity) -> Body& {
    Body& body = builder.add(name, geometry, test::pose_at(at, test::turn_about({1, 2, 3}, 0.02)));
    body.friction = 0.4;
    body.mass = 0.5;
    body.rigid = true;
    body.velocity = velocity;
    return body;
  };
  const Geometry brick = make_box("brick", {0.06, 0.05, 0.04});
  add("ball", make_sphere("ball", 0.05, 1), {0, 0, 0.0485}, {0.5, 0.2, -0.3, -4, 10, 3});
  Body& table = add("table", make_box("half", {0.1, 0.1, 0.1}), {1, 0, 0.05}, {});
  table.fixed = true;
  for (const double x : {-0.05, 0.05}) {
    Part& half = table.parts.emplace_back();
    half.geometry = table.geometry;
    half.pose = {x, 0, 0, 1, 0, 0, 0};
  }
  add("brick", brick, {1.003, 0.002, 0.1205}, {0.1, 0, -0.2, 1, -2, 0.5});
  Body& anvil = add("anvil", brick, {2, 0, 0}, {});
  anvil.fixed = true;
  add("block", brick, {2.01, 0.01, 0.0397}, {0.2, -0.1, -0.1, 0.5, 0.3, 2});
  SceneDescription& scene = builder.description;
  scene.pairs.emplace();
  for (const auto& [a, b] : {std::pair{1, 0}, {3, 2}, {5, 4}}) {
    Pair& pair = scene.pairs->emplace_back();
    pair.a = a, pair.b = b;
    pair.model = ContactModel::kVolumetric;
    pair.stiffness = 1e8;
    pair.restitution = 0.5;
  }
  scene.rollout.time_step = 2e-3;
  return scene;
}

// The reference finds how overlaps move by differences.
TEST(MemoryStepsOfVolumes, AgreeWithMidpoint) {
  expect_agreement(volumes_that_move(), {.steps = 20, .tolerance = kSolve, .contacts = 5});
}

TEST(MemoryStepsOfVolumes, AgreeWithEuler) {
  const SceneDescription scene = with_integrator(volumes_that_move(), Integrator::kEuler);
  expect_agreement(scene, {.steps = 20, .tolerance = kSolve, .contacts = 5});
}

}  // namespace
}  // namespace isopatch::oracle
