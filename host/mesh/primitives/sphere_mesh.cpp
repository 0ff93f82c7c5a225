// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/tet_counts.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

struct UnitSphere {
  std::vector<Point3> points;
  std::vector<Triangle> triangles;  // outward oriented
};

UnitSphere make_icosahedron() {
  constexpr double kPhi = std::numbers::phi;
  const double length = std::sqrt(1 + kPhi * kPhi);
  UnitSphere sphere;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double s : {-1.0, 1.0}) {
      for (const double t : {-kPhi, kPhi}) {
        Point3 p{};
        p[axis] = s / length;
        p[(axis + 1) % 3] = t / length;
        sphere.points.push_back(p);
      }
    }
  }

  // the faces are the triples of vertices at edge length (2 before normalisation) from each other
  const auto near = [&](std::int32_t i, std::int32_t j) {
    return norm(sphere.points[i] - sphere.points[j]) < 2.1 / length;
  };
  for (std::int32_t i = 0; i < 12; ++i) {
    for (std::int32_t j = i + 1; j < 12; ++j) {
      for (std::int32_t k = j + 1; k < 12; ++k) {
        if (!near(i, j) || !near(j, k) || !near(k, i)) continue;
        const auto at = [&](std::int32_t v) { return sphere.points[v]; };
        const bool outward = dot(cross(at(i), at(j)), at(k)) > 0;
        sphere.triangles.push_back(outward ? Triangle{i, j, k} : Triangle{i, k, j});
      }
    }
  }
  return sphere;
}

/// Splits every triangle in four at its edges' midpoints, moved out onto the sphere.
UnitSphere subdivide(const UnitSphere& coarse) {
  UnitSphere fine;
  fine.points = coarse.points;
  struct Edge {
    std::int32_t to = -1, midpoint = -1;
  };
  std::vector<std::array<Edge, 6>> edges(coarse.points.size());  // from each point, at most six, to later ones
  const auto midpoint = [&](std::int32_t i, std::int32_t j) {
    const auto [low, high] = std::minmax(i, j);
    Edge* edge = edges[low].data();
    while (edge->to >= 0 && edge->to != high) ++edge;
    if (edge->to < 0) {
      *edge = {high, static_cast<std::int32_t>(fine.points.size())};
      const Point3 sum = fine.points[i] + fine.points[j];
      fine.points.push_back((1 / norm(sum)) * sum);
    }
    return edge->midpoint;
  };
  for (const auto& [a, b, c] : coarse.triangles) {
    const std::int32_t ab = midpoint(a, b);
    const std::int32_t bc = midpoint(b, c);
    const std::int32_t ca = midpoint(c, a);
    for (const Triangle& part : {Triangle{a, ab, ca}, Triangle{b, bc, ab}, Triangle{c, ca, bc}, Triangle{ab, bc, ca}}) {
      fine.triangles.push_back(part);
    }
  }
  return fine;
}

}  // namespace

std::int64_t detail::sphere_tets(int subdivisions) { return std::int64_t{20} << (2 * subdivisions); }

TetMesh make_sphere_mesh(double radius, int subdivisions) {
  const StandardArithmetic standard;
  if (!(std::isfinite(radius) && radius > 0)) {
    throw_error("sphere: radius {} m; it must be finite and positive", radius);
  }
  if (subdivisions < 0 || subdivisions > limits::kMaxSubdivisions) {
    throw_error("sphere: {} subdivisions; they must lie in [0, {}]", subdivisions, limits::kMaxSubdivisions);
  }
  UnitSphere sphere = make_icosahedron();
  for (int i = 0; i < subdivisions; ++i) sphere = subdivide(sphere);

  TetMesh mesh;
  mesh.points.reserve(sphere.points.size() + 1);
  for (const Point3& p : sphere.points) mesh.points.push_back(radius * p);
  const auto centre = static_cast<std::int32_t>(mesh.points.size());
  mesh.points.push_back({0, 0, 0});
  mesh.tets.reserve(sphere.triangles.size());
  for (const auto& [a, b, c] : sphere.triangles) mesh.tets.push_back({centre, a, b, c});
  return mesh;
}

}  // namespace isopatch
