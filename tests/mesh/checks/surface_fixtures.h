// SPDX-License-Identifier: Apache-2.0
//
// Common code of the tests of surface meshes: small closed surfaces, and what is inside them below a plane.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "isopatch/geometry/triangle_mesh.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch::testing {

/// The tet with corners at the origin and one on each axis, outward.
inline TriangleMesh surface_of_tet() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// [0, 1]^3 as an OBJ file of six quads.
inline const std::string kCubeObj =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// Volume and first moment of a part of a solid.
struct Part {
  long double volume = 0;
  std::array<long double, 3> moment = {0, 0, 0};
};

/// Of what lies inside the outward surface and below z = height, by cones from a point of that plane: the section, a
/// flat cone, takes no part. Independent of the library but for the points and triangles.
inline Part part_below(const std::vector<Point3>& points, const std::vector<Triangle>& triangles, long double height) {
  using Real3 = std::array<long double, 3>;
  Part part;
  for (const Triangle& triangle : triangles) {
    std::vector<Real3> inside;  // the triangle cut by the plane, z from the plane
    for (std::size_t i = 0; i < 3; ++i) {
      const Point3 &p = points[static_cast<std::size_t>(triangle[i])],
                   &q = points[static_cast<std::size_t>(triangle[(i + 1) % 3])];
      const Real3 a = {p[0], p[1], p[2] - height}, b = {q[0], q[1], q[2] - height};
      if (a[2] <= 0) inside.push_back(a);
      if ((a[2] < 0 && b[2] > 0) || (a[2] > 0 && b[2] < 0)) {
        const long double t = a[2] / (a[2] - b[2]);
        inside.push_back({a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), 0});
      }
    }
    for (std::size_t k = 1; k + 1 < inside.size(); ++k) {
      const Real3 &a = inside[0], &b = inside[k], &c = inside[k + 1];
      const long double volume = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                                  a[2] * (b[0] * c[1] - b[1] * c[0])) /
                                 6;
      part.volume += volume;
      for (std::size_t i = 0; i < 3; ++i) part.moment[i] += volume * (a[i] + b[i] + c[i]) / 4;
    }
  }
  part.moment[2] += height * part.volume;
  return part;
}

}  // namespace isopatch::testing
