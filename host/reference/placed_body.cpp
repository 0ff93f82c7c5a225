// SPDX-License-Identifier: Apache-2.0
#include "reference/placed_body.h"

#include <algorithm>

namespace isopatch::reference {

PlacedBody::PlacedBody(const Geometry& geometry, bool is_rigid, Real modulus, const Transform& X)
    : rigid(is_rigid), half_space(geometry.kind == GeometryKind::kHalfSpace) {
  if (half_space) {
    place_half_space(geometry, modulus, X);
    return;
  }

  std::vector<Vector3> points;
  for (const Point3& p : geometry.mesh.points) points.push_back(X * Vector3(p[0], p[1], p[2]));
  place_tets(geometry, rigid ? 0 : modulus, points);
  if (rigid) place_triangles(geometry, points);
}

void PlacedBody::place_half_space(const Geometry& geometry, Real modulus, const Transform& X) {
  const Vector3 up = X.rotation.col(2);
  height = {up, X.translation, 0};
  if (rigid) return;
  pressure = {-modulus / Real{geometry.thickness} * up, X.translation, 0};
  largest_gradient = pressure.gradient.norm();
}

void PlacedBody::place_tets(const Geometry& geometry, Real modulus, const std::vector<Vector3>& points) {
  Box bounds;
  for (const Tet& indices : geometry.mesh.tets) {
    PressureTet tet;
    Box box;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto index = static_cast<std::size_t>(indices[i]);
      tet.vertices[i] = points[index];
      tet.pressures[i] = rigid ? 0 : modulus * Real{geometry.extent[index]};
      box.add(tet.vertices[i]);
      bounds.add(tet.vertices[i]);
    }

    tet.pressure = {Vector3::Zero(), tet.vertices[0], tet.pressures[0]};
    for (std::size_t i = 1; i < 4; ++i) {
      tet.pressure.gradient += (tet.pressures[i] - tet.pressures[0]) * barycentric(tet.vertices, i).gradient;
    }
    largest_gradient = std::max(largest_gradient, tet.pressure.gradient.norm());
    tets.push_back(tet);
    tet_boxes.push_back(box);
  }
  size = bounds.diagonal();
}

void PlacedBody::place_triangles(const Geometry& geometry, const std::vector<Vector3>& points) {
  for (const Triangle& indices : geometry.surface) {
    SurfaceTriangle triangle;
    Box box;
    for (std::size_t i = 0; i < 3; ++i) {
      triangle[i] = points[static_cast<std::size_t>(indices[i])];
      box.add(triangle[i]);
    }
    triangles.push_back(triangle);
    triangle_boxes.push_back(box);
  }
}

}  // namespace isopatch::reference
