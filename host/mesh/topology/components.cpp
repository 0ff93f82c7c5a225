// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/components.h"

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"

namespace isopatch::detail {
namespace {

std::size_t first_vertex(const Tet& tet) { return static_cast<std::size_t>(tet[0]); }

}  // namespace

std::vector<Point3> component_points(const TetMesh& mesh) {
  check_indices(mesh.tets, mesh.points.size(), "component_points");
  DisjointSets sets(mesh.points.size());
  for (const Tet& tet : mesh.tets) {
    for (const std::int32_t vertex : tet) sets.join(first_vertex(tet), static_cast<std::size_t>(vertex));
  }

  std::vector<Point3> points;
  std::vector<bool> seen(mesh.points.size(), false);
  for (const Tet& tet : mesh.tets) {
    const std::size_t component = sets.find(first_vertex(tet));
    if (seen[component]) continue;
    seen[component] = true;
    Point3 sum = {0, 0, 0};
    for (const std::int32_t vertex : tet) sum = sum + point_at(mesh, vertex);
    points.push_back(0.25 * sum);
  }
  return points;
}

}  // namespace isopatch::detail
