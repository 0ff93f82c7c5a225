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
#include "tests/reference/rollout/tree_scenes.h"

namespace isopatch::oracle {
namespace {

using reference::MotionState;
using reference::RolloutReference;
using reference::Vector6;
using test::Vector;

MotionState after(SceneDescription scene, double time_step, double time) {
  scene.rollout.time_step = time_step;
  const RolloutReference stepper(scene);
  MotionState state = stepper.initial_state();
  const auto count = static_cast<int>(std::lround(time / time_step));
  for (int i = 0; i < count; ++i) stepper.step(state);
  return state;
}

/// Of positions and rates: the error after steps of some length, and the order between these and steps half as long.
struct Accuracy {
  double order, time_step, most;
};

/// The equations of motion may be of a scene with more joints, which come first.
void expect_accuracy(const SceneDescription& scene, const SceneDescription& of_equations, double time,
                     const Accuracy& accuracy, const std::vector<Leg>& legs = {}) {
  Lagrangian exact(of_equations, legs);
  exact.integrate(time, 5e-4L);
  const auto coarse = exact.error_of(after(scene, accuracy.time_step, time));
  const auto fine = exact.error_of(after(scene, accuracy.time_step / 2, time));
  EXPECT_LT(coarse[0], accuracy.most);
  for (std::size_t i = 0; i < 2; ++i) {
    const double order = static_cast<double>(std::log2(coarse[i] / fine[i]));
    EXPECT_GT(order, accuracy.order) << i;
  }
}

void expect_second_order(const SceneDescription& scene, double time, double most, const std::vector<Leg>& legs = {}) {
  expect_accuracy(scene, scene, time, {1.9, 2e-3, most}, legs);
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
  SceneDescription rod = rods(1, 0.3, 0.5);
  rod.bodies[0].motion.velocity = 2;  // from rest at the horizontal, errors of second order cancel
  expect_second_order(rod, 0.3, 1.6e-6);
  expect_second_order(rods(3, 0.3, 0.5), 0.3, 7e-6);
  expect_second_order(rods(7, 0.1, 0.1), 0.1, 2e-5);
}

TEST(TreeReference, AnArmOfSixLinksMovesAsItsEquationsOfMotionSay) { expect_second_order(six_link_arm(), 0.3, 1.5e-5); }

TEST(TreeReference, ArmatureIsThatOfTheJoint) {
  SceneDescription scene = six_link_arm();
  for (Body& body : scene.bodies) body.motion.armature = 0.05;
  expect_second_order(scene, 0.3, 5e-6);
}

TEST(TreeReference, JointsFollowOthersOfTheirTree) { expect_second_order(arm_with_followers(), 0.3, 8e-5); }

TEST(TreeReference, AnArmOnAMovingBaseMovesAsItsEquationsOfMotionSay) {
  const std::vector<Leg> one = {{{0.3, -0.2, 0.4}, {0.5, 1, -2}, 1}};
  expect_second_order(arm_on_base(one, false), 0.3, 2.5e-6, one);
  expect_second_order(arm_on_base(one, true), 0.3, 2.5e-6, one);
}

/// At 0.1 and 0.2 s, where momenta stay.
TEST(TreeReference, AnArmGoesOnWhereItsBaseTakesAnotherTwist) {
  const std::vector<Leg> legs = {
      {{0, 0, 0}, {0, 0, 0}, 0.1L}, {{0.3L, -0.2L, 0.4L}, {0.5L, 1, -2}, 0.1L}, {{0, 0.5L, 0}, {0, 0, 3}, 1}};
  expect_second_order(arm_on_base(legs, true), 0.3, 1e-5, legs);
}

TEST(TreeReference, EulerIsOfFirstOrderAndKeepsMomenta) {
  SceneDescription scene = six_link_arm();
  scene.rollout.integrator = Integrator::kEuler;
  Lagrangian exact(scene, {});
  exact.integrate(0.2L, 1e-3L);
  const Real coarse = exact.error_of(after(scene, 1e-3, 0.2))[0], fine = exact.error_of(after(scene, 5e-4, 0.2))[0];
  EXPECT_LT(coarse, 6e-3);
  EXPECT_NEAR(static_cast<double>(coarse / fine), 2, 0.2);

  SceneDescription free = two_arms();
  free.rollout.integrator = Integrator::kEuler;
  const Totals before = totals(free, RolloutReference(free).initial_state());
  EXPECT_LT(change_of_momenta(before, totals(free, after(free, 1e-2, 1))), 1e-16L);
}

TEST(TreeReference, AFreeTreeKeepsMomentaAndEnergy) {
  const SceneDescription scene = two_arms();
  const Totals before = totals(scene, RolloutReference(scene).initial_state());
  for (const auto& [time_step, most] : {std::pair{1e-2, 2e-8L}, std::pair{2e-3, 8e-11L}}) {
    const Totals then = totals(scene, after(scene, time_step, 1));
    EXPECT_LT(change_of_momenta(before, then), 1e-16L) << time_step;
    EXPECT_LT(std::abs(then.energy / before.energy - 1), most) << time_step;
  }
}

/// So fast that it takes several parts of half a step.
TEST(TreeReference, AFreeTreeThatTurnsFastKeepsMomentaAndEnergy) {
  SceneDescription scene = two_arms();
  for (Body& body : scene.bodies) {
    body.motion.velocity *= 8;
    for (std::size_t k = 3; k < 6; ++k) body.velocity[k] *= 8;
  }
  const Totals before = totals(scene, RolloutReference(scene).initial_state());
  const Totals then = totals(scene, after(scene, 1e-2, 0.3));
  EXPECT_LT(change_of_momenta(before, then), 1e-16L);
  EXPECT_LT(std::abs(then.energy / before.energy - 1), 2e-7L);
}

/// A joint of it moves another one, on the world or on another free body, which takes none of its momenta.
TEST(TreeReference, FreeTreesThatAFollowerConnectsKeepTheirMomentaAndTheirEnergy) {
  for (const bool on_world : {true, false}) {
    const SceneDescription scene = connected_arms(on_world);
    const MotionState begin = RolloutReference(scene).initial_state(), end = after(scene, 2e-3, 0.4);
    const auto change_of = [&](const std::vector<std::size_t>& bodies) {
      return change_of_momenta(totals(scene, begin, bodies), totals(scene, end, bodies));
    };
    const auto gain_of = [&](const std::vector<std::size_t>& bodies) {
      return std::abs(totals(scene, end, bodies).energy / totals(scene, begin, bodies).energy - 1);
    };
    EXPECT_LT(change_of({0, 1, 2, 3, 4}), 1e-16L);
    EXPECT_LT(change_of(on_world ? std::vector<std::size_t>{6} : std::vector<std::size_t>{5, 6}), 1e-16L);
    EXPECT_LT(gain_of({}), 7e-10L);
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
    EXPECT_LT(std::abs(with.joints[j].position - without.joints[j].position), 1e-16L);
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
  expect_accuracy(scene, finished(on_joints, false), 0.3, {3.8, 4e-3, 6e-9});
}

/// The second size is that of a symmetric top, which alone turns exactly.
TEST(TreeReference, AFreeBodyWithALinkOfNoMassTurnsAsAlone) {
  const std::pair<Vector, Real> sizes[] = {
      {{0.3, 0.2, 0.1}, 6e-5L}, {{0.2, 0.2, 0.01}, 2e-5L}, {{0.2, 0.15, 0.01}, 2e-4L}};
  for (const auto& [size, most] : sizes) {
    test::SceneBuilder builder;
    Body& body = add_box(builder, {0.1, 0.2, 0.3}, 2, {0.01, 0, 0.02}, size);
    body.velocity = {0.3, -0.2, 0.1, 3, 2, 4};
    const SceneDescription alone = finished(builder, true);
    Body& link = add_box(builder, {0.25, 0.2, 0.3}, 2e-6, {0.05, 0, 0}, {0.1, 0.02, 0.02});
    on_hinge(link, 0, {0, 1, 0});
    const SceneDescription tree = finished(builder, true);
    EXPECT_LT(difference(after(alone, 1e-2, 1), after(tree, 1e-2, 1), 1), most);
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
      EXPECT_LT(most, 1.5e-7L);
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
  EXPECT_LT(change, 1e-16L);
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
  EXPECT_LT((force - Vector3(0, 0, 1.5L * kGravity)).norm(), 1e-13L);
  EXPECT_LT(std::abs(state.joints[0].rate), 1e-13L);
}

TEST(TreeReference, StepsOfTwoStagesAreRefused) {
  SceneDescription scene = rods(2, 0.3, 0.5);
  scene.rollout.integrator = Integrator::kSdirk2;
  EXPECT_THROW(RolloutReference{scene}, Error);
}

}  // namespace
}  // namespace isopatch::oracle
