// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/environment.h"

namespace isopatch::detail {

ISOPATCH_HD InputArray as_input(const OutputArray& array) {
  InputArray input;
  input.data = array.data;
  input.stride = array.stride;
  input.type = array.type;
  return input;
}

/// Sums the stored pair wrenches over one body's pairs, in the order of the pairs, about the body's origin.
/// `sound` is false for an environment with a fault: the sum is then zero.
ISOPATCH_HD void write_body_wrench(const SceneView& scene, const State& state, const Results& results,
                                   std::int64_t environment, int body, bool sound) {
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0};
  const InputArray wrench = as_input(results.pair_wrench);
  for (int pair = 0; pair < scene.num_pairs && sound; ++pair) {
    const PairView& p = scene.pairs[pair];
    if (p.a != body && p.b != body) continue;
    const Vec3d f = read_vec3(wrench, environment, 6 * pair), t = read_vec3(wrench, environment, 6 * pair + 3);
    if (p.a == body) {
      force = force + f;
      torque = torque + t;
    } else {
      const Vec3d p_WoA = read_vec3(state.poses, environment, p.a * kPoseSize);
      const Vec3d p_WoB = read_vec3(state.poses, environment, p.b * kPoseSize);
      force = force - f;
      torque = torque - (t + cross(p_WoA - p_WoB, f));
    }
  }
  write(results.body_wrench, environment, 6 * body, force);
  write(results.body_wrench, environment, 6 * body + 3, torque);
}

}  // namespace isopatch::detail
