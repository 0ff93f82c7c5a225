// SPDX-License-Identifier: Apache-2.0
//
// Friction of whole patches by the exact rule, against the reference's integral.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

const EvaluatorOptions kDouble = {.backend = Backend::kCpu, .precision = Precision::kDouble};
const EvaluatorOptions kReference = {.backend = Backend::kReference, .precision = Precision::kDouble};

/// A body that stands in a rigid half space, `depth` deep, without damping.
SceneDescription on_plane(const Geometry& geometry, double height, double depth) {
  SceneDescription scene = two_bodies(geometry, make_half_space("plane", 1));
  scene.bodies[0].pose[2] = height - depth;
  scene.bodies[0].dissipation = 0;
  scene.bodies[0].friction = scene.bodies[1].friction = 1;
  scene.bodies[1].rigid = true;
  return scene;
}

ResultArrays evaluate(const Scene& scene, const StateArrays& states, const EvaluatorOptions& options) {
  ResultArrays results(scene, states.num_environments);
  Evaluator(scene, options).evaluate(states.view(), results.view());
  return results;
}

/// Friction and its moment about the axis of environment i, over the normal force and over that times `size`.
std::array<double, 3> friction(const ResultArrays& r, std::size_t i, double size) {
  const double* w = &r.pair_wrench[6 * i];
  return {w[0] / w[2], w[1] / w[2], w[5] / (w[2] * size)};
}

double difference(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, std::fabs(a[k] - b[k]));
  return largest;
}

struct Body {
  Geometry geometry;
  double half_height, depth, size;
};

std::vector<Body> coarse_bodies() {
  return {{make_box("cube of 12 tets", {0.1, 0.1, 0.1}), 0.05, 0.002, 0.05},
          {make_box("plate", {0.2, 0.1, 0.02}), 0.01, 0.001, 0.1},
          {make_cylinder("cylinder of 16 sides", 0.05, 0.1, 16), 0.05, 0.002, 0.05},
          {make_cylinder("disk of 152 sides", 0.05, 0.02, 152), 0.01, 0.001, 0.05},
          {make_sphere("sphere of 80 tets", 0.05, 1), 0.05, 0.01, 0.02},
          {make_sphere("sphere of 1280 tets", 0.05, 3), 0.05, 0.01, 0.02}};
}

/// The largest difference of the rules `exact` and `fan6` from the reference's integral, over sliding and spinning
/// motions.
std::array<double, 2> worst_errors(const Body& body, int count) {
  SceneDescription description = on_plane(body.geometry, body.half_height, body.depth);
  StateArrays states(description, count);
  Random random(8);
  for (int i = 0; i < count; ++i) {
    double* velocity = &states.velocities[12 * static_cast<std::size_t>(i)];
    const double turn = random.uniform(0, 6.28), speed = body.size * random.uniform(0, 1.5);
    velocity[0] = speed * std::cos(turn);
    velocity[1] = speed * std::sin(turn);
    velocity[5] = i % 2 == 0 ? 1 : -1;
  }
  const ResultArrays expected = evaluate(Scene(description), states, kReference);
  std::array<double, 2> worst = {0, 0};
  for (const std::size_t k : {0u, 1u}) {
    description.contact.quadrature = k == 0 ? Quadrature::kExact : Quadrature::kFan6;
    const ResultArrays ours = evaluate(Scene(description), states, kDouble);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      worst[k] = std::max(worst[k], difference(friction(ours, i, body.size), friction(expected, i, body.size)));
    }
  }
  return worst;
}

TEST(FrictionRule, ErrsByAThousandthAtMostOnCoarsePatches) {
  for (const Body& body : coarse_bodies()) {
    const auto [exact, fan6] = worst_errors(body, 12);
    EXPECT_LT(exact, 1e-3) << body.geometry.name;
    EXPECT_LT(exact, fan6) << body.geometry.name;
  }
}

/// As the centre of slip passes through the polygons, the error changes by less in shorter steps; with the points of a
/// fan alone it jumps as the centre passes one.
TEST(FrictionRule, IsContinuousInTheVelocity) {
  const auto largest_change = [](Quadrature rule, int steps) {
    SceneDescription description = on_plane(make_box("cube", {0.1, 0.1, 0.1}), 0.05, 0.002);
    description.contact.quadrature = rule;
    description.contact.slip_tolerance = 1e-6;
    const Scene scene(description);
    StateArrays states(scene.description(), steps + 1);
    for (int i = 0; i <= steps; ++i) {
      double* velocity = &states.velocities[12 * static_cast<std::size_t>(i)];
      velocity[0] = 0.0213 * i / steps;
      velocity[1] = -0.1 + 0.2 * i / steps;
      velocity[5] = 1;
    }
    const ResultArrays r = evaluate(scene, states, kDouble);
    double largest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(steps); ++i) {
      largest = std::max(largest, difference(friction(r, i, 0.05), friction(r, i + 1, 0.05)));
    }
    return largest;
  };
  const double coarse = largest_change(Quadrature::kExact, 250), fine = largest_change(Quadrature::kExact, 4000);
  EXPECT_LT(fine, coarse / 8);
  EXPECT_GT(largest_change(Quadrature::kFan3, 4000), 2 * fine);
}

}  // namespace
}  // namespace isopatch::test
