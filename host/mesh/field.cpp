// SPDX-License-Identifier: Apache-2.0
//
// The distance field of a tet mesh.
#include <cmath>

#include "isopatch/field.h"
#include "mesh/element_check.h"
#include "mesh/triangle_tree.h"

namespace isopatch {

constexpr std::size_t kSmall = 4096;  // points that one thread works on

std::vector<double> distance_to_surface(const TetMesh& mesh, const std::vector<Triangle>& surface) {
  check_indices(surface, mesh.points.size(), "distance_to_surface");
  std::vector<double> distance(mesh.points.size(), 0.0);
  if (surface.empty()) return distance;
  const TriangleTree tree(mesh.points, surface);
  const std::vector<std::uint8_t> on_surface = boundary_points(mesh, surface);
#pragma omp parallel for schedule(dynamic, 64) if (mesh.points.size() > kSmall)
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    if (on_surface[i] == 0) distance[i] = std::sqrt(tree.squared_distance(mesh.points[i]));
  }
  return distance;
}

}  // namespace isopatch
