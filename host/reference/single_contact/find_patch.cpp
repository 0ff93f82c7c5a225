// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/find_patch.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

#include "host/reference/scene/posed_body.h"
#include "host/reference/single_contact/distances.h"
#include "host/reference/single_contact/mesh_overlap.h"

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

bool is_ball(const PartState& part) { return part.geometry->primitive.kind == PrimitiveKind::kSphere; }
bool is_half_space(const PartState& part) { return part.geometry->kind == GeometryKind::kHalfSpace; }

MeshOverlap overlap_of_meshes(const PosedParts& parts) {
  return mesh_overlap(parts.a, parts.X_A * parts.a.X_BG, parts.b, parts.X_B * parts.b.X_BG);
}

FoundPatch find_mesh_overlap(const PosedParts& parts, const ContactForceLaw& law) {
  const Transform X_A = parts.X_A * parts.a.X_BG, X_B = parts.X_B * parts.b.X_BG;
  const MeshOverlap overlap = overlap_of_meshes(parts);
  const OverlapIntegrals& o = overlap.integrals;
  FoundPatch found;
  const Real reach = overlap.size + parts.X_B.translation.norm();
  if (!(o.volume > 0x1p-44L * overlap.surface * reach)) return found;
  const Real area = o.area.norm();
  found.is_enclosed = area <= 1e-6L * overlap.surface;
  if (found.is_enclosed) return found;
  Overlap given;
  given.volume = static_cast<double>(o.volume);
  for (Eigen::Index i = 0; i < 3; ++i) {
    given.centroid[i] = static_cast<double>(o.centroid[i]);
    given.area[i] = static_cast<double>(o.area[i]);
  }
  const Matrix3& C = o.second;
  const Real second[] = {C(0, 0), C(1, 1), C(2, 2), C(0, 1), C(0, 2), C(1, 2)};
  for (std::size_t i = 0; i < 6; ++i) given.second_moments[i] = static_cast<double>(second[i]);
  found.patch = contact_patch(given, law.normal);
  found.area = area;
  found.second = C;
  const auto depth_below = [&](const Transform& plane) {
    return -Vector3(plane.rotation.col(2)).dot(o.centroid - plane.translation);
  };
  if (is_half_space(parts.a)) found.energy_depth = depth_below(X_A);
  if (is_half_space(parts.b)) found.energy_depth = depth_below(X_B);
  return found;
}

}  // namespace

OverlapMotion overlap_motion(const PosedParts& parts, Real size, const Vector3& velocity,
                             const Vector3& angular_velocity) {
  constexpr Real kMoved = 1e-5L;  // of the size
  const Real turn = angular_velocity.norm(), reach = overlap_of_meshes(parts).size + parts.X_B.translation.norm();
  const Real speed = velocity.norm() + turn * reach;
  if (!(speed > 0)) return {};
  const Real time = kMoved * size / speed;
  const auto moved = [&](Real t) {
    PosedParts at = parts;
    at.X_A.translation += t * velocity;
    if (turn > 0) {
      at.X_A.rotation = Eigen::AngleAxis<Real>(t * turn, angular_velocity / turn).toRotationMatrix() * at.X_A.rotation;
    }
    return overlap_of_meshes(at).integrals;
  };
  const OverlapIntegrals before = moved(-time), after = moved(time);
  return {(after.centroid - before.centroid) / (2 * time), (after.volume - before.volume) / (2 * time)};
}

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

FoundPatch find_volume(const PosedParts& parts, ContactForceLaw& law) {
  if (!parts.pair.stiffness) law.stiffness = static_cast<double>(1 / (layer(parts.a) + layer(parts.b)));
  if (parts.scene.contact.dissipation_model == DissipationModel::kPfc) {
    const Real per_modulus = PosedParts::softness(parts.a) + PosedParts::softness(parts.b);
    law.dissipation = static_cast<double>(law.dissipation * (law.stiffness * per_modulus));
  }

  const bool is_exact = (is_ball(parts.a) && is_half_space(parts.b)) || (is_ball(parts.b) && is_half_space(parts.a));
  if (!parts.pair.exact_spheres || !is_exact) return find_mesh_overlap(parts, law);

  const Real radius = parts.ball().geometry->primitive.radius;
  const Transform plane = parts.pose_of_other();
  const Vector3 up = plane.rotation.col(2), center = parts.center() - plane.translation;
  const Real height = up.dot(center);
  const OverlapIntegrals overlap = ball_overlap(center, radius, up);
  FoundPatch found;
  found.is_ball = true;
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
