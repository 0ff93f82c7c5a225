// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/find_patch.h"

#include <algorithm>
#include <cmath>

#include "host/reference/scene/posed_body.h"
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

constexpr Real kPi = 3.14159265358979323846264338327950288L;

/// H: where the extent is steepest it grows by 1 in this.
Real foundation_depth(const PartState& part) {
  if (part.foundation_depth > 0) return part.foundation_depth;
  const Geometry& geometry = *part.geometry;
  if (geometry.kind == GeometryKind::kHalfSpace) return geometry.thickness;
  return 1 / PosedBody(geometry, false, 1, Transform{}).largest_gradient;
}

/// H/E, m/Pa
Real layer(const PartState& part) { return part.rigid ? 0 : foundation_depth(part) * PosedParts::softness(part); }

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

FoundPatch find_ball_overlap(const PosedParts& parts, ContactForceLaw& law) {
  if (!parts.pair.stiffness) law.stiffness = static_cast<double>(1 / (layer(parts.a) + layer(parts.b)));
  if (parts.scene.contact.dissipation_model == DissipationModel::kPfc) {
    const Real per_modulus = PosedParts::softness(parts.a) + PosedParts::softness(parts.b);
    law.dissipation = static_cast<double>(law.dissipation * (law.stiffness * per_modulus));
  }

  const Real radius = parts.ball().geometry->primitive.radius;
  const Transform plane = parts.pose_of_other();
  const Vector3 up = plane.rotation.col(2), center = parts.center() - plane.translation;
  const Real height = up.dot(center);
  const OverlapIntegrals overlap = ball_overlap(center, radius, up);
  FoundPatch found;
  if (!(overlap.volume > 0)) return found;
  const Real depth = std::min<Real>(radius - height, 2 * radius), area = overlap.area.norm();
  found.is_enclosed = area <= 1e-6L * (2 * kPi * radius * depth + area);
  if (found.is_enclosed) return found;

  const Matrix3 across = Matrix3::Identity() - up * up.transpose();
  found.patch.metric = overlap.volume;
  found.patch.point = overlap.centroid + plane.translation;
  found.patch.normal = parts.a_is_ball() ? up : Vector3(-up);
  found.patch.spread = across * overlap.second * across / overlap.volume;
  found.area = area;
  found.second = overlap.second;
  found.energy_depth = -up.dot(overlap.centroid);
  return found;
}

}  // namespace isopatch::reference
