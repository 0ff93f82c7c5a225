// SPDX-License-Identifier: Apache-2.0
//
// Two parts, and what they have in common.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "host/scene/scene_data.h"
#include "isopatch/detail/overlap/sum_pass.h"
#include "isopatch/isopatch.h"

namespace isopatch::test {

using namespace detail;

/// A scene of two bodies, whose parts an overlap is looked for of.
struct Two {
  Scene scene;

  Two(const Geometry& a, const Geometry& b) : scene(description(a, b)) {}

  static SceneDescription description(const Geometry& a, const Geometry& b) {
    SceneDescription d;
    d.geometries = {a, b};
    d.bodies.resize(2);
    d.bodies[0].name = "a", d.bodies[1].name = "b";
    d.bodies[1].geometry = 1;
    d.bodies[0].rigid = a.is_surface_mesh(), d.bodies[1].rigid = b.is_surface_mesh();
    d.pairs = std::vector<Pair>{};
    return d;
  }

  template <bool with_rates = false, bool brute_force = false>
  PartOverlap overlap(const Transform<double>& X_A, const Transform<double>& X_B, Twist twist_a = {},
                      Twist twist_b = {}) const {
    const SceneView& view = scene.data().view;
    Transform<double> from_a = X_A, of_b = X_B;
    of_b.translation = X_B.translation - X_A.translation;
    from_a.translation = {0, 0, 0};
    const OverlapParts parts = {view.geometries[view.parts[0].geometry],
                                view.geometries[view.parts[1].geometry],
                                view.parts[0],
                                view.parts[1],
                                from_a,
                                of_b,
                                twist_a,
                                twist_b};
    SerialWarp warp;
    OverlapPass pass;
    TraversalMemory<AcceptedCells, 1> memory;
    return find_overlap<with_rates>(
        warp, parts, pass, [&](const OverlapPass& f) { return sum_pass<with_rates, brute_force>(warp, memory, f); });
  }
};

inline Transform<double> at(double x, double y, double z) {
  Transform<double> X = rotation_of(1, 0, 0, 0);
  X.translation = {x, y, z};
  return X;
}

inline Transform<double> random_pose(std::mt19937& random, double reach) {
  std::normal_distribution<double> normal;
  double q[4], square = 0;
  for (double& k : q) k = normal(random), square += k * k;
  const double scale = 1 / std::sqrt(square);
  Transform<double> X = rotation_of(scale * q[0], scale * q[1], scale * q[2], scale * q[3]);
  X.translation = {reach * normal(random), reach * normal(random), reach * normal(random)};
  return X;
}

inline Geometry cube(double size) { return make_box("cube", {size, size, size}); }

}  // namespace isopatch::test
