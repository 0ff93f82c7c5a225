// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/mass_center.h"

namespace isopatch::reference::polytope {
namespace {

Vector3 vector_of(const Point3& p) { return {p[0], p[1], p[2]}; }

}  // namespace

/// By the tetrahedra between the triangles of the surface and a point, of which those that lie outside count as less
/// than nothing; of a polygon by its triangles.
Solid solid_of(const Geometry& geometry) {
  Solid solid;
  const auto point = [&](std::int32_t i) { return vector_of(geometry.mesh.points[static_cast<std::size_t>(i)]); };
  const Vector3 origin = point(geometry.surface.front()[0]);
  Vector3 moment = Vector3::Zero();
  for (const Triangle& triangle : geometry.surface) {
    const Vector3 a = point(triangle[0]) - origin, b = point(triangle[1]) - origin, c = point(triangle[2]) - origin;
    const Real size = geometry.polygon ? (b - a).cross(c - a).z() / 2 : a.dot(b.cross(c)) / 6;
    solid.size += size;
    moment += size * (a + b + c) / (geometry.polygon ? 3 : 4);
  }
  solid.center = origin + moment / solid.size;
  return solid;
}

Vector3 center_of_mass(const SceneDescription& scene, const Body& body) {
  if (body.center_of_mass) return vector_of(*body.center_of_mass);
  Real size = 0;
  Vector3 moment = Vector3::Zero();
  for (const Part& part : parts_of(body)) {
    const Geometry& geometry = scene.geometries[static_cast<std::size_t>(part.geometry)];
    if (geometry.kind == GeometryKind::kHalfSpace) continue;
    const Solid solid = solid_of(geometry);
    const auto& [x, y, z, qw, qx, qy, qz] = part.pose;
    const Eigen::Quaternion<Real> turn = Eigen::Quaternion<Real>(qw, qx, qy, qz).normalized();
    size += solid.size;
    moment += solid.size * (turn * solid.center + Vector3(x, y, z));
  }
  return size > 0 ? Vector3(moment / size) : Vector3(Vector3::Zero());
}

}  // namespace isopatch::reference::polytope
