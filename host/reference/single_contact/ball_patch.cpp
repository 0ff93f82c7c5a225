// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/ball_patch.h"

#include "host/reference/scene/posed_body.h"

namespace isopatch::reference {
namespace {

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
