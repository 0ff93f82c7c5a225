// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/point_patch.h"

#include <cmath>

#include "host/reference/single_contact/distances.h"

namespace isopatch::reference {
namespace {

Distance distance_to(const Geometry& shape, const Vector3& x) {
  const Primitive& p = shape.primitive;
  if (shape.kind == GeometryKind::kHalfSpace) return half_space_distance(x);
  if (p.kind == PrimitiveKind::kBox) return box_distance(x, {p.half[0], p.half[1], p.half[2]});
  if (p.kind == PrimitiveKind::kCylinder) return cylinder_distance(x, p.radius, p.half[2]);
  if (p.kind == PrimitiveKind::kCapsule) return capsule_distance(x, p.radius, p.half[2]);
  return sphere_distance(x, p.radius);
}

/// 4/3 E sqrt(R)
Real hertz(const PosedParts& parts, Real radius) {
  const Geometry& other = *parts.other().geometry;
  const Real curvature = other.primitive.kind == PrimitiveKind::kSphere ? 1 / Real(other.primitive.radius) : 0;
  const Real modulus = 1 / (PosedParts::softness(parts.a) + PosedParts::softness(parts.b));
  return 4 * modulus / (3 * std::sqrt(1 / radius + curvature));
}

}  // namespace

FoundPatch find_point(const PosedParts& parts, ContactForceLaw& law) {
  const Real radius = parts.ball().geometry->primitive.radius;
  const Vector3 center = parts.center();
  Distance distance = distance_to(*parts.other().geometry, parts.pose_of_other().inverse() * center);
  if (parts.pair.inside) distance = {-distance.value, -distance.gradient};
  const Vector3 out = parts.pose_of_other().rotation * distance.gradient;
  if (!parts.pair.stiffness) law.stiffness = static_cast<double>(hertz(parts, radius));

  FoundPatch found;
  found.patch.metric = radius - distance.value;
  found.patch.point = center - radius * out;
  found.patch.normal = parts.a_is_ball() ? out : Vector3(-out);
  return found;
}

}  // namespace isopatch::reference
