// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kPoint: a ball touches a shape in one point, by its exact distance.
#pragma once

#include "isopatch/detail/single_contact/distances.h"
#include "isopatch/detail/single_contact/evaluate_single_contacts.h"

namespace isopatch::detail {

/// Of the shape of a geometry, in its frame.
ISOPATCH_HD Distance distance_to(const GeometryView& shape, Vec3d x) {
  if (shape.half_space) return half_space_distance(x);
  const Vec3d half = shape.primitive_half;
  switch (shape.primitive) {
    case PrimitiveKind::kBox:
      return box_distance(x, half);
    case PrimitiveKind::kCylinder:
      return cylinder_distance(x, shape.primitive_radius, half.z);
    case PrimitiveKind::kCapsule:
      return capsule_distance(x, shape.primitive_radius, half.z);
    default:
      return sphere_distance(x, shape.primitive_radius);
  }
}

/// The ball is the sphere of the part pair, and of two spheres that of body a.
struct PointModel {
  ISOPATCH_HD FoundPatch find(const SingleContactParts& part) const {
    const bool a_is_ball = is_ball(part.geometry_a);
    const PartView &ball = a_is_ball ? part.a : part.b, &other = a_is_ball ? part.b : part.a;
    const GeometryView& shape = a_is_ball ? part.geometry_b : part.geometry_a;
    Transform<double> X_ball = part.X_B, X_other = part.X_A;  // copies: a GPU has no addresses of registers
    if (a_is_ball) X_ball = part.X_A, X_other = part.X_B;
    const double radius = (a_is_ball ? part.geometry_a : part.geometry_b).primitive_radius;

    const Vec3d center = apply(X_ball, ball.X_BG.translation);
    Distance distance = distance_to(shape, apply_back(other.X_BG, apply_back(X_other, center)));
    if (part.pair_law.inside) distance = hole_distance(distance);
    const Vec3d out = rotate(X_other, rotate(other.X_BG, distance.gradient));
    const BallContact contact = ball_contact(center, radius, {distance.value, out});
    if (!part.pair_law.has_stiffness) {
      part.law.stiffness =
          hertz_stiffness(part.softness.a, part.softness.b, radius, is_ball(shape) ? shape.primitive_radius : 0.0);
    }
    FoundPatch found = {};
    found.patch = point_patch(contact.depth, contact.point, a_is_ball ? out : -out);
    found.depth = contact.depth;
    return found;
  }
};

}  // namespace isopatch::detail
