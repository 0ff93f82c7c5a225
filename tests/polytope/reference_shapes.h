// SPDX-License-Identifier: Apache-2.0
//
// Shapes and poses of the library as the reference has them.
#pragma once

#include <array>
#include <vector>

#include "host/reference/polytope/convex_shape.h"
#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {

inline reference::Vector3 vector_of(Vec3d v) { return {v.x, v.y, v.z}; }

inline reference::Transform transform_of(const Transform<double>& X) {
  reference::Transform result;
  for (int i = 0; i < 3; ++i) result.rotation.row(i) = vector_of(X.row[i]).transpose();
  result.translation = vector_of(X.translation);
  return result;
}

/// With the same numbers of features.
inline reference::polytope::ConvexShape copy_of(const ConvexShape& shape) {
  if (shape.is_half_space()) return reference::polytope::half_space();
  std::vector<reference::Vector3> vertices;
  for (const Vec3d& v : shape.vertices()) vertices.push_back(vector_of(v));
  if (shape.is_planar()) return reference::polytope::polygon(vertices);
  std::vector<std::vector<int>> loops;
  for (std::int32_t f = 0; f < shape.num_faces(); ++f) {
    const std::vector<std::int32_t> loop = shape.face_vertices(f);
    loops.emplace_back(loop.begin(), loop.end());
  }
  std::vector<std::array<int, 2>> edges;
  const detail::PolytopeView view = shape.view();
  for (std::int32_t e = 0; e < view.num_edges; ++e) edges.push_back({view.edges[e].i, view.edges[e].j});
  return reference::polytope::polyhedron(vertices, loops, edges);
}

}  // namespace isopatch::test
