// SPDX-License-Identifier: Apache-2.0
//
// From the corners of a cell back to the vertices of its tet.
#pragma once

#include <cmath>
#include <vector>

#include "isopatch/detail/scene/cell.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

inline double volume_of(const Cell& cell) {
  const auto edge = [&](int i) { return cell.corner[i].vertex - cell.corner[0].vertex; };
  return std::fabs(dot(cross(edge(1), edge(2)), edge(3))) / 6;
}

/// The vertex of the mesh at each corner of a cell, which may have them in another order than the tet.
inline Tet vertices_of(const Cell& cell, const Tet& tet, const std::vector<Point3>& points) {
  Tet out = tet;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3d at = cell.corner[i].vertex;
    for (const std::int32_t vertex : tet) {
      const Point3& p = points[vertex];
      if (p[0] == at.x && p[1] == at.y && p[2] == at.z) out[i] = vertex;
    }
  }
  return out;
}

}  // namespace isopatch::detail
