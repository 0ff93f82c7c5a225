// SPDX-License-Identifier: Apache-2.0
//
// Steps of joints on bodies with degrees of freedom against the reference, which has dense Jacobians.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reference/rollout/step_comparison.h"
#include "tests/reference/rollout/tree_scenes.h"
#include "tests/support/rollouts.h"

namespace isopatch::oracle {
namespace {

using test::Random;
using test::Vector;

// --- what is drawn ---------------------------------------------------------------------------------------------------

Vector draw_vector(Random& random, double size) {
  Vector v;
  for (double& x : v) x = random.uniform(-size, size);
  return v;
}

reference::Quaternion draw_turn(Random& random) {
  const Vector v = draw_vector(random, 1);
  return reference::Quaternion(random.uniform(-1, 1), v[0], v[1], v[2]).normalized();
}

/// Of the same size about, with three different principal moments about any axes.
void draw_moments(Body& body, Random& random) {
  const auto& given = *body.inertia;
  const double mean = (given[0] + given[1] + given[2]) / 3;
  const Vector3 moments(random.uniform(0.55, 0.65), random.uniform(0.95, 1.05), random.uniform(1.25, 1.35));
  const Matrix3 R = draw_turn(random).toRotationMatrix(), I = mean * R * moments.asDiagonal() * R.transpose();
  std::size_t i = 0;
  for (const Real x : {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)})
    (*body.inertia)[i++] = static_cast<double>(x);
}

SceneDescription with_drawn_moments(SceneDescription scene) {
  Random random(11);
  for (Body& body : scene.bodies) {
    if (body.mass) draw_moments(body, random);
  }
  return scene;
}

/// Bodies that touch nothing: turned and moving as it falls.
SceneDescription drawn(SceneDescription scene) {
  Random random(12);
  for (Body& body : scene.bodies) {
    if (!body.mass) continue;
    draw_moments(body, random);
    const reference::Quaternion turn = draw_turn(random);
    std::size_t i = 3;
    for (const Real x : {turn.w(), turn.x(), turn.y(), turn.z()}) body.pose[i++] = static_cast<double>(x);
    body.center_of_mass = draw_vector(random, 0.1);
    if (body.motion.type == MotionType::kFree) {
      for (double& v : body.velocity) v = random.uniform(-3, 3);
      continue;
    }
    const Vector tilt = draw_vector(random, 0.4);
    for (std::size_t k = 0; k < 3; ++k) body.motion.axis[k] += tilt[k];
    if (body.motion.mimic) continue;
    body.motion.position = random.uniform(-0.5, 0.5);
    body.motion.velocity = random.uniform(-2, 2);
  }
  scene.rollout.time_step = 2e-3;
  return scene;
}

// --- trees that touch nothing ----------------------------------------------------------------------------------------

SceneDescription three_rods() { return drawn(rods(3, 0.3, 0.5)); }

SceneDescription seven_rods() { return drawn(rods(7, 0.1, 0.1)); }

SceneDescription driven_arm() {
  SceneDescription scene = drawn(six_link_arm());
  for (Body& body : scene.bodies) {
    Motion& motion = body.motion;
    motion.drive = {.force = {{0, 2}, {0.1, -1}},
                    .stiffness = 80,
                    .damping = 1,
                    .target = {{0, motion.position}, {0.2, motion.position + 0.5}},
                    .force_limit = 15};
    motion.friction = 0.2;
    motion.damping = 0.05;
    motion.armature = 0.02;
  }
  return scene;
}

/// One of them bounces.
SceneDescription arm_at_stops() {
  SceneDescription scene = driven_arm();
  for (const std::size_t i : {1, 3, 5}) {
    Motion& motion = scene.bodies[i].motion;
    motion.lower = motion.position - 0.03;
    motion.upper = motion.position + 0.04;
    if (i == 3) motion.bounce = 0.5;
  }
  return scene;
}

SceneDescription free_arms() { return drawn(two_arms()); }

SceneDescription falling_arms() {
  SceneDescription scene = drawn(two_arms());
  scene.rollout.gravity = {1, -2, -9.81};
  return scene;
}

/// So fast that half a step takes several parts.
SceneDescription fast_arms() {
  SceneDescription scene = drawn(two_arms());
  for (Body& body : scene.bodies) {
    body.motion.velocity *= 10;
    for (double& v : body.velocity) v *= 4;
  }
  scene.rollout.time_step = 5e-3;
  return scene;
}

SceneDescription arm_on_turning_base() { return drawn(arm_on_base({{{0.3L, -0.2L, 0.4L}, {0.5L, 1, -2}, 1}}, false)); }

SceneDescription arm_on_fixed_body() {
  SceneDescription scene = arm_on_base({{{0, 0, 0}, {0, 0, 0}, 1}}, false);
  Body& base = scene.bodies[0];
  base.motion = {};
  base.fixed = true;
  base.pose = test::pose_at({0.2, -0.1, 0.3}, test::turn_about({1, 2, 3}, 1));
  return drawn(scene);
}

SceneDescription arm_on_path() { return drawn(arm_on_base({{{0.3L, -0.2L, 0.4L}, {0.5L, 1, -2}, 1}}, true)); }

/// Of three legs, the last of which begins within a step.
SceneDescription arm_on_bent_path() {
  return drawn(arm_on_base(
      {{{0, 0, 0}, {0, 0, 0}, 0.05L}, {{0.3L, -0.2L, 0.4L}, {0.5L, 1, -2}, 0.0507L}, {{0, 0.5L, 0}, {0, 0, 3}, 1}},
      true));
}

SceneDescription followers() { return drawn(arm_with_followers()); }

SceneDescription follower_on_world() { return drawn(connected_arms(true)); }

SceneDescription follower_on_other_tree() { return drawn(connected_arms(false)); }

// --- trees that touch ------------------------------------------------------------------------------------------------

/// Gives a body a compliant geometry, at a position in it.
void touch_with(test::SceneBuilder& scene, Body& body, const Geometry& geometry, const Vector& at) {
  scene.description.geometries[static_cast<std::size_t>(body.geometry)] = geometry;
  body.offset = test::pose_at(at, test::turn_about({1, 2, 3}, 0.03));
  body.rigid = false;
  body.modulus = 2e5;
  body.dissipation = 2;
  body.friction = 0.5;
}

SceneDescription touching(test::SceneBuilder& builder, const std::vector<Pair>& pairs) {
  SceneDescription scene = with_drawn_moments(finished(builder, true));
  scene.pairs = pairs;
  scene.rollout.time_step = 1e-3;
  return scene;
}

/// A hand that goes up with two fingers, one of which mimics the other, on a box.
SceneDescription lifting_gripper() {
  test::SceneBuilder builder;
  Body& hand = add_box(builder, {0, 0, 0.2}, 0.5, {0.01, 0, 0.02}, {0.1, 0.06, 0.03});
  hand.motion = {.type = MotionType::kPrismatic, .axis = {0.05, 0, 1}};
  hand.motion.drive = {.force = {}, .stiffness = 2000, .damping = 30, .target = {{0, 0}, {0.02, 0}, {0.1, 0.03}}};
  for (const double side : {-1.0, 1.0}) {
    Body& finger =
        add_box(builder, {side * 0.0305, 0.002 * side, 0.1}, 0.06, {0.01 * side, 0, 0.02}, {0.02, 0.03, 0.08});
    touch_with(builder, finger, make_box("pad", {0.02, 0.03, 0.04}), {0, 0, 0});
    finger.motion = {.type = MotionType::kPrismatic, .parent = 0, .axis = {1, 0, 0.02}};
  }
  Motion& leader = builder.description.bodies[1].motion;
  leader.drive = {.force = {{0, 9}, {0.05, 6}}, .stiffness = 50, .damping = 2, .target = {{0, 0.01}}};
  leader.friction = 0.4;
  leader.armature = 0.05;
  builder.description.bodies[2].motion.mimic = Mimic{1, -1, 0};
  Body& box = add_box(builder, {0.0005, 0, 0.1}, 0.1, {0.002, 0.003, -0.004}, {0.04, 0.05, 0.03});
  touch_with(builder, box, make_box("box", {0.04, 0.05, 0.03}), {0, 0, 0});
  return touching(builder, {{1, 3, {}, {}}, {3, 2, {}, {}}});
}

/// An arm presses its tip on the ground, and drags it.
SceneDescription dragged_tip() {
  test::SceneBuilder builder;
  Body& column = add_box(builder, {0, 0, 0.3}, 2, {0.02, 0, 0}, {0.1, 0.1, 0.1});
  on_hinge(column, -1, {0.02, 0, 1}, 1);
  column.motion.drive = {.force = {}, .stiffness = 60, .damping = 2, .target = {{0, 0}, {0.1, 0.1}}};
  Body& upper = add_box(builder, {0, 0, 0.3}, 1, {0.15, 0.01, 0}, {0.3, 0.05, 0.05});
  on_hinge(upper, 0, {0, 1, 0});
  upper.motion.drive = {.force = {{0, 6}, {0.05, 3}}, .damping = 1};
  Body& fore = add_box(builder, {0.3, 0, 0.3}, 0.7, {0.05, 0, -0.15}, {0.05, 0.05, 0.3});
  on_hinge(fore, 1, {0.1, 1, 0});
  fore.motion.drive = {.force = {}, .stiffness = 200, .damping = 3, .target = {{0, 0}}};
  touch_with(builder, fore, make_box("tip", {0.06, 0.05, 0.04}), {0.1, 0, -0.2806});
  builder.add_ground(0.5);
  return touching(builder, {{2, 3, {}, {}}});
}

/// On a hand that turns.
SceneDescription fingers_that_meet() {
  test::SceneBuilder builder;
  Body& hand = add_box(builder, {0, 0, 0}, 0.5, {0.02, 0.01, 0}, {0.1, 0.1, 0.03});
  on_hinge(hand, -1, {0.2, 0, 1}, 1);
  for (const double side : {-1.0, 1.0}) {
    Body& finger = add_box(builder, {0.1, side * 0.04, 0}, 0.1, {0.05, 0, 0}, {0.1, 0.02, 0.02});
    on_hinge(finger, 0, {0.1 * side, 0.2, -side}, 1);
    finger.motion.drive = {.force = {{0, 0.8}, {0.06, 0.3}}, .damping = 0.01};
    const Geometry tip = side < 0 ? make_sphere("tip", 0.03, 1) : make_box("tip", {0.05, 0.03, 0.04});
    touch_with(builder, finger, tip, {0.1, side < 0 ? 0.012 : -0.025, 0});
  }
  return touching(builder, {{1, 2, {}, {}}});
}

/// On four legs of two joints each.
SceneDescription standing_robot() {
  test::SceneBuilder builder;
  Body& trunk = add_box(builder, {0, 0, 0.3}, 5, {0.01, 0.005, 0.02}, {0.5, 0.25, 0.1});
  trunk.velocity = {0.2, 0.1, -0.1, 0.3, -0.2, 0.4};
  for (const double x : {-0.2, 0.2}) {
    for (const double y : {-0.12, 0.12}) {
      Body& thigh = add_box(builder, {x, y, 0.3}, 0.6, {0.03, 0, -0.07}, {0.04, 0.04, 0.15});
      on_hinge(thigh, 0, {0.1, 1, 0});
      Body& shin = add_box(builder, {x + 0.06, y, 0.16}, 0.3, {-0.03, 0, -0.07}, {0.03, 0.03, 0.15});
      on_hinge(shin, static_cast<int>(builder.description.bodies.size()) - 2, {0, 1, 0.05});
      touch_with(builder, shin, make_sphere("foot", 0.025, 1), {-0.06, 0, -0.137});
      for (Body* const link : {&thigh, &shin}) {
        link->motion.drive = {.force = {}, .stiffness = 60, .damping = 1.5, .target = {{0, 0}}};
        link->motion.armature = 0.01;
      }
    }
  }
  builder.add_ground(0.6);
  return touching(builder, {{2, 9, {}, {}}, {4, 9, {}, {}}, {6, 9, {}, {}}, {8, 9, {}, {}}});
}

/// Springs with a memory for the feet, which bounce.
SceneDescription bouncing_robot() {
  SceneDescription scene = standing_robot();
  scene.bodies[0].velocity[2] = -0.5;
  scene.contact.force_law.friction_model = FrictionModel::kBristle;
  for (Body& body : scene.bodies) body.rigid = true;
  scene.bodies.back().pose[2] = -0.004;  // they begin above it
  for (Pair& pair : *scene.pairs) {
    pair.model = ContactModel::kVolumetric;
    pair.exact_spheres = true;
    pair.stiffness = 1e8;
    pair.restitution = 0.5;
  }
  scene.rollout.time_step = 2e-3;
  return scene;
}

/// A plate at the end of an arm on a base that moves hits a ball, faster than it is thick in a step.
SceneDescription swung_plate() {
  test::SceneBuilder builder;
  Body& base = builder.add("base", make_box("box", {0.1, 0.1, 0.1}));
  base.rigid = true;
  base.motion.type = MotionType::kPrescribed;
  base.velocity = {0.1, 0, 0.2, 0.5, -1, 0.5};
  Body& upper = add_box(builder, {0, 0, 0}, 0.5, {0.1, 0.01, 0}, {0.2, 0.04, 0.04});
  on_hinge(upper, 0, {0, 1, 0.1}, 5);
  Body& plate = add_box(builder, {0.2, 0, 0}, 0.3, {0.1, 0, 0}, {0.2, 0.1, 0.02});
  on_hinge(plate, 1, {0, 1, 0}, 6);
  touch_with(builder, plate, make_box("plate", {0.12, 0.1, 0.012}), {0.15, 0, 0});
  Body& ball = add_box(builder, {0.35, 0.01, -0.08}, 0.25, {0, 0, 0}, {0.06, 0.06, 0.06});
  touch_with(builder, ball, make_sphere("ball", 0.04, 1), {0, 0, 0});
  SceneDescription scene = touching(builder, {{2, 3, {}, {}}});
  scene.rollout.time_step = 4e-3;
  return scene;
}

/// Which takes other velocities within steps and within sub-steps.
SceneDescription swung_plate_on_bent_path() {
  SceneDescription scene = swung_plate();
  Body& base = scene.bodies[0];
  base.velocity = {};
  for (int i = 0; i < 20; ++i) {
    const double time = 0.0061 * i, side = i % 2 == 0 ? 1 : -1;
    base.motion.path.times.push_back(time);
    base.motion.path.poses.push_back(
        test::pose_at({0.1 * time, 0.002 * side, 0}, test::turn_about({0, 1, 1}, 0.01 * side)));
  }
  base.pose = base.motion.path.poses[0];
  return scene;
}

// --- comparisons -----------------------------------------------------------------------------------------------------

SceneDescription with_integrator(SceneDescription scene, Integrator integrator) {
  scene.rollout.integrator = integrator;
  return scene;
}

class TreesThatTouchNothing : public testing::TestWithParam<SceneCase> {};

TEST_P(TreesThatTouchNothing, AgreeWithMidpoint) {
  expect_agreement(with_integrator(GetParam().make(), Integrator::kMidpoint), {.contacts = -1});
}

TEST_P(TreesThatTouchNothing, AgreeWithEuler) {
  expect_agreement(with_integrator(GetParam().make(), Integrator::kEuler), {.contacts = -1});
}

constexpr SceneCase kMoving[] = {{"ThreeRods", three_rods},
                                 {"SevenRods", seven_rods},
                                 {"DrivenArm", driven_arm},
                                 {"ArmOnFixedBody", arm_on_fixed_body},
                                 {"FreeArms", free_arms},
                                 {"FallingArms", falling_arms},
                                 {"FastArms", fast_arms},
                                 {"ArmOnTurningBase", arm_on_turning_base},
                                 {"ArmOnPath", arm_on_path},
                                 {"ArmOnBentPath", arm_on_bent_path},
                                 {"Followers", followers},
                                 {"FollowerOnWorld", follower_on_world},
                                 {"FollowerOnOtherTree", follower_on_other_tree}};

INSTANTIATE_TEST_SUITE_P(Scenes, TreesThatTouchNothing, testing::ValuesIn(kMoving),
                         [](const auto& tested) { return std::string(tested.param.name); });

class TreesThatTouch : public testing::TestWithParam<SceneCase> {};

TEST_P(TreesThatTouch, AgreeWithMidpoint) {
  expect_agreement(with_integrator(GetParam().make(), Integrator::kMidpoint));
}

TEST_P(TreesThatTouch, AgreeWithEuler) { expect_agreement(with_integrator(GetParam().make(), Integrator::kEuler)); }

constexpr SceneCase kTouching[] = {{"LiftingGripper", lifting_gripper},
                                   {"DraggedTip", dragged_tip},
                                   {"FingersThatMeet", fingers_that_meet},
                                   {"StandingRobot", standing_robot}};

INSTANTIATE_TEST_SUITE_P(Scenes, TreesThatTouch, testing::ValuesIn(kTouching),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(TreesAtStops, AgreeWithMidpoint) { expect_agreement(arm_at_stops(), {.contacts = -1, .converges = false}); }

TEST(TreesAtStops, AgreeWithEuler) {
  expect_agreement(with_integrator(arm_at_stops(), Integrator::kEuler), {.contacts = -1, .converges = false});
}

TEST(TreesWithMemory, AgreeWithMidpoint) { expect_agreement(bouncing_robot(), {.tolerance = 1e-12}); }

TEST(TreesWithMemory, AgreeWithEuler) {
  expect_agreement(with_integrator(bouncing_robot(), Integrator::kEuler), {.tolerance = 1e-12});
}

/// For the most parts that half a step may have.
TEST(TreesThatTurnTooFast, AgreeAndSaySo) {
  SceneDescription scene = fast_arms();
  scene.rollout.time_step = 0.1;
  const StepComparison found = compare_steps(scene, {.steps = 5});
  EXPECT_LT(found.state, 1e-9);
  EXPECT_NE(found.status & kFastBody, 0u);
}

TEST(TreesInSubsteps, AgreeWithMidpointOnABentPath) { expect_agreement(swung_plate_on_bent_path(), {.contacts = 1}); }

/// Without sub-steps it takes another course.
TEST(TreesInSubsteps, AgreeWithMidpoint) {
  SceneDescription scene = swung_plate();
  expect_agreement(scene, {.contacts = 1});
  const auto after = [&] {
    test::Rollout rollout(scene);
    rollout.step(100);
    return rollout.state.poses;
  };
  const std::vector<double> in_pieces = after();
  scene.rollout.max_substeps = 1;
  EXPECT_NE(after(), in_pieces);
}

}  // namespace
}  // namespace isopatch::oracle
