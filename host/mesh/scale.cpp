// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/scale.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch {

using namespace detail;

namespace {

// Of 547 meshes of robots, the longest real one is 3.4 m and none is below 1 mm; 25 in millimetres are 20 to 100 "m".
constexpr double kSuspiciouslyLong = 5;       // m
constexpr double kSuspiciouslyShort = 0.002;  // m

double longest_side(const std::vector<Point3>& points, const std::vector<Triangle>& triangles) {
  const Box box = box_of(points, triangles);
  const Point3 sides = box.high - box.low;
  return *std::max_element(sides.begin(), sides.end());
}

/// The sign of the factors' product, which itself may underflow.
bool mirrors(const Point3& factors) { return (factors[0] < 0) != ((factors[1] < 0) != (factors[2] < 0)); }

}  // namespace

namespace detail {

void check_factors(const Point3& factors) {
  for (const double factor : factors) {
    if (std::isfinite(factor) && factor != 0) continue;
    throw_error("scale factors ({}, {}, {}); each must be finite and not 0", factors[0], factors[1], factors[2]);
  }
}

void scale_points(std::vector<Point3>& points, const Point3& factors) {
  const StandardArithmetic standard;
  check_factors(factors);
  for (Point3& point : points) {
    for (std::size_t k = 0; k < 3; ++k) point[k] *= factors[k];
  }
}

std::optional<UnitsDoubt> doubt_of_units(const std::string& file, double length) {
  if (length > kSuspiciouslyLong) {
    const std::string metres = length < 10 ? fmt::format("{:.2g}", length) : fmt::format("{:.0f}", length);
    return UnitsDoubt{fmt::format("{} is {} m long. In millimetres?", file, metres), R"("units": "mm")"};
  }
  if (length < kSuspiciouslyShort) {
    return UnitsDoubt{fmt::format("{} is {:.2g} mm long. Turned into metres twice?", file, 1000 * length),
                      R"("scale": 1000)"};
  }
  return {};
}

double longest_side(const Geometry& geometry) { return isopatch::longest_side(geometry.mesh.points, geometry.surface); }
double longest_side(const TriangleMesh& mesh) { return isopatch::longest_side(mesh.points, mesh.triangles); }

}  // namespace detail

void scale(TetMesh& mesh, const Point3& factors) {
  scale_points(mesh.points, factors);
  if (!mirrors(factors)) return;
  for (Tet& tet : mesh.tets) std::swap(tet[2], tet[3]);
}

void scale(TriangleMesh& mesh, const Point3& factors) {
  scale_points(mesh.points, factors);
  if (!mirrors(factors)) return;
  for (Triangle& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

}  // namespace isopatch
