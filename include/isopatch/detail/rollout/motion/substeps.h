// SPDX-License-Identifier: Apache-2.0
//
// How many sub-steps an environment takes in a step, so that no body goes through another unseen: in a sub-step, bodies
// that may meet approach each other by no more than the thickness of the thinner one. It follows from the state alone,
// so neither batch nor order nor backend matter.
#pragma once

#include "isopatch/detail/rollout/motion/step_stage.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// The thickness of the thinnest part of a body, infinite for half spaces; 0 if a part has no geometry [m].
ISOPATCH_HD double thickness_of(const RolloutView& view, const SceneView& scene, const State& state,
                                std::int64_t environment, int body) {
  double thinnest = kInfinity;
  for (std::int32_t part = scene.bodies[body].parts_begin; part < scene.bodies[body].parts_end; ++part) {
    const int geometry = geometry_of(scene, state, environment, part);
    if (geometry < 0) return 0;
    const double* of = scene.parts[part].rigid ? view.surface_thickness : view.thickness;
    thinnest = min(thinnest, of[geometry]);
  }
  return thinnest;
}

/// Where a body is between searches for contact.
struct PlaceBetween {
  Pose at;

  ISOPATCH_HD Vec3d position() const { return at.position; }
  ISOPATCH_HD Transform<double> pose() const { return transform_of(at); }
};

/// A body as a ball or a half space that moves.
struct MovingBounds {
  BodyBounds bounds;
  Twist twist;
  Vec3d origin;  // of the body, m

  ISOPATCH_HD Vec3d center() const { return bounds.origin + bounds.center; }
  ISOPATCH_HD Vec3d velocity_at(Vec3d point) const { return shifted(twist, point - origin).linear; }
  /// Of a point of the body, as it turns about the ball's center, m/s.
  ISOPATCH_HD double turning_speed() const {
    return bounds.radius < kInfinity ? bounds.radius * norm(twist.angular) : 0.0;
  }
};

/// How fast two bodies approach each other at most, if they can meet in `duration`; else 0.
ISOPATCH_HD double approach_speed(const MovingBounds& a, const MovingBounds& b, double duration) {
  double gap = 0, speed = 0;
  if (a.bounds.half_space || b.bounds.half_space) {
    MovingBounds plane = b, ball = a;  // copies: a GPU has no addresses of registers
    if (a.bounds.half_space) plane = a, ball = b;
    const Vec3d center = ball.center(), up = plane.bounds.up;
    gap = dot(up, center - plane.bounds.origin) - ball.bounds.radius;
    speed = ball.turning_speed() - dot(up, ball.velocity_at(center) - plane.velocity_at(center));
  } else {
    gap = norm(a.center() - b.center()) - (a.bounds.radius + b.bounds.radius);
    speed = norm(a.velocity_at(a.center()) - b.velocity_at(b.center())) + a.turning_speed() + b.turning_speed();
  }
  return speed > 0 && gap < duration * speed ? speed : 0.0;
}

/// The number of sub-steps of a step from the poses and velocities of `own`; `state` has the rest. Called by all lanes.
template <class Warp>
ISOPATCH_HD int substeps_of(Warp& warp, const RolloutView& view, const SceneView& scene, const State& state,
                            std::int64_t environment, const EnvironmentState& own) {
  if (view.integrator == Integrator::kEuler || view.max_substeps == 1) return 1;
  double most = 1;
  for (int i = warp.lane(); i < scene.num_pairs; i += Warp::kSize) {
    if (!is_enabled(state, environment, i)) continue;
    const PairView& pair = scene.pairs[i];
    const double thickness = min(thickness_of(view, scene, state, environment, pair.a),
                                 thickness_of(view, scene, state, environment, pair.b));
    if (!(thickness > 0)) continue;
    const auto moving = [&](int body) {
      const Pose pose = load_pose(own.poses, body);
      return MovingBounds{body_bounds(scene, state, environment, body, PlaceBetween{pose}), own.twist(body),
                          pose.position};
    };
    most = max(most, view.time_step * approach_speed(moving(pair.a), moving(pair.b), view.time_step) / thickness);
  }
  int substeps = 1;
  while (substeps < view.max_substeps && warp.ballot(most > substeps) != 0u) ++substeps;
  return substeps;
}

}  // namespace isopatch::detail
