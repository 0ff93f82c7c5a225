// SPDX-License-Identifier: Apache-2.0
//
// Steps of the reference with joints on bodies that have degrees of freedom: against equations of motion that share
// nothing with it, and what steps leave as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/reference/rollout_reference.h"
#include "isopatch/error.h"
#include "tests/reference/rollout/lagrangian.h"
#include "tests/support/rollouts.h"

namespace isopatch::oracle {
namespace {

using reference::MotionState;
using reference::RolloutReference;
using reference::Vector6;
using test::Vector;

constexpr Real kGravity = 9.81L;

// --- scenes ----------------------------------------------------------------------------------------------------------

/// A box with the inertia of one of the size, about a center of mass in its frame; it touches nothing.
Body& add_box(test::SceneBuilder& scene, const Vector& at, double mass, const Vector& center, const Vector& size) {
  Body& body = scene.add("body " + std::to_string(scene.description.bodies.size()), make_box("box", {0.1, 0.1, 0.1}),
                         test::pose_at(at));
  const auto [x, y, z] = size;
  body.rigid = true;
  body.mass = mass;
  body.center_of_mass = Point3{center[0], center[1], center[2]};
  const double k = mass / 12;
  body.inertia = {k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y), 0, 0, 0};
  return body;
}

void on_hinge(Body& body, int parent, const Vector& axis, double rate = 0) {
  body.motion.type = MotionType::kRevolute;
  if (parent >= 0) body.motion.parent = parent;
  body.motion.axis = axis;
  body.motion.anchor = {body.pose[0], body.pose[1], body.pose[2]};
  body.motion.velocity = rate;
}

SceneDescription finished(test::SceneBuilder& scene, bool with_gravity) {
  scene.description.pairs.emplace();
  scene.description.rollout.gravity = {0, 0, with_gravity ? -static_cast<double>(kGravity) : 0.0};
  return scene.description;
}

/// Rods that hang on one another by hinges about y, from the horizontal.
SceneDescription rods(int count, double length, double mass) {
  test::SceneBuilder scene;
  for (int i = 0; i < count; ++i) {
    Body& rod = add_box(scene, {i * length, 0, 0}, mass, {length / 2, 0, 0}, {length, 0.02, 0.02});
    on_hinge(rod, i - 1, {0, 1, 0});
  }
  return finished(scene, true);
}

/// An arm of six links of any directions, on a base if there is one among the bodies.
void add_arm(test::SceneBuilder& scene, int links, Vector at, double rate) {
  const Vector axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const double lengths[] = {0.3, 0.4, 0.35, 0.1, 0.1, 0.08}, masses[] = {4, 3.5, 2, 1, 0.8, 0.3};
  for (std::size_t i = 0; i < static_cast<std::size_t>(links); ++i) {
    const Vector along = i == 0 ? Vector{0, 0, lengths[0]} : Vector{lengths[i], 0, 0};
    Body& link = add_box(scene, at, masses[i], {along[0] / 2 + 0.01, 0.02, along[2] / 2 - 0.01},
                         {along[0] + 0.06, 0.06, along[2] + 0.06});
    on_hinge(link, static_cast<int>(scene.description.bodies.size()) - 2, axes[i], rate);
    for (std::size_t k = 0; k < 3; ++k) at[k] += along[k];
  }
}

SceneDescription six_link_arm() {
  test::SceneBuilder scene;
  add_arm(scene, 6, {0, 0, 0}, 1);
  return finished(scene, true);
}

/// A free box with two arms of two joints each.
SceneDescription two_arms() {
  test::SceneBuilder scene;
  Body& root = add_box(scene, {0, 0, 0}, 2, {0.01, 0, 0.02}, {0.3, 0.2, 0.1});
  root.velocity = {0.3, -0.2, 0.1, 1, 2, 0.5};
  const double rates[] = {3, 4, -5, 3};
  for (const int side : {0, 1}) {
    const double sign = side == 0 ? 1 : -1;
    const int upper = static_cast<int>(scene.description.bodies.size());
    Body& first = add_box(scene, {sign * 0.15, 0, 0}, 0.5, {sign * 0.1, 0, 0}, {0.2, 0.04, 0.04});
    on_hinge(first, 0, {0, side == 0 ? 0.0 : 1.0, side == 0 ? 1.0 : 0.0}, rates[2 * side]);
    Body& second = add_box(scene, {sign * 0.35, 0, 0}, 0.3, {sign * 0.1, 0, 0}, {0.2, 0.03, 0.03});
    on_hinge(second, upper, {0, 1, 0}, rates[2 * side + 1]);
  }
  return finished(scene, false);
}

/// A prescribed base with two hinges and a slider.
SceneDescription arm_on_base(const std::vector<Leg>& legs, bool on_path) {
  test::SceneBuilder scene;
  Body& base = scene.add("base", make_box("box", {0.1, 0.1, 0.1}), test::pose_at({0.2, -0.1, 0.3}));
  base.rigid = true;
  base.motion.type = MotionType::kPrescribed;
  if (on_path) {
    Vector3 at = as_vector({0.2, -0.1, 0.3});
    Matrix3 R = Matrix3::Identity();
    Real time = 0;
    const auto add_row = [&] {
      const Eigen::Quaternion<Real> q(R);
      std::array<double, 7> row = {};
      std::size_t i = 0;
      for (const Real x : {at[0], at[1], at[2], q.w(), q.x(), q.y(), q.z()}) row[i++] = static_cast<double>(x);
      base.motion.path.times.push_back(static_cast<double>(time));
      base.motion.path.poses.push_back(row);
    };
    add_row();
    for (const Leg& leg : legs) {
      at += leg.time * leg.velocity;
      R = turned_by(leg.time * leg.omega) * R;
      time += leg.time;
      add_row();
    }
  } else {
    for (Eigen::Index i = 0; i < 3; ++i) {
      base.velocity[static_cast<std::size_t>(i)] = static_cast<double>(legs[0].velocity[i]);
      base.velocity[static_cast<std::size_t>(i) + 3] = static_cast<double>(legs[0].omega[i]);
    }
  }
  add_arm(scene, 2, {0.25, 0, 0.35}, 1);
  Body& slider = add_box(scene, {0.5, 0, 0.7}, 0.7, {0.02, 0.01, 0.03}, {0.1, 0.2, 0.05});
  slider.motion.type = MotionType::kPrismatic;
  slider.motion.parent = 2;
  slider.motion.axis = {1, 0.5, 0};
  slider.motion.velocity = 0.4;
  return finished(scene, true);
}

// --- steps -----------------------------------------------------------------------------------------------------------

MotionState after(SceneDescription scene, double time_step, double time) {
  scene.rollout.time_step = time_step;
  const RolloutReference stepper(scene);
  MotionState state = stepper.initial_state();
  const auto count = static_cast<int>(std::lround(time / time_step));
  for (int i = 0; i < count; ++i) stepper.step(state);
  return state;
}

/// Of positions and rates: errors at 2 ms, and the order between 2 and 1 ms. The equations of motion may be of a scene
/// with more joints, which come first.
void expect_second_order(const SceneDescription& scene, const SceneDescription& of_equations, double time, double most,
                         const std::vector<Leg>& legs = {}) {
  Lagrangian exact(of_equations, legs);
  exact.integrate(time, 1e-3L);
  const auto coarse = exact.error_of(after(scene, 2e-3, time)), fine = exact.error_of(after(scene, 1e-3, time));
  EXPECT_LT(coarse[0], most);
  for (std::size_t i = 0; i < 2; ++i) {
    const double order = static_cast<double>(std::log2(coarse[i] / fine[i]));
    EXPECT_GT(order, 1.9) << i;
  }
}

void expect_second_order(const SceneDescription& scene, double time, double most, const std::vector<Leg>& legs = {}) {
  expect_second_order(scene, scene, time, most, legs);
}

struct Totals {
  Real energy = 0, mass = 0;
  Vector3 momentum = Vector3::Zero(), angular = Vector3::Zero();  // about the origin of the world
};

/// Kinetic energy and momenta of the bodies that have a mass; those of `only` if there are any.
Totals totals(const SceneDescription& scene, const MotionState& state, const std::vector<std::size_t>& only = {}) {
  Totals sum;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    if (!body.mass || (!only.empty() && std::find(only.begin(), only.end(), i) == only.end())) continue;
    const Matrix3 R = state.poses[i].orientation.toRotationMatrix();
    Matrix3 inertia = Matrix3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      inertia(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) = (*body.inertia)[k];
    }
    const Vector3 arm =
        R * as_vector({(*body.center_of_mass)[0], (*body.center_of_mass)[1], (*body.center_of_mass)[2]});
    const Vector3 omega = state.velocities[i].tail<3>(), velocity = state.velocities[i].head<3>() + omega.cross(arm);
    const Vector3 spin = R * inertia * R.transpose() * omega, linear = *body.mass * velocity;
    sum.mass += *body.mass;
    sum.momentum += linear;
    sum.angular += spin + (state.poses[i].position + arm).cross(linear);
    sum.energy += (linear.dot(velocity) + spin.dot(omega)) / 2;
  }
  return sum;
}

