// SPDX-License-Identifier: Apache-2.0
//
// The distance field of a tet mesh, and how good a field is.
#include <algorithm>
#include <cmath>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/element_check.h"
#include "host/mesh/topology/triangle_tree.h"
#include "host/text/throw_error.h"
#include "host/threads/parallel_for.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/field.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr double kCos30 = 0.8660254037844386;
constexpr double kCos60 = 0.5;

/// The gradient of the extent in a tet; exactly zero if the four values are equal.
Point3 gradient(const TetMesh& mesh, const Tet& tet, const std::vector<double>& extent) {
  const Point3& origin = point_at(mesh, tet[0]);
  const Point3 u = point_at(mesh, tet[1]) - origin;
  const Point3 v = point_at(mesh, tet[2]) - origin;
  const Point3 w = point_at(mesh, tet[3]) - origin;
  const double base = extent[tet[0]];
  const Point3 sum = (extent[tet[1]] - base) * cross(v, w) + (extent[tet[2]] - base) * cross(w, u) +
                     (extent[tet[3]] - base) * cross(u, v);
  return (1 / dot(cross(u, v), w)) * sum;
}

/// The mean gradient of the tets around every point, by volume.
std::vector<Point3> mean_gradients(const TetMesh& mesh, const std::vector<Point3>& gradients) {
  std::vector<Point3> sum(mesh.points.size(), Point3{});
  std::vector<double> weight(mesh.points.size(), 0);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double volume = six_volumes(mesh, mesh.tets[t]);
    for (const std::int32_t v : mesh.tets[t]) {
      const auto i = static_cast<std::size_t>(v);
      sum[i] = sum[i] + volume * gradients[t];
      weight[i] += volume;
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (weight[i] > 0) sum[i] = (1 / weight[i]) * sum[i];
  }
  return sum;
}

bool is_within(const Point3& a, const Point3& b, double cosine) { return dot(a, b) >= cosine * norm(a) * norm(b); }

Point3 inward_normal(const TetMesh& mesh, const Triangle& outward) {
  const Point3& a = point_at(mesh, outward[0]);
  return cross(point_at(mesh, outward[2]) - a, point_at(mesh, outward[1]) - a);
}

/// Counts inner faces and kinks. Returns how many faces of the surface the field leaves along their normals.
std::int64_t measure_faces(const TetMesh& mesh, const std::vector<Point3>& gradients, FieldQuality& quality) {
  const std::vector<Point3> around = mean_gradients(mesh, gradients);
  const std::vector<FaceUse> faces = sorted_faces(mesh.tets);
  std::int64_t aligned = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Point3& here = gradients[faces[i].tet];
    if (i + 1 < faces.size() && faces[i + 1].sorted == faces[i].sorted) {
      const Point3& there = gradients[faces[i + 1].tet];
      const bool both = norm(here) > 0 && norm(there) > 0;
      const bool neither = norm(here) == 0 && norm(there) == 0;
      ++quality.inner_faces;
      if (!neither && !(both && is_within(here, there, kCos60))) ++quality.kinks;
      ++i;
      continue;
    }
    Point3 mean{};
    for (const std::int32_t v : faces[i].sorted) mean = mean + around[v];
    const Triangle outward = tet_face(mesh.tets[faces[i].tet], faces[i].face);
    if (norm(mean) > 0 && is_within(mean, inward_normal(mesh, outward), kCos30)) ++aligned;
  }
  return aligned;
}

}  // namespace

FieldQuality measure_field(const TetMesh& mesh, const std::vector<Triangle>& surface,
                           const std::vector<double>& extent) {
  const StandardArithmetic standard;
  check_indices(mesh.tets, mesh.points.size(), "measure_field");
  if (extent.size() != mesh.points.size()) {
    throw_error("measure_field: {} extents; the mesh has {} points", extent.size(), mesh.points.size());
  }
  FieldQuality quality;
  const std::vector<std::uint8_t> on_surface = boundary_points(mesh, surface);
  std::vector<Point3> gradients;
  for (const Tet& tet : mesh.tets) {
    gradients.push_back(gradient(mesh, tet, extent));
    if (norm(gradients.back()) == 0) ++quality.tets_without_gradient;
    const auto is_on_surface = [&](std::int32_t v) { return on_surface[v] != 0; };
    if (std::all_of(tet.begin(), tet.end(), is_on_surface)) ++quality.all_boundary_tets;
  }
  const std::int64_t aligned = measure_faces(mesh, gradients, quality);
  quality.aligned_faces = surface.empty() ? 0 : static_cast<double>(aligned) / static_cast<double>(surface.size());
  for (std::size_t i = 0; i < extent.size(); ++i) {
    if (on_surface[i] == 0 && extent[i] > 0 && extent[i] < 1) ++quality.free_points;
  }
  return quality;
}

std::vector<double> distance_to_surface(const TetMesh& mesh, const std::vector<Triangle>& surface) {
  const StandardArithmetic standard;
  check_indices(surface, mesh.points.size(), "distance_to_surface");
  std::vector<double> distance(mesh.points.size(), 0.0);
  if (surface.empty()) return distance;
  const TriangleTree tree(mesh.points, surface);
  const std::vector<std::uint8_t> on_surface = boundary_points(mesh, surface);
  const auto count = std::ssize(mesh.points);
  parallel_for(count, count, 64, [&](std::size_t i) {
    if (on_surface[i] == 0) distance[i] = std::sqrt(tree.squared_distance(mesh.points[i]));
  });
  return distance;
}

}  // namespace isopatch
