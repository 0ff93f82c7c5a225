// SPDX-License-Identifier: Apache-2.0
//
// Scenes of contacts with state, and random states of them.
#pragma once

#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/paths/paths.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {

/// On the ground a ball as a volume, a block on four feet as points, a compliant cube and one of two parts with
/// bristles on their fields; and balls against a box, in a tube and against each other. All of them touch something.
inline SceneDescription remembering_bodies(Integrator integrator) {
  SceneBuilder builder;
  builder.add_ground(0.5);
  const auto add = [&](const char* name, const Geometry& geometry, const Vector& at, bool rigid) -> Body& {
    Body& body = builder.add(name, geometry, pose_at(at));
    body.friction = 0.6;
    body.mass = 0.5;
    body.rigid = rigid;
    return body;
  };
  const Geometry small = make_sphere("small", 0.01, 1);
  add("ball", make_sphere("ball", 0.05, 1), {0, 0, 0.0495}, true);
  Body& block = add("block", small, {0.5, 0, 0.0298}, true);
  block.inertia = {1e-3, 1e-3, 1e-3, 0, 0, 0};
  for (const double x : {-0.04, 0.04}) {
    for (const double y : {-0.03, 0.03}) {
      Part& foot = block.parts.emplace_back();
      foot.geometry = block.geometry;
      foot.pose = {x, y, -0.02, 1, 0, 0, 0};
    }
  }
  const Geometry cube = make_box("cube", {0.06, 0.06, 0.06});
  Body& soft = add("soft", cube, {1, 0, 0.0299}, false);
  soft.modulus = 1e6;
  soft.dissipation = 10;
  Body& halves = add("halves", make_box("half", {0.03, 0.06, 0.06}), {1.5, 0, 0.0299}, false);
  halves.modulus = 1e6;
  for (const double x : {-0.015, 0.015}) {
    Part& half = halves.parts.emplace_back();
    half.geometry = halves.geometry;
    half.pose = {x, 0, 0, 1, 0, 0, 0};
  }
  Body& table = add("table", make_box("table", {0.2, 0.2, 0.1}), {2, 0, 0.05}, true);
  table.fixed = true;
  table.modulus = 1e7;
  table.rigid = false;
  add("on edge", small, {2.1, 0, 0.1096}, true);
  Body& tube = add("tube", make_cylinder("tube", 0.05, 0.2, 16), {3, 0, 0}, true);
  tube.fixed = true;
  add("in tube", small, {3.0402, 0, 0}, true);
  add("left", small, {4, 0, 0}, true);
  add("right", small, {4.0198, 0, 0}, true);

  SceneDescription& scene = builder.description;
  scene.contact.force_law.friction_model = FrictionModel::kBristle;
  scene.contact.force_law.bristle.static_ratio = 1.3;
  const auto pair = [&](int a, int b) -> Pair& {
    Pair& added = (scene.pairs ? *scene.pairs : scene.pairs.emplace()).emplace_back();
    added.a = a, added.b = b;
    return added;
  };
  Pair& volume = pair(1, 0);
  volume.model = ContactModel::kVolumetric;
  volume.exact_spheres = true;
  volume.stiffness = 1e7;
  volume.restitution = 0.5;
  const auto points = [&](int a, int b) -> Pair& {
    Pair& added = pair(a, b);
    added.model = ContactModel::kPoint;
    return added;
  };
  points(0, 2).stiffness = 1e6;  // the ground first
  pair(3, 0);
  pair(4, 0);
  points(6, 5).restitution = 0.7;  // by Hertz
  Pair& in_tube = points(8, 7);
  in_tube.stiffness = 1e6;
  in_tube.inside = true;
  Pair& balls = points(9, 10);
  balls.stiffness = 1e5;
  balls.exponent = 1;
  balls.friction_model = FrictionModel::kCoulomb;
  scene.rollout.integrator = integrator;
  scene.rollout.time_step = 1e-3;
  return scene;
}

/// The bodies of remembering_bodies() from a file, and the block with a memory from the start.
inline SceneDescription remembering_scene() { return read_scene(source_path("tests/scenes/remembering.json")); }

/// Every value that a number of a ContactState cannot have, with its place among the eight.
inline std::vector<std::pair<std::size_t, double>> bad_memories() {
  using Limits = std::numeric_limits<double>;
  std::vector<std::pair<std::size_t, double>> bad;
  for (std::size_t place = 0; place < 8; ++place) {
    for (const double value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      bad.emplace_back(place, value);
    }
  }
  for (const std::size_t place : {0, 1, 6, 7}) {  // impact speed, offset, dwell, age
    for (const double value : {-1.0, -Limits::denorm_min()}) bad.emplace_back(place, value);
  }
  for (const double value : {1 + Limits::epsilon(), 2.0}) bad.emplace_back(6, value);
  // below small_speed, beyond ten times what bristles hold at the largest friction, and beyond all bounds
  for (const double value : {Limits::denorm_min(), 1e-310, 1e-200, 0.99e-3}) bad.emplace_back(0, value);
  for (const std::size_t place : {2, 3, 4}) {
    for (const double value : {1e2, -1e2, 1e306}) bad.emplace_back(place, value);
  }
  for (const std::size_t place : {0, 1, 5, 7}) {
    for (const double value : {1.01 * limits::kMaxContactState, 1e306}) bad.emplace_back(place, value);
  }
  return bad;
}

/// Gives every 101st environment, of all about one in a hundred, a bad memory of one of its part pairs; `round`
/// says which. Returns whether an environment has one.
inline std::vector<bool> spoil_memories(std::vector<double>& contact_state, std::size_t environments,
                                        std::size_t round) {
  const auto bad = bad_memories();
  const std::size_t row = contact_state.size() / environments, part_pairs = row / 8, count = environments / 100 + 1;
  std::vector<bool> spoiled(environments);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t e = i * 101 % environments;
    const auto& [place, value] = bad[(i + round * count) % bad.size()];
    contact_state[e * row + 8 * ((i + round) % part_pairs) + place] = value;
    spoiled[e] = true;
  }
  return spoiled;
}

/// Positions a little off, and velocities of a few centimetres a second, in any direction.
template <class States>
void disturb(const SceneDescription& scene, States& states, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::size_t bodies = scene.bodies.size();
  for (std::size_t row = 0; row < states.velocities.size() / 6; ++row) {
    if (scene.bodies[row % bodies].fixed) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      states.poses[7 * row + k] += 1e-4 * unit(random);
      states.velocities[6 * row + k] = 0.03 * unit(random);
      states.velocities[6 * row + 3 + k] = unit(random);
    }
  }
}

}  // namespace isopatch::test
