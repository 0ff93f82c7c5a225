// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/element_check.h"

#include "host/text/quote.h"

namespace isopatch::detail {
void check_counts(std::size_t points, std::size_t elements, const char* kind, const char* needed,
                  const std::string& source) {
  if (elements == 0) throw_error("{}: the mesh has no {}; {} is needed", source, kind, needed);
  for (const std::size_t count : {points, elements}) {
    if (static_cast<std::int64_t>(count) <= limits::kMaxElements) continue;
    throw_error("{}: {} elements; at most {} points and {} can be indexed", source, count, limits::kMaxElements, kind);
  }
}

void check_point_data(const TetMesh& mesh, const std::string& source) {
  for (const auto& [name, values] : mesh.point_data) {
    if (values.size() == mesh.points.size()) continue;
    throw_error("{}: point data {} has {} values; the mesh has {} points", source, in_quotes(name), values.size(),
                mesh.points.size());
  }
}

void check_points(const std::vector<Point3>& points, const std::string& source) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point3& p = points[i];
    if (!(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]))) {
      throw_error("{}: point {} is ({}, {}, {}); coordinates must be finite", source, i, p[0], p[1], p[2]);
    }
    if (std::max({std::fabs(p[0]), std::fabs(p[1]), std::fabs(p[2])}) <= limits::kMaxCoordinate) continue;
    throw_error("{}: point {} is ({}, {}, {}); coordinates must be within {} m, give the mesh in metres", source, i,
                p[0], p[1], p[2], limits::kMaxCoordinate);
  }
}

bool is_flat(const std::vector<Point3>& points, const Triangle& t) {
  const auto corner = [&](std::size_t i) { return points[t[i]]; };
  const Point3 u = corner(1) - corner(0), v = corner(2) - corner(0);
  return !(norm(cross(u, v)) > kFlat * norm(u) * norm(v));
}

double relative_height(const TetMesh& mesh, const Tet& tet) {
  double area = 0, edge = 0;  // the largest, twice, and the longest
  for (std::size_t i = 0; i < 4; ++i) {
    const Point3& a = point_at(mesh, tet[(i + 1) % 4]);
    const Point3 u = point_at(mesh, tet[(i + 2) % 4]) - a, v = point_at(mesh, tet[(i + 3) % 4]) - a;
    area = std::max(area, norm(cross(u, v)));
    edge = std::max({edge, norm(u), norm(v)});
  }
  return std::fabs(six_volumes(mesh, tet)) / area / edge;
}

}  // namespace isopatch::detail
