// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/edge_table.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "host/mesh/topology/components.h"
#include "host/mesh/topology/point_index.h"

namespace isopatch::detail {

std::vector<EdgeUse> sorted_edges(const TriangleMesh& mesh) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int32_t from = mesh.triangles[t][i], to = mesh.triangles[t][(i + 1) % 3];
      edges.push_back({std::min(from, to), std::max(from, to), from < to, static_cast<std::int32_t>(t)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.ascending, a.triangle) < std::tie(b.low, b.high, b.ascending, b.triangle);
  });
  return edges;
}

OpenEdges open_edges(const TriangleMesh& mesh) {
  const auto is_same = [](const EdgeUse& a, const EdgeUse& b) { return a.low == b.low && a.high == b.high; };
  const std::vector<EdgeUse> edges = sorted_edges(mesh);
  OpenEdges open;
  DisjointSets groups(mesh.points.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if ((i > 0 && is_same(edges[i], edges[i - 1])) || (i + 1 < edges.size() && is_same(edges[i], edges[i + 1])))
      continue;
    const auto low = static_cast<std::size_t>(edges[i].low), high = static_cast<std::size_t>(edges[i].high);
    ++open.edges;
    // a group has one point more than edges that joined two groups, so each other edge closes a ring
    if (groups.find(low) == groups.find(high)) ++open.holes;
    groups.join(low, high);
  }
  return open;
}

void weld(TriangleMesh& mesh) {
  std::vector<std::int32_t> image;
  std::vector<Point3> points;
  PointIndex index(points);
  for (const Point3& p : mesh.points) image.push_back(index.add(p));
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) v = image[static_cast<std::size_t>(v)];
  }
  std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  mesh.points = std::move(points);
}

}  // namespace isopatch::detail
