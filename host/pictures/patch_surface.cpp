// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/text/throw_error.h"
#include "isopatch/pictures.h"

namespace isopatch {

std::vector<Polygon> contact_polygons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment) {
  std::vector<Polygon> polygons(1024);
  for (;;) {
    std::int32_t needed = 0;
    std::uint32_t status = 0;
    std::vector<std::int32_t> counts(static_cast<std::size_t>(states.num_pairs));
    Results results;
    results.status = &status;
    results.polygon_count = counts.empty() ? nullptr : counts.data();
    results.polygons = polygons.data();
    results.polygons_needed = &needed;
    results.polygon_capacity = static_cast<std::int32_t>(polygons.size());
    evaluator.evaluate(states.view(environment, 1), results);

    const bool fits = static_cast<std::size_t>(std::max(needed, 0)) <= polygons.size();
    polygons.resize(static_cast<std::size_t>(std::max(needed, 0)));
    if (fits) return polygons;
  }
}

PolygonSurface patch_surface(const std::vector<Polygon>& polygons) {
  PolygonSurface surface;
  surface.num_faces = std::ssize(polygons);
  for (std::size_t k = 0; k < polygons.size(); ++k) {
    const Polygon& polygon = polygons[k];
    if (polygon.num_vertices < 0 || polygon.num_vertices > 8) {
      detail::throw_error("patch_surface: polygon {} has {} vertices; the most are 8", k, polygon.num_vertices);
    }
    surface.faces.push_back(polygon.num_vertices);
    for (int i = 0; i < polygon.num_vertices; ++i) {
      const float* vertex = polygon.vertices[i];
      surface.faces.push_back(static_cast<std::int32_t>(surface.points.size()));
      surface.points.push_back({vertex[0], vertex[1], vertex[2]});
    }
  }
  return surface;
}

}  // namespace isopatch
