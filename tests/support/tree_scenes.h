// SPDX-License-Identifier: Apache-2.0
//
// Scenes with joints on bodies that move, and loops.
#pragma once

#include <optional>
#include <string>

#include "tests/support/rollout_scenes.h"

namespace isopatch::test {

/// Adds a box on a joint of another body, or of the world, with the inertia of its shape.
inline Body& add_link(SceneBuilder& scene, const std::string& name, const std::optional<int>& parent, MotionType type,
                      const Vector& axis, const Vector& anchor, const Vector& center, const Vector& size, double mass) {
  Body& body = scene.add(name, make_box(name, size), pose_at(center));
  body.rigid = true;
  body.mass = mass;
  body.motion.type = type;
  body.motion.parent = parent;
  body.motion.axis = axis;
  if (type == MotionType::kRevolute) body.motion.anchor = anchor;
  return body;
}

/// A chain of rods along x that hang on the world, or on a free body, and turn about y.
inline SceneDescription rods(int count, double length, double mass, bool on_free_body = false) {
  SceneBuilder scene;
  if (on_free_body) {
    Body& root = scene.add("root", make_box("root", {0.2, 0.12, 0.08}), pose_at({-0.1, 0, 0}));
    root.rigid = true;
    root.mass = 2 * mass;
  }
  for (int i = 0; i < count; ++i) {
    const int before = static_cast<int>(scene.description.bodies.size()) - 1;
    add_link(scene, "rod" + std::to_string(i), before >= 0 ? std::optional<int>(before) : std::nullopt,
             MotionType::kRevolute, {0, 1, 0}, {i * length, 0, 0}, {(i + 0.5) * length, 0, 0}, {length, 0.02, 0.02},
             mass);
  }
  scene.description.pairs.emplace();
  return scene.description;
}

/// An arm on a base that turns: its fingers, of which one follows the other, press a bar. A trunk with a leg that
/// stands on the ground and a tail. And a gate that a loop hinges to the trunk's world.
inline SceneDescription all_kinds_of_trees(Integrator integrator) {
  SceneBuilder scene;
  Body& base = scene.add("base", make_box("base", {0.04, 0.04, 0.04}), pose_at({0, 0, 0.3}));
  base.rigid = true;
  base.motion.type = MotionType::kPrescribed;
  base.velocity = {0.02, 0, 0.01, 0, 0, 0.4};
  Body& upper = add_link(scene, "upper", 0, MotionType::kRevolute, {0, 1, 0.2}, {0, 0, 0.28}, {0, 0, 0.23},
                         {0.03, 0.03, 0.1}, 0.3);
  upper.motion.drive = {.stiffness = 40, .damping = 2, .target = {{0, 0.05}}};
  upper.motion.armature = 0.002;
  Body& lower = add_link(scene, "lower", 1, MotionType::kRevolute, {1, 0.3, 0}, {0, 0, 0.18}, {0, 0, 0.13},
                         {0.03, 0.09, 0.03}, 0.2);
  lower.motion.drive = {.stiffness = 30, .damping = 1};
  lower.motion.friction = 0.02;
  lower.motion.velocity = 0.5;
  const Geometry pad = make_sphere("pad", 0.02, 2);
  for (const double side : {-1.0, 1.0}) {
    Body& finger = scene.add_finger(pad, side, -1.5e-3, 0.1, {});
    finger.motion.parent = 2;
    if (side < 0) finger.motion.drive.force = {{0, 8}};
    if (side > 0) finger.motion.mimic = Mimic{3, 1, 0};
  }
  Body& bar = scene.add("bar", make_box("bar", {0.1, 0.02, 0.03}), pose_at({0, 0, 0.1}));
  bar.mass = 0.1;
  bar.rigid = true;
  bar.friction = 0.8;

  Body& trunk = scene.add("trunk", make_box("trunk", {0.12, 0.08, 0.05}), pose_at({0.4, 0, 0.12}));
  trunk.rigid = true;
  trunk.mass = 0.8;
  trunk.velocity = {0.1, 0, -0.1, 0.5, -0.3, 1};
  Body& leg = add_link(scene, "leg", 6, MotionType::kPrismatic, {0, 0.1, 1}, {}, {0.4, 0, 0.048}, {0.1, 0.1, 0.1}, 0.3);
  leg.rigid = false;
  leg.modulus = 1e5;
  leg.dissipation = 5;
  leg.friction = 0.5;
  leg.motion.drive = {.stiffness = 2000, .damping = 20};
  leg.motion.lower = -0.02;
  leg.motion.upper = 0.004;
  Body& tail = add_link(scene, "tail", 6, MotionType::kRevolute, {0, 1, 0.1}, {0.47, 0, 0.12}, {0.51, 0, 0.12},
                        {0.08, 0.01, 0.01}, 0.05);
  tail.motion.velocity = -3;

  Body& gate = scene.add("gate", make_box("gate", {0.1, 0.02, 0.1}), pose_at({-0.3, 0, 0.2}));
  gate.rigid = true;
  gate.mass = 0.2;
  scene.add_ground(0.6);
  scene.description.loops = {{LoopType::kHinge, 9, 10, {-0.35, 0, 0.2}, {0, 1, 0.1}}};
  scene.description.exclude = {{0, 2}, {0, 3}};
  scene.description.rollout.time_step = 2e-3;
  scene.description.rollout.integrator = integrator;
  return scene.finish();
}

}  // namespace isopatch::test