/// The larger change of the two momenta, relative to them.
Real change_of_momenta(const Totals& before, const Totals& after) {
  return std::max((after.momentum - before.momentum).norm() / before.momentum.norm(),
                  (after.angular - before.angular).norm() / before.angular.norm());
}

Real difference(const MotionState& a, const MotionState& b, std::size_t bodies) {
  Real most = 0;
  for (std::size_t i = 0; i < bodies; ++i) {
    most = std::max(most, (a.poses[i].position - b.poses[i].position).norm());
    most = std::max(most, a.poses[i].orientation.angularDistance(b.poses[i].orientation));
    most = std::max(most, (a.velocities[i] - b.velocities[i]).norm());
  }
  return most;
}

TEST(TreeReference, ChainsFallAsTheirEquationsOfMotionSay) {
  expect_second_order(rods(1, 0.3, 0.5), 0.3, 1e-5);
  expect_second_order(rods(3, 0.3, 0.5), 0.3, 5e-5);
  expect_second_order(rods(7, 0.1, 0.1), 0.1, 1e-4);
}

TEST(TreeReference, AnArmOfSixLinksMovesAsItsEquationsOfMotionSay) { expect_second_order(six_link_arm(), 0.3, 2e-4); }

TEST(TreeReference, ArmatureIsThatOfTheJoint) {
  SceneDescription scene = six_link_arm();
  for (Body& body : scene.bodies) body.motion.armature = 0.05;
  expect_second_order(scene, 0.3, 1e-4);
}

