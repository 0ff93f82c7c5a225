// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// Sums the stored pair wrenches over one body's pairs, in the order of the pairs, about the body's origin. A pair
/// without a force is skipped, so the poses of an environment with a fault are not read.
ISOPATCH_HD void write_body_wrench(const SceneView& scene, const State& state, const Results& results,
                                   std::int64_t environment, int body) {
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0};
  const InputArray wrench = as_input(results.pair_wrench);
  for (std::int32_t i = scene.body_pairs_begin[body]; i < scene.body_pairs_begin[body + 1]; ++i) {
    const std::int32_t pair = scene.body_pairs[i];
    const PairView& p = scene.pairs[pair];
    const Vec3d f = read_vec3(wrench, environment, 6 * pair), t = read_vec3(wrench, environment, 6 * pair + 3);
    if (f.x == 0 && f.y == 0 && f.z == 0 && t.x == 0 && t.y == 0 && t.z == 0) continue;
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
