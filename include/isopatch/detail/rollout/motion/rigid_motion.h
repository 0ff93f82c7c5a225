// SPDX-License-Identifier: Apache-2.0
//
// How bodies move over a step or a part of one, once their velocities are known.
#pragma once

#include "isopatch/detail/rollout/motion/rollout_view.h"

namespace isopatch::detail {

/// Divides by the norm that the quaternion has after rounding: an error of the norm would be an error of every
/// momentum, and stay for many steps.
ISOPATCH_HD_CALLED Transform<double> transform_of(Pose pose) {
  const auto [w, v] = pose.orientation;
  const double s = 2 / dot(pose.orientation, pose.orientation);
  Transform<double> X;
  X.row[0] = {fma(-s, fma(v.y, v.y, v.z * v.z), 1.0), s * fma(v.x, v.y, -(v.z * w)), s * fma(v.x, v.z, v.y * w)};
  X.row[1] = {s * fma(v.x, v.y, v.z * w), fma(-s, fma(v.x, v.x, v.z * v.z), 1.0), s * fma(v.y, v.z, -(v.x * w))};
  X.row[2] = {s * fma(v.x, v.z, -(v.y * w)), s * fma(v.y, v.z, v.x * w), fma(-s, fma(v.x, v.x, v.y * v.y), 1.0)};
  X.translation = pose.position;
  return X;
}

/// The twist of a rigid body at another point, which is at `arm` from the point of `twist`, world axes.
ISOPATCH_HD Twist shifted(const Twist& twist, Vec3d arm) {
  return {twist.linear + cross(twist.angular, arm), twist.angular};
}

/// What a planar body can have of a twist.
ISOPATCH_HD Twist in_plane(const Twist& twist) {
  return {{twist.linear.x, twist.linear.y, 0}, {0, 0, twist.angular.z}};
}

/// A bound of the length of a vector that takes no root.
ISOPATCH_HD double sum_of_sizes(Vec3d v) { return abs(v.x) + abs(v.y) + abs(v.z); }

/// Linear momentum [N s] and angular momentum about the center of mass [N m s], world.
struct Momentum {
  Vec3d linear, angular;
};

ISOPATCH_HD Momentum momentum_of(const BodyMass& body, double mass_scale, const Transform<double>& X,
                                 const Twist& of_center) {
  const Vec3d angular = body.inertia * rotate_back(X, of_center.angular);
  return {(mass_scale * body.mass) * of_center.linear, rotate(X, mass_scale * angular)};
}

/// The twist of the centre of mass with this momentum. It is refined once, so that momentum_of() gives the momentum
/// back up to one rounding, with no bias: the rounding of the inverse inertia, and of X, whose columns are not quite of
/// unit length, would add up over many steps.
ISOPATCH_HD Twist twist_of(const BodyMass& body, double mass_scale, const Transform<double>& X,
                           const Momentum& momentum) {
  const double inverse = 1 / mass_scale;
  const auto solved = [&](Vec3d of) { return rotate(X, body.inverse_inertia * rotate_back(X, of)); };
  const Vec3d target = inverse * momentum.angular, first = solved(target);
  const Vec3d angular = first + solved(target - rotate(X, body.inertia * rotate_back(X, first)));
  return {(inverse / body.mass) * momentum.linear, angular};
}

/// The same of a body of this kind, from a momentum that it can have: of a planar one without what rounding adds.
ISOPATCH_HD Twist twist_of(MotionKind kind, const BodyMass& body, double mass_scale, const Transform<double>& X,
                           const Momentum& momentum) {
  const Twist twist = twist_of(body, mass_scale, X, momentum);
  return kind == MotionKind::kPlanar ? in_plane(twist) : twist;
}

/// The orientation of a free body after `duration` seconds with the angular momentum L, which stays. Each part of
/// FreeTurning turns it exactly: a turn about L and one about an axis of the body. The top is between two halves of the
/// other turn, which is of second order and reversible, so that the energy's error stays bounded, and exact for
/// symmetric tops (Touma and Wisdom, "Lie-Poisson integrators for rigid body dynamics in the solar system", 1994).
ISOPATCH_HD_CALLED Quaternion turned(const FreeTurning& of, Quaternion q, Vec3d L, double duration) {
  const auto about = [&](Vec3d axis, double rate, double time) {  // an axis of the body
    const Vec3d v = cross(q.v, axis);                             // the axis in the world is axis + 2 (w v + q.v x v)
    const double along = fma(2.0, dot(L, fma(q.w, v, cross(q.v, v))), dot(L, axis));
    q = product(q, exp((time * rate * along) * axis));
  };
  if (of.of_second != 0) about(of.second, of.of_second, 0.5 * duration);
  if (of.of_symmetry != 0) about(of.symmetry, of.of_symmetry, duration);
  q = product(exp((duration * of.of_all) * L), q);
  if (of.of_second != 0) about(of.second, of.of_second, 0.5 * duration);
  return normalized(q);
}

/// The pose of a free body after `duration` seconds with these momenta, which stay: the centre of mass goes straight
/// on.
ISOPATCH_HD Pose moved(const BodyMass& body, double mass_scale, const Pose& pose, const Momentum& momentum,
                       double duration) {
  const double inverse = 1 / mass_scale;
  const Vec3d center = pose.position + rotate(transform_of(pose), body.center);
  Pose to = {{0, 0, 0}, turned(body.turning, pose.orientation, inverse * momentum.angular, duration)};
  to.position = fma(duration, (inverse / body.mass) * momentum.linear, center) - rotate(transform_of(to), body.center);
  return to;
}

/// The same of a body of this kind: a planar one stays in its plane to the bit.
ISOPATCH_HD Pose moved(MotionKind kind, const BodyMass& body, double mass_scale, const Pose& pose,
                       const Momentum& momentum, double duration) {
  Pose to = moved(body, mass_scale, pose, momentum, duration);
  if (kind == MotionKind::kPlanar) to.position.z = pose.position.z;
  return to;
}

/// An axis in the world, with a point of it.
struct WorldAxis {
  Vec3d direction, anchor;
};

inline constexpr Pose kWorld = {{0, 0, 0}, {1, {0, 0, 0}}};

ISOPATCH_HD WorldAxis axis_of(const JointView& joint, const Pose& parent) {
  const Transform<double> X = transform_of(parent);
  return {rotate(X, joint.axis), apply(X, joint.anchor)};
}

/// The pose of a body on a joint at a position [m or rad].
ISOPATCH_HD Pose pose_at(const MovingBody& body, const Pose& parent, double position) {
  const JointView& joint = body.joint;
  Pose in_parent = joint.at_zero;
  if (body.kind == MotionKind::kPrismatic) {
    in_parent.position = fma(position, joint.axis, in_parent.position);
  } else {
    const Quaternion turn = exp(position * joint.axis);
    const Pose about = {{0, 0, 0}, turn};
    in_parent.position = joint.anchor + rotate(transform_of(about), in_parent.position - joint.anchor);
    in_parent.orientation = product(turn, in_parent.orientation);
  }
  return {apply(transform_of(parent), in_parent.position),
          normalized(product(parent.orientation, in_parent.orientation))};
}

/// The velocity of a point with the joint's rate of 1, its parent at rest.
ISOPATCH_HD Twist joint_twist(const MovingBody& body, const WorldAxis& axis, Vec3d point) {
  if (body.kind == MotionKind::kPrismatic) return {axis.direction, {0, 0, 0}};
  return {cross(axis.direction, point - axis.anchor), axis.direction};
}

/// s a + b
ISOPATCH_HD Twist fma(double s, const Twist& a, const Twist& b) {
  return {fma(s, a.linear, b.linear), fma(s, a.angular, b.angular)};
}

}  // namespace isopatch::detail