/// The third joint follows the first one; and one on the world follows the second, of another kind.
TEST(TreeReference, JointsFollowOthersOfTheirTree) {
  test::SceneBuilder builder;
  add_arm(builder, 4, {0, 0, 0}, 1);
  Body& slider = add_box(builder, {1, 0, 0}, 0.6, {0.01, 0, 0}, {0.1, 0.1, 0.1});
  slider.motion.type = MotionType::kPrismatic;
  slider.motion.axis = {0, 1, 1};
  slider.motion.mimic = Mimic{1, 0.3, 0.05};
  Body& third = builder.description.bodies[2];
  third.motion.velocity = 0;
  third.motion.mimic = Mimic{0, -1.5, 0.2};
  expect_second_order(finished(builder, true), 0.3, 1e-4);
}

TEST(TreeReference, AnArmOnAMovingBaseMovesAsItsEquationsOfMotionSay) {
  const std::vector<Leg> one = {{{0.3, -0.2, 0.4}, {0.5, 1, -2}, 1}};
  expect_second_order(arm_on_base(one, false), 0.3, 1e-4, one);
  expect_second_order(arm_on_base(one, true), 0.3, 1e-4, one);
}

/// At 0.1 and 0.2 s, where momenta stay.
TEST(TreeReference, AnArmGoesOnWhereItsBaseTakesAnotherTwist) {
  const std::vector<Leg> legs = {
      {{0, 0, 0}, {0, 0, 0}, 0.1L}, {{0.3L, -0.2L, 0.4L}, {0.5L, 1, -2}, 0.1L}, {{0, 0.5L, 0}, {0, 0, 3}, 1}};
  expect_second_order(arm_on_base(legs, true), 0.3, 1e-4, legs);
}

