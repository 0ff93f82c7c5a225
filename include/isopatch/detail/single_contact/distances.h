// SPDX-License-Identifier: Apache-2.0
//
// Exact signed distances of a point to shapes, in the frame of the shape: about its origin, with its axis along z. A
// distance is positive outside, and its gradient is a unit vector, also where the distance has a kink: on the medial
// set it leads to the face with the largest distance, to the lowest axis among equals, to the positive side.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

struct Distance {
  double value;    // m
  Vec3d gradient;  // unit: where the distance grows
};

/// Of the half space z <= 0.
ISOPATCH_HD Distance half_space_distance(Vec3d x) { return {x.z, {0, 0, 1}}; }

/// |x| and x / |x|, which is the x axis for 0
ISOPATCH_HD Distance distance_to_center(Vec3d x) {
  const double size = norm(x);
  if (!(size > 0)) return {0, {1, 0, 0}};
  return {size, {x.x / size, x.y / size, x.z / size}};
}

ISOPATCH_HD Distance sphere_distance(Vec3d x, double radius) {
  const Distance to_center = distance_to_center(x);
  return {to_center.value - radius, to_center.gradient};
}

/// 1 for 0 too
ISOPATCH_HD double side_of(double x) { return x < 0 ? -1 : 1; }

/// Of a box with half edges `half`. Outside of an edge or corner the gradient turns smoothly over it.
ISOPATCH_HD Distance box_distance(Vec3d x, Vec3d half) {
  const Vec3d side = {side_of(x.x), side_of(x.y), side_of(x.z)};
  const Vec3d d = abs(x) - half, out = max(d, {0, 0, 0});
  const double outside = norm(out);
  if (outside > 0)
    return {outside, {side.x * (out.x / outside), side.y * (out.y / outside), side.z * (out.z / outside)}};
  if (d.x >= d.y && d.x >= d.z) return {d.x, {side.x, 0, 0}};
  if (d.y >= d.z) return {d.y, {0, side.y, 0}};
  return {d.z, {0, 0, side.z}};
}

ISOPATCH_HD Distance cylinder_distance(Vec3d x, double radius, double half_height) {
  const Distance axis = distance_to_center({x.x, x.y, 0});
  const double round = axis.value - radius, flat = abs(x.z) - half_height, side = side_of(x.z);
  if (!(round > 0 && flat > 0)) {
    return round >= flat ? Distance{round, axis.gradient} : Distance{flat, {0, 0, side}};
  }
  const double outside = sqrt(fma(round, round, flat * flat));
  const double across = round / outside;
  return {outside, {across * axis.gradient.x, across * axis.gradient.y, side * (flat / outside)}};
}

/// Of a capsule whose half balls have their centres at z = -half_length and half_length.
ISOPATCH_HD Distance capsule_distance(Vec3d x, double radius, double half_length) {
  const double nearest = min(max(x.z, -half_length), half_length);
  return sphere_distance({x.x, x.y, x.z - nearest}, radius);
}

/// Of the hole that has the shape: the other side of the same surface.
ISOPATCH_HD Distance hole_distance(Distance shape) { return {-shape.value, -shape.gradient}; }

/// The contact of a ball with a shape; of no use unless depth > 0.
struct BallContact {
  double depth;  // m
  Vec3d point;   // the ball's deepest, m
  Vec3d normal;  // from the shape into the ball
};

ISOPATCH_HD BallContact ball_contact(Vec3d center, double radius, Distance at_center) {
  return {radius - at_center.value, fma(-radius, at_center.gradient, center), at_center.gradient};
}

/// The stiffness of two balls by Hertz, N/m^1.5, or with `other_radius` 0 of a ball on a plane. The inverses of moduli
/// are in 1/Pa, of a rigid part 0; one of them is positive.
ISOPATCH_HD double hertz_stiffness(double inverse_modulus_a, double inverse_modulus_b, double radius,
                                   double other_radius) {
  const double effective = other_radius > 0 ? radius * (other_radius / (radius + other_radius)) : radius;
  return 4 * sqrt(effective) / (3 * (inverse_modulus_a + inverse_modulus_b));
}

}  // namespace isopatch::detail
