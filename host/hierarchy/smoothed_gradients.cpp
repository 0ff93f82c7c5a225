// SPDX-License-Identifier: Apache-2.0
#include "host/hierarchy/hierarchy.h"
#include "host/hierarchy/tet_corners.h"

namespace isopatch::detail {

std::vector<SmoothedGradient> smoothed_gradients(const Geometry& geometry, const std::vector<Cell>& cells) {
  std::vector<Vec3d> at_vertex(geometry.mesh.points.size(), {0, 0, 0});
  std::vector<double> volume(at_vertex.size(), 0);
  for (std::size_t t = 0; t < cells.size(); ++t) {
    const double v = volume_of(cells[t]);
    for (const std::int32_t vertex : geometry.mesh.tets[t]) {
      const auto i = static_cast<std::size_t>(vertex);
      at_vertex[i] = fma(v, cells[t].gradient, at_vertex[i]);
      volume[i] += v;
    }
  }
  for (std::size_t i = 0; i < at_vertex.size(); ++i) {
    if (volume[i] > 0) at_vertex[i] = (1 / volume[i]) * at_vertex[i];
  }

  std::vector<SmoothedGradient> out(cells.size());
  for (std::size_t t = 0; t < cells.size(); ++t) {
    const Cell& cell = cells[t];
    const Tet vertices = vertices_of(cell, geometry.mesh.tets[t], geometry.mesh.points);
    const auto gradient = [&](std::size_t i) { return at_vertex[vertices[i]]; };
    SmoothedGradient& g = out[t];
    g.at_vertex0 = gradient(0);
    for (std::size_t i = 1; i < 4; ++i) {
      // the slope of the barycentric coordinate of vertex i, whose face contains vertex 0
      const Vec3d inward = cell.face[i].inward;
      const Vec3d slope = (1 / dot(inward, cell.corner[i].vertex - cell.corner[0].vertex)) * inward;
      const Vec3d change = gradient(i) - g.at_vertex0;
      g.along_x = fma(slope.x, change, g.along_x);
      g.along_y = fma(slope.y, change, g.along_y);
      g.along_z = fma(slope.z, change, g.along_z);
    }
  }
  return out;
}

}  // namespace isopatch::detail