TEST(TreeReference, EulerIsOfFirstOrderAndKeepsMomenta) {
  SceneDescription scene = six_link_arm();
  scene.rollout.integrator = Integrator::kEuler;
  Lagrangian exact(scene, {});
  exact.integrate(0.2L, 1e-3L);
  const Real coarse = exact.error_of(after(scene, 1e-3, 0.2))[0], fine = exact.error_of(after(scene, 5e-4, 0.2))[0];
  EXPECT_LT(coarse, 2e-2);
  EXPECT_NEAR(static_cast<double>(coarse / fine), 2, 0.2);

  SceneDescription free = two_arms();
  free.rollout.integrator = Integrator::kEuler;
  const Totals before = totals(free, RolloutReference(free).initial_state());
  EXPECT_LT(change_of_momenta(before, totals(free, after(free, 1e-2, 1))), 1e-12L);
}

TEST(TreeReference, AFreeTreeKeepsMomentaAndEnergy) {
  const SceneDescription scene = two_arms();
  const Totals before = totals(scene, RolloutReference(scene).initial_state());
  for (const auto& [time_step, most] : {std::pair{1e-2, 1e-4L}, std::pair{2e-3, 4e-6L}}) {
    const Totals then = totals(scene, after(scene, time_step, 1));
    EXPECT_LT(change_of_momenta(before, then), 1e-12L) << time_step;
    EXPECT_LT(std::abs(then.energy / before.energy - 1), most) << time_step;
  }
}

/// So fast that the midpoint rule comes to rest only in parts of a step.
TEST(TreeReference, AFreeTreeThatTurnsFastKeepsMomentaAndEnergy) {
  SceneDescription scene = two_arms();
  for (Body& body : scene.bodies) {
    body.motion.velocity *= 8;
    for (std::size_t k = 3; k < 6; ++k) body.velocity[k] *= 8;
  }
  const Totals before = totals(scene, RolloutReference(scene).initial_state());
  const Totals then = totals(scene, after(scene, 1e-2, 0.3));
  EXPECT_LT(change_of_momenta(before, then), 1e-12L);
  EXPECT_LT(std::abs(then.energy / before.energy - 1), 1e-3L);
}

/// A joint of it moves another one, on the world or on another free body, which takes none of its momenta.
TEST(TreeReference, FreeTreesThatAFollowerConnectsKeepTheirMomentaAndTheirEnergy) {
  for (const bool on_world : {true, false}) {
    test::SceneBuilder builder;
    builder.description = two_arms();
    Body& elsewhere = add_box(builder, {2, 0, 0}, 0.4, {0.1, 0, 0}, {0.2, 0.1, 0.05});
    on_hinge(elsewhere, on_world ? -1 : 6, {0, 1, 0});
    elsewhere.motion.mimic = Mimic{2, 0.7, 0};
    Body& other = add_box(builder, {1.9, 0, 0}, 3, {-0.02, 0.03, 0}, {0.2, 0.15, 0.1});
    other.velocity = {0.1, 0, 0.2, 2, -1, 1};
    const SceneDescription scene = finished(builder, false);
    const MotionState begin = RolloutReference(scene).initial_state(), end = after(scene, 2e-3, 0.4);
    const auto change_of = [&](const std::vector<std::size_t>& bodies) {
      return change_of_momenta(totals(scene, begin, bodies), totals(scene, end, bodies));
    };
    const auto gain_of = [&](const std::vector<std::size_t>& bodies) {
      return std::abs(totals(scene, end, bodies).energy / totals(scene, begin, bodies).energy - 1);
    };
    EXPECT_LT(change_of({0, 1, 2, 3, 4}), 1e-12L);
    EXPECT_LT(change_of(on_world ? std::vector<std::size_t>{6} : std::vector<std::size_t>{5, 6}), 1e-12L);
    EXPECT_LT(gain_of({}), 1e-5L);
    EXPECT_GT(gain_of({0, 1, 2, 3, 4}), 1e-3L);
  }
}

TEST(TreeReference, AFreeTreeFallsWithItsCenterAndItsJointsMoveAsWithoutGravity) {
  SceneDescription scene = two_arms();
  const MotionState without = after(scene, 5e-3, 0.5);
  scene.rollout.gravity = {0, 0, -static_cast<double>(kGravity)};
  const MotionState with = after(scene, 5e-3, 0.5);
  const Totals before = totals(scene, RolloutReference(scene).initial_state()), then = totals(scene, with);
  const Vector3 given(0, 0, -before.mass * static_cast<double>(kGravity) / 2);
  EXPECT_LT((then.momentum - before.momentum - given).norm(), 1e-15L);
  for (std::size_t j = 0; j < with.joints.size(); ++j) {
    EXPECT_LT(std::abs(with.joints[j].position - without.joints[j].position), 1e-14L);
  }
}

