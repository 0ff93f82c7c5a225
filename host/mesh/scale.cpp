// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/scale.h"

#include <cmath>
#include <utility>

#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch {

using namespace detail;

namespace {

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
