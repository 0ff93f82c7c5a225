// SPDX-License-Identifier: Apache-2.0
//
// Small scenes that have what a step can have, and states of many environments of them.
#pragma once

#include "tests/support/rollouts.h"

namespace isopatch::test {

/// A ball, a box on the ground and a compound of both above them: bodies of several parts, and most pairs touch.
inline SceneDescription dropped_bodies(Integrator integrator) {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 1), pose_at({0, 0, 0.045}));
  Body& box = scene.add("box", make_box("box", {0.1, 0.08, 0.06}), pose_at({0.085, 0, 0.029}));
  Body& both = scene.add("both", make_box("plate", {0.2, 0.06, 0.03}), pose_at({0.04, 0.01, 0.108}));
  Part plate, knob;
  plate.geometry = both.geometry;
  knob.geometry = ball.geometry;
  knob.pose = pose_at({0.12, 0, 0});
  both.parts = {plate, knob};
  for (Body* body : {&ball, &box, &both}) {
    body->modulus = 1e5;
    body->dissipation = 4;
    body->friction = 0.4;
    body->velocity = {0.1, -0.2, -0.3, 1, 2, -1};
  }
  ball.mass = 0.4;
  box.modulus = 3e5;
  scene.add_ground(0.6);
  scene.description.rollout.time_step = 2e-3;
  scene.description.rollout.integrator = integrator;
  return scene.finish();
}

/// Two fingers on a hand that turns press a bar, and a flap on a revolute joint with a drive leans on it.
inline SceneDescription gripped_bar(Integrator integrator) {
  SceneBuilder scene;
  Body& hand = scene.add("hand", make_box("hand", {0.01, 0.01, 0.01}), pose_at({0, 0, 0.2}));
  hand.rigid = true;
  hand.motion.type = MotionType::kPrescribed;
  hand.motion.path.times = {0, 1};
  hand.motion.path.poses = {hand.pose, pose_at({0, 0.1, 0.2}, turn_about({0, 0, 1}, 1))};
  Body& bar = scene.add("bar", make_box("bar", {0.16, 0.02, 0.04}));
  bar.mass = 0.1;
  bar.rigid = true;
  bar.friction = 0.8;
  const Geometry pad = make_sphere("pad", 0.02, 2);
  for (const double side : {-1.0, 1.0}) {
    scene.add_finger(pad, side, -1.5e-3, 0, {{0, 10}, {0.01, 12}}).motion.parent = 0;
  }
  Body& flap = scene.add("flap", make_box("flap", {0.06, 0.06, 0.01}), pose_at({0.07, 0, 0.0245}));
  flap.modulus = 1e5;
  flap.dissipation = 5;
  flap.friction = 0.3;
  flap.motion.type = MotionType::kRevolute;
  flap.motion.axis = {0, 1, 0};
  flap.motion.anchor = {{0.1, 0, 0.0245}};
  flap.motion.drive.stiffness = 2;
  flap.motion.drive.damping = 0.01;
  flap.motion.drive.force_limit = 0.5;
  scene.description.rollout.time_step = 2e-3;
  scene.description.rollout.integrator = integrator;
  return scene.finish();
}

/// A ball of 5 120 tets, far from the ground as the scene begins.
inline SceneDescription ball_above_ground() {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 4), pose_at({0, 0, 0.2}));
  ball.modulus = 1e5;
  ball.mass = 0.4;
  scene.add_ground();
  return scene.finish();
}

/// The ball deep in the ground, in every environment: more polygons than there is room for at first.
inline RolloutStateArrays ball_in_ground(const Scene& scene, std::int64_t environments) {
  RolloutStateArrays states(scene, environments);
  const std::size_t row = 7 * static_cast<std::size_t>(scene.num_bodies());
  for (std::size_t at = 2; at < states.poses.size(); at += row) states.poses[at] = 0.02;
  return states;
}

/// The scene's state, with the free bodies of all environments but the first moved by a few millimetres.
inline RolloutStateArrays random_states(const SceneDescription& description, std::int64_t environments, unsigned seed) {
  const Scene scene(description);
  RolloutStateArrays states(scene, environments);
  Random random(seed);
  const std::size_t bodies = description.bodies.size();
  for (std::size_t e = 1; e < static_cast<std::size_t>(environments); ++e) {
    for (std::size_t body = 0; body < bodies; ++body) {
      const Body& of = description.bodies[body];
      if (of.fixed || of.motion.type != MotionType::kFree) continue;
      for (std::size_t i = 0; i < 3; ++i) {
        states.poses[7 * (e * bodies + body) + i] += random.uniform(-2e-3, 2e-3);
        states.velocities[6 * (e * bodies + body) + i] += random.uniform(-0.1, 0.1);
      }
    }
  }
  return states;
}

}  // namespace isopatch::test
