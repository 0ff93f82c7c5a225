// SPDX-License-Identifier: Apache-2.0
//
// The frame that a part pair is computed in, and the motion of its bodies in that frame, whatever the contact model.
//
// The two parts are called M and S. Everything is computed in the frame of M's body, so a scene far from the world's
// origin loses nothing; S is the second part, and may be a half space. If the pair is stored the other way round, M is
// of body b, and the wrench is handed back to a at the end.
#pragma once

#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// The frame that contributions are summed in: the frame of the body that M is a part of.
struct SumFrame {
  Transform<double> X_WM;
  Vec3d p_WoA;        // origin of the pair's body a in the world
  Vec3d reference_M;  // point that torques are summed about, in M
  bool swapped;       // M is a part of the pair's body b
};

/// M relative to S, in M's axes.
struct PairMotion {
  bool moving;
  Vec3d velocity;  // of the reference point, m/s
  Vec3d angular;   // rad/s
};

/// `p_WoS` is the origin of the body that S is a part of.
ISOPATCH_HD PairMotion make_pair_motion(const SumFrame& frame, Vec3d p_WoS, const Twist& twist_M,
                                        const Twist& twist_S) {
  const Transform<double>& X_WM = frame.X_WM;
  const Vec3d reference_W = rotate(X_WM, frame.reference_M);  // from M's origin, world axes
  const Vec3d from_S_W = reference_W + (X_WM.translation - p_WoS);
  const Vec3d velocity_W =
      (twist_M.linear + cross(twist_M.angular, reference_W)) - (twist_S.linear + cross(twist_S.angular, from_S_W));
  PairMotion motion;
  motion.velocity = rotate_back(X_WM, velocity_W);
  motion.angular = rotate_back(X_WM, twist_M.angular - twist_S.angular);
  motion.moving = dot(motion.velocity, motion.velocity) + dot(motion.angular, motion.angular) > 0;
  return motion;
}

/// Whether M is b. A half space is S; beside it, and otherwise, M is compliant if it can be.
ISOPATCH_HD bool is_swapped(bool rigid_a, bool half_space_a, bool half_space_b) {
  return half_space_a || (rigid_a && !half_space_b);
}

/// Whether a part pair is computed in the frame of body b.
ISOPATCH_HD bool is_swapped(const SceneView& scene, const State& state, std::int64_t environment,
                            const PartPairView& parts) {
  return is_swapped(scene.parts[parts.a].rigid,
                    scene.geometries[geometry_of(scene, state, environment, parts.a)].half_space,
                    scene.geometries[geometry_of(scene, state, environment, parts.b)].half_space);
}

/// The point that torques on a part of the body are summed about: of one part the middle of its geometry.
ISOPATCH_HD Vec3d reference_of(const BodyView& body, const GeometryView& geometry) {
  return body.has_one_part() ? geometry.center : body.reference;
}

/// The point that the contact of a pair is given from: where the balls about both bodies overlap, on the line of
/// their centers; above a half space, its foot. Near the contact, so floats lose nothing far from the world's origin.
ISOPATCH_HD Vec3d pair_origin(const BodyBounds& a, const BodyBounds& b) {
  const Vec3d center_a = a.origin + a.center, center_b = b.origin + b.center;
  if (a.half_space) return fma(-dot(a.up, center_b - a.origin), a.up, center_b);
  if (b.half_space) return fma(-dot(b.up, center_a - b.origin), b.up, center_a);
  if (!(a.radius < kInfinity)) return b.radius < kInfinity ? center_b : center_a;
  if (!(b.radius < kInfinity)) return center_a;
  const Vec3d between = center_b - center_a;
  const double distance = norm(between);
  if (!(distance > 0)) return center_a;
  const double begin = max(distance - b.radius, -a.radius), end = min(distance + b.radius, a.radius);
  return fma(0.5 * (begin + end) / distance, between, center_a);
}

}  // namespace isopatch::detail
