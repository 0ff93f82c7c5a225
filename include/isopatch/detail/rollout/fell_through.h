// SPDX-License-Identifier: Apache-2.0
//
// Whether a free body has gone through what should carry it: a pair of bodies holds only up to a largest force, and
// what is heavier, or faster than a step can stop, comes out on the other side.
//
// It is looked for where there is another side: its centre of mass is below a half space, that is, below the plane of a
// rigid one, or deeper than the thickness of a compliant one; or it has just passed the middle of the bounding box of a
// solid part, along gravity, near enough to the axis to be inside. From there the part pushes it out at the far side.
// There only centres that are inside their own body count: that of a ring is in the peg that it is on.
#pragma once

#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::detail {

/// A free body and what it has a pair with, at the end of a step.
struct FallenBody {
  const SceneView& scene;
  const State& contact;  // whose inputs give geometries
  std::int64_t environment;
  Vec3d center;   // of its mass, m, world
  Twist twist;    // of that point
  Vec3d gravity;  // m/s^2
  double time;    // in which the centre has passed it, s: a step and a half, as the velocity is that at the end

  ISOPATCH_HD const GeometryView& geometry(int part) const {
    return scene.geometries[geometry_of(scene, contact, environment, part)];
  }

  ISOPATCH_HD bool is_below_half_space(const PartView& part, const GeometryView& g,
                                       const Transform<double>& X_B) const {
    const Transform<double> X = pose_of(part, true, X_B);
    const Vec3d from = center - X.translation;
    const double height = fma(X.row[0].z, from.x, fma(X.row[1].z, from.y, X.row[2].z * from.z));
    return height < (part.rigid ? 0 : -g.foundation_depth);
  }

  /// With the velocity of the support at the centre.
  ISOPATCH_HD bool passes_middle(const GeometryView& g, const Transform<double>& X_B, Vec3d support_velocity) const {
    const Vec3d at = rotate_back(X_B, center - X_B.translation) - g.center;
    const Vec3d speed = rotate_back(X_B, twist.linear - support_velocity), down = rotate_back(X_B, gravity);
    const Vec3d size = abs(down);
    // along the axis of the box that is nearest to gravity; others are across
    const auto test = [&](double way, double rate, double pull, double x, double half_x, double y, double half_y) {
      const double sign = pull > 0 ? 1 : -1;
      return pull != 0 && sign * way >= 0 && sign * way < time * sign * rate && abs(x) <= g.core * half_x &&
             abs(y) <= g.core * half_y;
    };
    if (size.z >= size.x && size.z >= size.y) return test(at.z, speed.z, down.z, at.x, g.half.x, at.y, g.half.y);
    if (size.y >= size.x) return test(at.y, speed.y, down.y, at.z, g.half.z, at.x, g.half.x);
    return test(at.x, speed.x, down.x, at.y, g.half.y, at.z, g.half.z);
  }
};

/// Whether a centre of mass, in the body's frame, is in one of its solid parts.
ISOPATCH_HD bool is_in_core(const SceneView& scene, const State& contact, std::int64_t environment, int body,
                            Vec3d center) {
  bool found = false;
  ISOPATCH_NO_UNROLL
  for (std::int32_t part = scene.bodies[body].parts_begin; part < scene.bodies[body].parts_end; ++part) {
    const GeometryView& g = scene.geometries[geometry_of(scene, contact, environment, part)];
    const Vec3d at = abs(center - g.center), core = g.core * g.half;
    found = found || (g.core > 0 && at.x <= core.x && at.y <= core.y && at.z <= core.z);
  }
  return found;
}

/// Whether a body is certainly too far from the solid parts of a support, which has no half space, for its centre of
/// mass to have passed the middle of one in `time`, however both are turned.
ISOPATCH_HD bool is_far(const SceneView& scene, const State& contact, std::int64_t environment,
                        const EnvironmentState& state, int body, Vec3d center, int support, double time) {
  constexpr double kRounding = 1e-6;
  const Twist a = state.twist(body), b = state.twist(support);
  const double distance = norm(load_pose(state.poses, body).position - load_pose(state.poses, support).position);
  const double offset = sum_of_sizes(center);
  const double speed = sum_of_sizes(a.linear) + sum_of_sizes(b.linear) + sum_of_sizes(a.angular) * offset +
                       sum_of_sizes(b.angular) * (distance + offset);
  double reach = 0;
  ISOPATCH_NO_UNROLL
  for (std::int32_t part = scene.bodies[support].parts_begin; part < scene.bodies[support].parts_end; ++part) {
    const GeometryView& g = scene.geometries[geometry_of(scene, contact, environment, part)];
    if (g.half_space) return false;
    reach = max(reach, sum_of_sizes(g.center) + g.core * norm(g.half));
  }
  return (1 - kRounding) * distance > offset + reach + time * speed;
}

/// Whether a body has gone through another one.
ISOPATCH_HD_LARGE bool is_through(const SceneView& scene, const RolloutView& view, const InputView& input,
                                  const State& contact, std::int64_t environment, const EnvironmentState& state,
                                  int body, int support) {
  if (!view.bodies[body].moves_freely()) return false;
  const Vec3d in_body = input.mass(view, environment, body).center;
  const double time = 1.5 * view.time_step;
  if (is_far(scene, contact, environment, state, body, in_body, support, time)) return false;
  const Transform<double> X_A = transform_of(load_pose(state.poses, body));
  const Vec3d arm = rotate(X_A, in_body);
  const FallenBody fallen = {scene,
                             contact,
                             environment,
                             X_A.translation + arm,
                             shifted(state.twist(body), arm),
                             input.gravity(view, environment),
                             time};
  const Transform<double> X_B = transform_of(load_pose(state.poses, support));
  const Twist of_support = shifted(state.twist(support), fallen.center - X_B.translation);
  bool through = false;
  ISOPATCH_NO_UNROLL
  for (std::int32_t i = scene.bodies[support].parts_begin; i < scene.bodies[support].parts_end; ++i) {
    const GeometryView& g = fallen.geometry(i);
    if (g.half_space) {
      through = through || fallen.is_below_half_space(scene.parts[i], g, X_B);
    } else if (g.core > 0 && is_in_core(scene, contact, environment, body, in_body)) {
      through = through || fallen.passes_middle(g, X_B, of_support.linear);
    }
  }
  return through;
}

/// kFellThrough after a step in which a body has gone through another one, else 0. Called by all lanes.
template <class Warp>
ISOPATCH_HD std::uint32_t fell_through(Warp& warp, const SceneView& scene, const RolloutView& view,
                                       const InputView& input, const State& contact, std::int64_t environment,
                                       const EnvironmentState& state) {
  bool any = false;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < scene.num_pairs; i += Warp::kSize) {
    const PairView& pair = scene.pairs[i];
    if (!pair.exerts_force || !is_enabled(contact, environment, i)) continue;
    ISOPATCH_NO_UNROLL
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? pair.a : pair.b, support = side == 0 ? pair.b : pair.a;
      any = any || is_through(scene, view, input, contact, environment, state, body, support);
    }
  }
  return warp.ballot(any) != 0u ? std::uint32_t{kFellThrough} : kOk;
}

}  // namespace isopatch::detail