/// For its equations of motion the free body is on six joints without mass.
TEST(TreeReference, AFreeTreeMovesAsItsEquationsOfMotionSay) {
  const SceneDescription scene = two_arms();
  test::SceneBuilder on_joints;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t k = i % 3;
    const Vector axis = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    Body& body = add_box(on_joints, {0, 0, 0}, 0, {0, 0, 0}, {0, 0, 0});
    on_hinge(body, static_cast<int>(i) - 1, axis, scene.bodies[0].velocity[i]);
    if (i < 3) body.motion.type = MotionType::kPrismatic;
  }
  Body& root = on_joints.description.bodies[5];
  root.mass = scene.bodies[0].mass;
  root.center_of_mass = scene.bodies[0].center_of_mass;
  root.inertia = scene.bodies[0].inertia;
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
    Body& link = on_joints.description.bodies.emplace_back(scene.bodies[i]);
    link.motion.parent = 5 + *link.motion.parent;
  }
  expect_second_order(scene, finished(on_joints, false), 0.3, 1e-5);
}

TEST(TreeReference, AFreeBodyWithALinkOfNoMassTurnsAsAlone) {
  for (const bool is_plate : {false, true}) {
    test::SceneBuilder builder;
    const Vector size = is_plate ? Vector{0.2, 0.15, 0.01} : Vector{0.3, 0.2, 0.1};
    Body& body = add_box(builder, {0.1, 0.2, 0.3}, 2, {0.01, 0, 0.02}, size);
    body.velocity = {0.3, -0.2, 0.1, 3, 2, 4};
    const SceneDescription alone = finished(builder, true);
    Body& link = add_box(builder, {0.25, 0.2, 0.3}, 2e-6, {0.05, 0, 0}, {0.1, 0.02, 0.02});
    on_hinge(link, 0, {0, 1, 0});
    const SceneDescription tree = finished(builder, true);
    EXPECT_LT(difference(after(alone, 1e-2, 1), after(tree, 1e-2, 1), 1), 1e-4L);
  }
}

/// With a drive, damping, friction, and a stop that it bounces from. The joint that carries it has a heavy rotor.
TEST(TreeReference, AJointBetweenOneThatDoesNotYieldAndALinkOfNoMassMovesAsAlone) {
  test::SceneBuilder builder;
  Body& flap = add_box(builder, {0, 0, 0}, 0.5, {0.15, 0, 0}, {0.3, 0.02, 0.02});
  on_hinge(flap, -1, {0, 1, 0});
  flap.motion.upper = 0.7;
  flap.motion.drive = {.force = {}, .stiffness = 3, .damping = 0.02, .target = {{0, 0.2}}, .force_limit = 0.6};
  flap.motion.damping = 0.01;
  flap.motion.friction = 0.05;
  flap.motion.bounce = 0.5;
  builder.description.contact.slip_tolerance = 1e-4;
  builder.description.rollout.time_step = 2e-3;
  SceneDescription alone = finished(builder, true);
  Body& link = add_box(builder, {0.3, 0, 0}, 1e-9, {0.05, 0, 0}, {0.1, 0.02, 0.02});
  on_hinge(link, 0, {0, 1, 0});
  Body& hub = add_box(builder, {0, 0, 0}, 1, {0, 0, 0}, {0.1, 0.1, 0.1});
  on_hinge(hub, -1, {0, 1, 0});
  hub.motion.armature = 1e9;
  builder.description.bodies[0].motion.parent = 2;
  SceneDescription tree = finished(builder, true);
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler}) {
    alone.rollout.integrator = tree.rollout.integrator = integrator;
    for (const double start : {0.0, 0.698}) {  // then it is at the stop in the first half of a step
      alone.bodies[0].motion.position = tree.bodies[0].motion.position = start;
      alone.bodies[0].motion.velocity = tree.bodies[0].motion.velocity = start > 0 ? 5 : 1;
      const RolloutReference of_alone(alone), of_tree(tree);
      MotionState expected = of_alone.initial_state(), found = of_tree.initial_state();
      Real most = 0, farthest = 0, back = 0;
      for (int i = 0; i < 150; ++i) {
        of_alone.step(expected);
        of_tree.step(found);
        most = std::max(most, difference(expected, found, 1));
        farthest = std::max(farthest, found.joints[0].position);
        back = std::min(back, found.joints[0].rate);
      }
      EXPECT_LT(most, 1e-6L);
      EXPECT_NEAR(static_cast<double>(farthest), 0.7, 0.01);
      EXPECT_LT(back, -2);
    }
  }
}

