// SPDX-License-Identifier: Apache-2.0
//
// Scenes that move, and what tests ask of their steps.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using Vector = std::array<double, 3>;

inline bool same_bytes(const void* a, const void* b, std::size_t size) { return std::memcmp(a, b, size) == 0; }

inline double length(const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// The unit quaternion w x y z of a rotation about an axis of any length.
inline std::array<double, 4> turn_about(const Vector& axis, double angle) {
  const double scale = std::sin(angle / 2) / length(axis);
  return {std::cos(angle / 2), scale * axis[0], scale * axis[1], scale * axis[2]};
}

inline std::array<double, 7> pose_at(const Vector& position, const std::array<double, 4>& turn = {1, 0, 0, 0}) {
  return {position[0], position[1], position[2], turn[0], turn[1], turn[2], turn[3]};
}

/// A scene made body by body.
class SceneBuilder {
 public:
  SceneBuilder() { description.bodies.reserve(64); }  // so references to bodies stay valid

  /// Adds a free body, for the caller to say more of.
  Body& add(const std::string& name, const Geometry& geometry,
            const std::array<double, 7>& pose = {0, 0, 0, 1, 0, 0, 0}) {
    description.geometries.push_back(geometry);
    Body& body = description.bodies.emplace_back();
    body.name = name;
    body.geometry = static_cast<int>(description.geometries.size()) - 1;
    body.pose = pose;
    return body;
  }
  /// Adds the rigid ground, z < 0.
  Body& add_ground(double friction = 0) {
    Body& ground = add("ground", make_half_space("ground", 1));
    ground.rigid = true;
    ground.fixed = true;
    ground.friction = friction;
    return ground;
  }
  /// Adds a soft pad that presses to the middle of a bar of 20 mm from one side (-1 or 1) along y, gap [m] beside it.
  Body& add_finger(const Geometry& pad, double side, double gap, double z, const std::vector<TimedValue>& force) {
    Body& finger = add(side < 0 ? "left" : "right", pad, pose_at({0, side * (0.03 + gap), z}));
    finger.mass = 0.05;
    finger.modulus = 1e5;
    finger.dissipation = 5;
    finger.friction = 0.8;
    finger.motion.type = MotionType::kPrismatic;
    finger.motion.axis = {0, -side, 0};
    finger.motion.drive.force = force;
    return finger;
  }
  SceneDescription finish() {
    description.pairs = all_pairs(description);
    return description;
  }

  SceneDescription description;
};

/// Environment i of the result is environment environments[i] of `all`; one may come several times.
inline RolloutStateArrays chosen(const RolloutStateArrays& all, const std::vector<std::int64_t>& environments) {
  RolloutStateArrays some;
  some.num_environments = static_cast<std::int64_t>(environments.size());
  for_each_rollout_state(
      [&](const ArrayInfo&, const auto& from, auto& to) {
        const std::size_t row = from.size() / static_cast<std::size_t>(all.num_environments);
        to.reserve(row * environments.size());
        for (const std::int64_t e : environments) {
          const auto begin = from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(e) * row);
          to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
        }
      },
      all, some);
  return some;
}

/// A simulator with its states in host memory.
struct Rollout {
  Simulator simulator;
  RolloutStateArrays state;
  RolloutOutputArrays output;

  explicit Rollout(const SceneDescription& scene, std::int64_t environments = 1,
                   Precision precision = Precision::kDouble)
      : Rollout(Simulator(Scene(scene), {.precision = precision}), environments) {}
  explicit Rollout(Simulator of, std::int64_t environments = 1)
      : simulator(std::move(of)), state(simulator.scene(), environments), output(simulator.scene(), environments) {}

  void step(int count = 1, const RolloutInput& input = {}) {
    simulator.step(state.view(), input, output.view(), count);
  }
  /// Steps one by one, calling each() after every one.
  template <class Each>
  void step(int count, const Each& each) {
    for (int i = 0; i < count; ++i) {
      step();
      each();
    }
  }
  double time_step() const { return simulator.rollout().time_step; }
  double time() const { return static_cast<double>(state.step_count[0]) * time_step(); }
  Vector position(int body, std::int64_t environment = 0) const {
    const double* p = state.poses.data() + 7 * (environment * simulator.scene().num_bodies() + body);
    return {p[0], p[1], p[2]};
  }
  std::array<double, 4> orientation(int body, std::int64_t environment = 0) const {
    const double* p = state.poses.data() + 7 * (environment * simulator.scene().num_bodies() + body);
    return {p[3], p[4], p[5], p[6]};
  }
  Vector velocity(int body, std::int64_t environment = 0) const {
    const double* v = state.velocities.data() + 6 * (environment * simulator.scene().num_bodies() + body);
    return {v[0], v[1], v[2]};
  }
  Vector angular_velocity(int body, std::int64_t environment = 0) const {
    const double* v = state.velocities.data() + 6 * (environment * simulator.scene().num_bodies() + body);
    return {v[3], v[4], v[5]};
  }
  /// Of environment 0, without that of bodies in contact.
  double energy() const { return output.kinetic_energy[0] + output.potential_energy[0]; }
};

}  // namespace isopatch::test
