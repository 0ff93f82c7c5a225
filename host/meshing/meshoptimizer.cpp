// SPDX-License-Identifier: Apache-2.0
#include <meshoptimizer.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
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

/// At which points a triangle is folded back onto its neighbour: at a crease sharper than those that things have.
std::vector<bool> folded_points(const TriangleMesh& mesh) {
  constexpr double kFolded = -0.9;  // the cosine of the angle between their normals
  std::vector<Point3> normals;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Point3 area = cross(mesh.points[b] - mesh.points[a], mesh.points[c] - mesh.points[a]);
    normals.push_back((1 / std::max(norm(area), std::numeric_limits<double>::min())) * area);
  }
  std::vector<bool> folded(mesh.points.size(), false);
  const std::vector<EdgeUse> uses = sorted_edges(mesh);
  for (std::size_t i = 1; i < uses.size(); ++i) {
    const EdgeUse &one = uses[i - 1], &other = uses[i];
    if (one.low != other.low || one.high != other.high) continue;
    if (!(dot(normals[one.triangle], normals[other.triangle]) < kFolded)) continue;
    for (const std::int32_t t : {one.triangle, other.triangle}) {
      for (const std::int32_t v : mesh.triangles[t]) folded[v] = true;
    }
  }
  return folded;
}

/// Keeps the triangles at the points, and their neighbours. Returns whether that is more than before.
bool keep_around(std::vector<bool> points, const std::vector<Triangle>& triangles, std::vector<bool>& kept) {
  constexpr int kRings = 2;
  bool more = false;
  for (int ring = 0; ring < kRings; ++ring) {
    std::vector<bool> reached = points;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const auto& [a, b, c] = triangles[t];
      if (!points[a] && !points[b] && !points[c]) continue;
      more = more || !kept[t];
      kept[t] = reached[a] = reached[b] = reached[c] = true;
    }
    points = std::move(reached);
  }
  return more;
}

/// Points in float about their middle, so that they keep their digits.
struct Points {
  std::vector<float> of;

  explicit Points(const TriangleMesh& mesh) {
    const Box box = box_of(mesh.points, mesh.triangles);
    for (const Point3& p : mesh.points) {
      for (std::size_t k = 0; k < 3; ++k) of.push_back(static_cast<float>(p[k] - 0.5 * (box.low[k] + box.high[k])));
    }
  }

  static constexpr std::size_t kStride = 3 * sizeof(float);

  float scale() const { return meshopt_simplifyScale(of.data(), of.size() / 3, kStride); }
};

/// `count` triangles in place of all but those that are `kept`, of whose edges none is collapsed; and the error, of the
/// size.
std::pair<std::vector<Triangle>, float> collapsed(const std::vector<Triangle>& triangles, const std::vector<bool>& kept,
                                                  const Points& points, std::size_t count) {
  constexpr float kAnyError = 1;  // of the size
  std::vector<Triangle> found;
  std::vector<unsigned> corners;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (kept[t]) {
      found.push_back(triangles[t]);
    } else {
      corners.insert(corners.end(), triangles[t].begin(), triangles[t].end());
    }
  }
  const unsigned options = found.empty() ? 0 : meshopt_SimplifyLockBorder;
  float error = 0;
  std::vector<unsigned> fewer(corners.size());
  fewer.resize(meshopt_simplify(fewer.data(), corners.data(), corners.size(), points.of.data(), points.of.size() / 3,
                                Points::kStride, 3 * (count - std::min(count, found.size())), kAnyError, options,
                                &error));
  for (std::size_t i = 0; i < fewer.size(); i += 3) {
    found.push_back({static_cast<std::int32_t>(fewer[i]), static_cast<std::int32_t>(fewer[i + 1]),
                     static_cast<std::int32_t>(fewer[i + 2])});
  }
  return {std::move(found), error};
}

}  // namespace

const bool kCanCoarsen = true;

double coarsen(TriangleMesh& mesh, std::size_t triangles, const std::string&) {
  constexpr int kTries = 8;
  const double volume = volume_of(mesh);
  const Points points(mesh);
  const std::vector<Triangle> before = std::move(mesh.triangles);
  std::vector<bool> kept(before.size(), false);
  float error = 0;
  for (int k = 0; k < kTries; ++k) {
    std::tie(mesh.triangles, error) = collapsed(before, kept, points, triangles);
    if (!keep_around(folded_points(mesh), before, kept)) break;
  }
  restore_volume(mesh, volume);
  return static_cast<double>(error) * static_cast<double>(points.scale());
}

}  // namespace isopatch::detail