TEST(TreeReference, TheOrderOfBodiesIsOfNoMatter) {
  const SceneDescription scene = six_link_arm();
  SceneDescription reversed = scene;
  std::reverse(reversed.bodies.begin(), reversed.bodies.end());
  for (Body& body : reversed.bodies) {
    if (body.motion.parent) body.motion.parent = 5 - *body.motion.parent;
  }
  MotionState a = after(scene, 2e-3, 0.1), b = after(reversed, 2e-3, 0.1);
  std::reverse(b.poses.begin(), b.poses.end());
  std::reverse(b.velocities.begin(), b.velocities.end());
  EXPECT_LT(difference(a, b, 6), 1e-15L);
}

/// A tree that turns hits a free box, with friction: the wrenches are inner ones.
TEST(TreeReference, AContactKeepsMomenta) {
  test::SceneBuilder builder;
  builder.description = two_arms();
  Body& box = add_box(builder, {0.36, 0.06, -0.11}, 0.3, {0.01, 0.02, 0}, {0.1, 0.12, 0.08});
  box.velocity = {0, 0, 0.5, 1, 0, 2};
  for (Body& body : builder.description.bodies) {
    body.rigid = false;
    body.modulus = 1e5;
    body.dissipation = 1;
    body.friction = 0.5;
  }
  SceneDescription scene = finished(builder, false);
  scene.pairs = {{2, 5, {}, {}}};
  const Totals before = totals(scene, RolloutReference(scene).initial_state());
  scene.rollout.time_step = 2e-3;
  const RolloutReference stepper(scene);
  MotionState state = stepper.initial_state();
  Real force = 0, change = 0;
  for (int i = 0; i < 50; ++i) {
    force = std::max(force, stepper.step(state)[0].norm());
    change = std::max(change, change_of_momenta(before, totals(scene, state)));
  }
  EXPECT_GT(force, 1);
  EXPECT_LT(change, 1e-12L);
  EXPECT_LT(totals(scene, state).energy, before.energy);
}

TEST(TreeReference, ATreeThatLiesOnTheGroundIsHeldByItsWeight) {
  test::SceneBuilder builder;
  Body& root = add_box(builder, {0, 0, 0.0495}, 1, {0.01, 0, 0}, {0.1, 0.1, 0.1});
  root.motion = {};
  Body& link = add_box(builder, {0.05, 0, 0.0495}, 0.5, {0.1, 0, 0}, {0.1, 0.1, 0.1});
  link.offset = {0.1, 0, 0, 1, 0, 0, 0};
  on_hinge(link, 0, {0, 1, 0});
  for (Body& body : builder.description.bodies) {
    body.rigid = false;
    body.modulus = 1e5;
    body.dissipation = 5;
  }
  builder.add_ground();
  SceneDescription scene = finished(builder, true);
  scene.pairs = {{0, 2, {}, {}}, {1, 2, {}, {}}};
  scene.rollout.time_step = 5e-3;
  const RolloutReference stepper(scene);
  MotionState state = stepper.initial_state();
  std::vector<Vector6> wrenches;
  for (int i = 0; i < 200; ++i) wrenches = stepper.step(state);
  const Vector3 force = wrenches[0].head<3>() + wrenches[1].head<3>();
  EXPECT_LT((force - Vector3(0, 0, 1.5L * kGravity)).norm(), 1e-6L);
  EXPECT_LT(std::abs(state.joints[0].rate), 1e-6L);
}

TEST(TreeReference, StepsOfTwoStagesAreRefused) {
  SceneDescription scene = rods(2, 0.3, 0.5);
  scene.rollout.integrator = Integrator::kSdirk2;
  EXPECT_THROW(RolloutReference{scene}, Error);
}

}  // namespace
}  // namespace isopatch::oracle
