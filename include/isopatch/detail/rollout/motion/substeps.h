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

/// A bound of the speed of all points of a body, whichever way it is turned; infinite for half spaces that move [m/s].
ISOPATCH_HD double largest_speed(const SceneView& scene, const State& state, std::int64_t environment, int body,
                                 const Twist& twist) {
  if (sum_of_sizes(twist.linear) + sum_of_sizes(twist.angular) == 0) return 0;
  for (std::int32_t part = scene.bodies[body].parts_begin; part < scene.bodies[body].parts_end; ++part) {
    if (scene.geometries[geometry_of(scene, state, environment, part)].half_space) return kInfinity;
  }
  const Ball ball = mesh_ball(scene, state, environment, body);
  return fma(sum_of_sizes(twist.angular), sum_of_sizes(ball.center) + ball.padded_radius(), sum_of_sizes(twist.linear));
}

/// What the sub-steps follow from where bodies are slow for their thickness, whatever their poses are.
struct BodyPace {
  double thickness, speed;
};

ISOPATCH_HD BodyPace pace_of(const RolloutView& view, const SceneView& scene, const State& state,
                             std::int64_t environment, const EnvironmentState& own, int body) {
  const double thickness = thickness_of(view, scene, state, environment, body);
  return {thickness, thickness > 0 ? largest_speed(scene, state, environment, body, own.twist(body)) : 0};
}

/// The angle by which a free body may turn in a sub-step: with three different moments of inertia, the kinetic energy
/// is then within 4e-3; from 2.5 rad on it may grow.
inline constexpr double kMostTurn = 1;

/// Whether a body turns further than that in `duration` seconds. The turn of one like a symmetric top is exact.
ISOPATCH_HD bool turns_too_far(const MovingBody& body, const BodyMass& mass, const Twist& twist, double duration) {
  constexpr double kLikeTop = 1e-3;  // relative difference of two moments
  return body.kind == MotionKind::kFree && abs(mass.turning.of_second) > kLikeTop * mass.turning.of_all &&
         duration * norm(twist.angular) > kMostTurn;
}

/// The sub-steps of a step from the poses and velocities of `own`; `state` and `input` have the rest. Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD StepPlan plan_step(Warp& warp, const RolloutView& view, const SceneView& scene, const State& state,
                               const InputView& input, std::int64_t environment, const EnvironmentState& own) {
  double most = 1;
  const auto pace = [&](int body) { return pace_of(view, scene, state, environment, own, body); };
  BodyPace paces[Warp::kSize == 1 ? limits::kMaxBodies : 1];
  if constexpr (Warp::kSize == 1) {  // once for all of a body's pairs
    for (int body = 0; body < scene.num_bodies; ++body) paces[body] = pace(body);
  }
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < scene.num_pairs; i += Warp::kSize) {
    if (!is_enabled(state, environment, i)) continue;
    const PairView& pair = scene.pairs[i];
    // one place in the code for both bodies
    double thickness = kInfinity, speed = 0;
    ISOPATCH_NO_UNROLL
    for (int side = 0; side < 2 && thickness > 0; ++side) {
      const int body = side == 0 ? pair.a : pair.b;
      const BodyPace own_pace = Warp::kSize == 1 ? paces[body] : pace(body);
      thickness = min(thickness, own_pace.thickness);
      speed += own_pace.speed;
    }
    if (!(thickness > 0)) continue;
    constexpr double kRounding = 1e-6;
    if ((1 + kRounding) * view.time_step * speed < thickness) continue;  // whatever the poses are
    MovingBounds a = {}, b = {};
    ISOPATCH_NO_UNROLL
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? pair.a : pair.b;
      const Pose pose = load_pose(own.poses, body);
      const MovingBounds moving = {body_bounds(scene, state, environment, body, PlaceBetween{pose}), own.twist(body),
                                   pose.position};
      if (side == 0) a = moving;
      if (side == 1) b = moving;
    }
    most = max(most, view.time_step * approach_speed(a, b, view.time_step) / thickness);
  }
  const int limit = view.integrator == Integrator::kEuler ? 1 : view.max_substeps;
  int substeps = 1;
  while (substeps < limit && warp.ballot(most > substeps) != 0u) ++substeps;
  bool too_fast = most > substeps;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < scene.num_bodies; i += Warp::kSize) {
    too_fast = too_fast ||
               turns_too_far(view.bodies[i], input.mass(view, environment, i), own.twist(i), view.time_step / substeps);
  }
  return {view.integrator, substeps, 0, 0, warp.ballot(too_fast) != 0u};
}

}  // namespace isopatch::detail
