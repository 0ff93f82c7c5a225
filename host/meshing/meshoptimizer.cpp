// SPDX-License-Identifier: Apache-2.0
#include <meshoptimizer.h>

#include <algorithm>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/meshing/coarsening.h"

namespace isopatch::detail {
namespace {

/// At each point, the area vectors of its triangles, added up.
std::vector<Point3> area_vectors(const TriangleMesh& mesh) {
  std::vector<Point3> vectors(mesh.points.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    const Point3 area = 0.5 * cross(mesh.points[b] - mesh.points[a], mesh.points[c] - mesh.points[a]);
    for (const std::int32_t i : {a, b, c}) vectors[i] = vectors[i] + area;
  }
  return vectors;
}

/// Moves all points by one distance along their normals, so that the surface has the volume inside: the faces of a
/// coarser surface would lie inside where it is round, and so be touched too late.
void restore_volume(TriangleMesh& mesh, double volume) {
  constexpr int kNewtonSteps = 3;
  std::vector<Point3> normals = area_vectors(mesh);
  for (Point3& normal : normals) {
    const double length = norm(normal);
    if (length > 0) normal = (1 / length) * normal;
  }
  for (int step = 0; step < kNewtonSteps; ++step) {
    const std::vector<Point3> areas = area_vectors(mesh);
    double slope = 0;  // of the volume, by the distance
    for (std::size_t i = 0; i < areas.size(); ++i) slope += dot(areas[i], normals[i]) / 3;
    if (!(slope > 0)) return;
    const double distance = (volume - volume_of(mesh)) / slope;
    for (std::size_t i = 0; i < normals.size(); ++i) mesh.points[i] = mesh.points[i] + distance * normals[i];
  }
}

}  // namespace

const bool kCanCoarsen = true;

double coarsen(TriangleMesh& mesh, std::size_t triangles, const std::string&) {
  const Box box = box_of(mesh.points, mesh.triangles);
  const double volume = volume_of(mesh);
  std::vector<float> points;  // about the middle, so that they keep their digits
  for (const Point3& p : mesh.points) {
    for (std::size_t k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k] - 0.5 * (box.low[k] + box.high[k])));
  }
  std::vector<unsigned> corners, fewer(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());

  constexpr std::size_t kStride = 3 * sizeof(float);
  constexpr float kAnyError = 1;  // of the size
  float error = 0;
  fewer.resize(meshopt_simplify(fewer.data(), corners.data(), corners.size(), points.data(), mesh.points.size(),
                                kStride, 3 * triangles, kAnyError, 0, &error));
  mesh.triangles.clear();
  for (std::size_t i = 0; i < fewer.size(); i += 3) {
    mesh.triangles.push_back({static_cast<std::int32_t>(fewer[i]), static_cast<std::int32_t>(fewer[i + 1]),
                              static_cast<std::int32_t>(fewer[i + 2])});
  }
  restore_volume(mesh, volume);
  return static_cast<double>(error) *
         static_cast<double>(meshopt_simplifyScale(points.data(), mesh.points.size(), kStride));
}

}  // namespace isopatch::detail
