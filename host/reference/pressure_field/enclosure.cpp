// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "host/reference/pressure_field/body_pair.h"

namespace isopatch::reference {
namespace {

/// A barycentric coordinate above minus this counts as positive, so that no point falls between two tets.
constexpr Real kTouch = 1e-15L;

/// For each vertex, the smallest vertex of its component.
std::vector<std::int32_t> component_labels(const TetMesh& mesh) {
  std::vector<std::int32_t> labels(mesh.points.size());
  std::iota(labels.begin(), labels.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Tet& tet : mesh.tets) {
      std::int32_t lowest = labels[static_cast<std::size_t>(tet[0])];
      for (const std::int32_t i : tet) lowest = std::min(lowest, labels[static_cast<std::size_t>(i)]);
      for (const std::int32_t i : tet) {
        std::int32_t& label = labels[static_cast<std::size_t>(i)];
        changed = changed || label != lowest;
        label = lowest;
      }
    }
  }
  return labels;
}

bool contains(const PressureTet& tet, const Vector3& x) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (barycentric(tet.vertices, i).at(x) < -kTouch) return false;
  }
  return true;
}

/// The signed solid angle of a triangle seen from x (van Oosterom and Strackee, IEEE Trans. Biomed. Eng., 1983).
Real solid_angle(const SurfaceTriangle& triangle, const Vector3& x) {
  const Vector3 a = triangle[0] - x, b = triangle[1] - x, c = triangle[2] - x;
  const Real lengths[] = {a.norm(), b.norm(), c.norm()};
  const Real cosine =
      lengths[0] * lengths[1] * lengths[2] + a.dot(b) * lengths[2] + b.dot(c) * lengths[0] + c.dot(a) * lengths[1];
  return 2 * std::atan2(a.dot(b.cross(c)), cosine);
}

}  // namespace

std::vector<Vector3> component_centroids(const Geometry& geometry) {
  const TetMesh& mesh = geometry.mesh;
  const std::vector<std::int32_t> labels = component_labels(mesh);
  std::set<std::int32_t> seen;
  std::vector<Vector3> centroids;
  for (const Tet& tet : mesh.tets) {
    if (!seen.insert(labels[static_cast<std::size_t>(tet[0])]).second) continue;
    Vector3 sum = Vector3::Zero();
    for (const std::int32_t i : tet) {
      const Point3& p = mesh.points[static_cast<std::size_t>(i)];
      sum += Vector3(p[0], p[1], p[2]);
    }
    centroids.push_back(sum / 4);
  }
  return centroids;
}

bool is_inside(const PosedBody& body, const Vector3& x) {
  if (body.half_space) return body.height.at(x) < 0;
  if (!body.rigid) {
    return std::any_of(body.tets.begin(), body.tets.end(), [&](const PressureTet& tet) { return contains(tet, x); });
  }
  Real angle = 0;  // 4 pi inside, 0 outside
  for (const SurfaceTriangle& triangle : body.triangles) angle += solid_angle(triangle, x);
  constexpr Real kHalf = 6.283185307179586477L;
  return angle > kHalf;
}

}  // namespace isopatch::reference
