// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/convex_polyhedron.h"

#include <iterator>
#include <map>
#include <utility>

#include "host/mesh/primitives/convex_hull.h"
#include "host/text/throw_error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

Polyhedron hull_of(const std::vector<Point3>& points) {
  std::vector<double> coordinates;
  for (const Point3& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
  const std::vector<HullFacet> facets = convex_hull(std::move(coordinates), 3);
  if (facets.empty()) {
    throw_error("convex hull: the {} points lie in a plane; a hull needs four that do not", points.size());
  }
  if (facets.size() > limits::kMaxHullFaces) {
    throw_error("convex hull: the hull of the {} points has {} faces, the limit is {}; use fewer points", points.size(),
                facets.size(), limits::kMaxHullFaces);
  }
  Polyhedron hull;
  std::map<std::int32_t, std::int32_t> corner_of;  // of the points that are corners: their index among these
  for (const HullFacet& facet : facets) {
    for (const std::int32_t v : facet.vertices) corner_of.try_emplace(v, 0);
  }
  for (auto& [point, corner] : corner_of) {
    corner = static_cast<std::int32_t>(hull.corners.size());
    hull.corners.push_back(points[point]);
    hull.inside = hull.inside + hull.corners.back();
  }
  hull.inside = (1 / static_cast<double>(hull.corners.size())) * hull.inside;
  for (const HullFacet& facet : facets) {
    Face face{{facet.normal[0], facet.normal[1], facet.normal[2]}, facet.offset, {}};
    for (const std::int32_t v : facet.vertices) face.corners.push_back(corner_of[v]);
    std::sort(face.corners.begin(), face.corners.end());
    hull.faces.push_back(std::move(face));
  }
  return hull;
}

std::vector<MedialVertex> inner_vertices(const Polyhedron& hull) {
  const double level = hull.depth(hull.inside) / 2;
  std::vector<double> dual;
  for (const Face& face : hull.faces) {
    const double slack = hull.height(face, hull.inside) - level;
    for (const double n : face.normal) dual.push_back(n / slack);
    dual.push_back(1 / slack);
  }
  const auto ground = static_cast<std::int32_t>(hull.faces.size());
  dual.insert(dual.end(), {0, 0, 0, -1 / level});

  std::vector<MedialVertex> vertices;
  for (HullFacet& facet : convex_hull(std::move(dual), 4)) {
    if (std::find(facet.vertices.begin(), facet.vertices.end(), ground) != facet.vertices.end()) continue;
    const Point3 from_inside{facet.normal[0] / facet.offset, facet.normal[1] / facet.offset,
                             facet.normal[2] / facet.offset};
    std::sort(facet.vertices.begin(), facet.vertices.end());
    vertices.push_back({hull.inside + from_inside, std::move(facet.vertices)});
  }
  return vertices;
}

std::vector<MedialVertex> joined(std::vector<MedialVertex> vertices, double distance) {
  std::sort(vertices.begin(), vertices.end(),
            [](const MedialVertex& a, const MedialVertex& b) { return a.position < b.position; });
  std::vector<MedialVertex> kept;
  for (MedialVertex& vertex : vertices) {
    const auto same = std::find_if(kept.rbegin(), kept.rend(), [&](const MedialVertex& other) {
      return norm(other.position - vertex.position) <= distance;
    });
    if (same == kept.rend()) {
      kept.push_back(std::move(vertex));
    } else {
      const std::vector<std::int32_t> one = std::move(same->nearest);
      same->nearest.clear();
      std::set_union(one.begin(), one.end(), vertex.nearest.begin(), vertex.nearest.end(),
                     std::back_inserter(same->nearest));
    }
  }
  return kept;
}

}  // namespace isopatch::detail
