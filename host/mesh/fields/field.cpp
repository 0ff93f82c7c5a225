// SPDX-License-Identifier: Apache-2.0
//
// The distance field of a tet mesh.
#include <cmath>

#include "host/mesh/checks/triangle_tree.h"
#include "host/mesh/topology/element_check.h"
#include "host/threads/parallel_for.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/field.h"

namespace isopatch {

using namespace detail;

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
