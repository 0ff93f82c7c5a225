// SPDX-License-Identifier: Apache-2.0
//
// Polygons and polyhedra that are poured into a box, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>

#include "tests/simulator/polytope/polytope_bodies.h"

namespace isopatch::test {

/// SplitMix64, in [0, 1).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

struct PourOptions {
  std::uint64_t seed = 1;
  bool is_flat = true;
  int bodies = 10;
  double every = 0.25, duration = 2.5, step = 0.01;  // s
  ContactRelations relations = ContactRelations::kExact;
  Integrator integrator = Integrator::kEuler;
  int iterations = 8;
  double friction = 0;
};

/// A pour, whose bodies come in when it is their turn; they wait far away.
class Pour {
 public:
  explicit Pour(const PourOptions& options) : options_(options) {
    PolytopeScene scene;
    scene.description.rollout.gravity = options.is_flat ? Vector{0, -9.81, 0} : Vector{0, 0, -9.81};
    Draws draw(options.seed);
    for (int k = 0; k < options.bodies; ++k) add_body(scene, draw, k);
    add_container(scene);
    scene.description.rollout.time_step = options.step;
    scene.description.rollout.integrator = options.integrator;
    scene.description.rollout.geometry_iterations = options.iterations;
    scene.description.contact.polytope.margin = 0.01;
    scene.description.contact.polytope.relations = options.relations;
    for (Body& body : scene.description.bodies) body.friction = options.friction;
    rollout = std::make_unique<Rollout>(scene.finish());
  }

  int num_steps() const { return static_cast<int>(std::lround(options_.duration / options_.step)); }

  /// False if it is stuck.
  bool step() {
    const int every = static_cast<int>(std::lround(options_.every / options_.step));
    if (taken_ % every == 0 && taken_ / every < options_.bodies) {
      const auto k = static_cast<std::size_t>(taken_ / every);
      for (std::size_t i = 0; i < 7; ++i) rollout->state.poses[7 * k + i] = begins_[k][i];
      for (std::size_t i = 0; i < 6; ++i) rollout->state.velocities[6 * k + i] = 0;
      rollout->state.velocities[6 * k + (options_.is_flat ? 1 : 2)] = -2;
    }
    ++taken_;
    rollout->step(1);
    return (rollout->state.status[0] & kFrozen) == 0;
  }

  /// The sum of all pairs' overlaps, m^2 or m^3.
  double overlap() const {
    const Scene& scene = rollout->simulator.scene();
    ResultArrays results(scene, 1, {.distances = true});
    State state;
    state.num_environments = 1;
    state.poses = rollout->state.poses.data();
    Evaluator(scene).evaluate(state, results.view());
    double sum = 0;
    for (const double overlap : results.overlap) sum += overlap;
    return sum;
  }

  std::unique_ptr<Rollout> rollout;

 private:
  void add_body(PolytopeScene& scene, Draws& draw, int k) {
    using std::numbers::pi;
    const std::string name = "body " + std::to_string(k);
    const std::array<double, 7> waiting = pose_at({100.0 * (k + 1), 0, 0});
    const int features = options_.is_flat ? 3 + static_cast<int>(6 * draw()) : 6 + static_cast<int>(7 * draw());
    const double radius = 0.2 + 0.15 * draw();
    if (options_.is_flat) {
      std::vector<Point2> corners;
      for (int i = 0; i < features; ++i) {
        const double angle = 2 * pi * (i + 0.6 * draw()) / features;
        corners.push_back({radius * std::cos(angle), radius * std::sin(angle)});
      }
      const Point2 center = centroid_of(corners);
      for (Point2& corner : corners) corner = {corner[0] - center[0], corner[1] - center[1]};
      const double x = 1.2 * (draw() - 0.5);
      begins_.push_back(pose_at({x, 3, 0}, turn_about({0, 0, 1}, 2 * pi * draw())));
      scene.add_polygon(name, corners, waiting);
      return;
    }
    std::vector<Point3> points;
    for (int i = 0; i < features; ++i) {
      const double z = 2 * (i + draw()) / features - 1, angle = 2 * pi * draw(), r = radius * std::sqrt(1 - z * z);
      points.push_back({r * std::cos(angle), r * std::sin(angle), radius * z});
    }
    const double x = 0.4 * (draw() - 0.5), y = 0.4 * (draw() - 0.5);
    const double z = 2 * draw() - 1, angle = 2 * pi * draw(), r = std::sqrt(1 - z * z), turn = 2 * pi * draw();
    begins_.push_back(pose_at({x, y, 3}, turn_about({r * std::cos(angle), r * std::sin(angle), z}, turn)));
    scene.add_solid(name, make_convex_hull(name, points), waiting);
  }

  static Point2 centroid_of(const std::vector<Point2>& corners) {
    double area = 0, x = 0, y = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point2 &p = corners[i], &q = corners[(i + 1) % corners.size()];
      const double part = p[0] * q[1] - p[1] * q[0];
      area += part;
      x += part * (p[0] + q[0]) / 3;
      y += part * (p[1] + q[1]) / 3;
    }
    return {x / area, y / area};
  }

  void add_container(PolytopeScene& scene) const {
    if (options_.is_flat) {
      scene.add_fixed_polygon("floor", rectangle(-1.5, -0.5, 1.5, 0));
      scene.add_fixed_polygon("left", rectangle(-1.5, 0, -1, 4));
      scene.add_fixed_polygon("right", rectangle(1, 0, 1.5, 4));
      return;
    }
    const auto box = [&](const std::string& name, const Vector& size, const Vector& at) {
      scene.add_fixed_solid(name, make_box(name, size), pose_at(at));
    };
    box("floor", {2.2, 2.2, 0.5}, {0, 0, -0.25});
    for (const double side : {-1.0, 1.0}) {
      box(side < 0 ? "left" : "right", {0.5, 2.2, 4}, {side * 0.85, 0, 2});
      box(side < 0 ? "front" : "back", {2.2, 0.5, 4}, {0, side * 0.85, 2});
    }
  }

  PourOptions options_;
  std::vector<std::array<double, 7>> begins_;
  int taken_ = 0;
};

}  // namespace isopatch::test
