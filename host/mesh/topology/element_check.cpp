// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/element_check.h"

#include "host/text/quote.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

const Point3& corner(const std::vector<Point3>& points, std::int32_t index) {
  return points[static_cast<std::size_t>(index)];
}

template <class Element>
double checked_size(const std::vector<Point3>& points, const std::vector<Element>& elements,
                    const std::string& source) {
  if (elements.empty()) return 0;
  Point3 low = corner(points, elements[0][0]), high = low;
  for (const Element& element : elements) {
    for (const std::int32_t v : element) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], corner(points, v)[k]);
        high[k] = std::max(high[k], corner(points, v)[k]);
      }
    }
  }
  const double size = norm(high - low);
  if (size >= limits::kMinSize) return size;
  throw Error(
      fmt::format("{}: the mesh is {} m large from corner to corner of its box; it must be at least {} m, give "
                  "the mesh in metres",
                  source, size, limits::kMinSize));
}

template <class Element>
void checked_edges(const std::vector<Point3>& points, const Element& element, std::size_t index,
                   const std::string& source) {
  for (std::size_t i = 0; i < element.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      // the largest component, because the square of so small a length would be 0
      const Point3 edge = corner(points, element[i]) - corner(points, element[j]);
      const double length = std::max({std::fabs(edge[0]), std::fabs(edge[1]), std::fabs(edge[2])});
      if (length >= limits::kMinEdge) continue;
      throw Error(fmt::format("{}: {} has an edge of {} m, from point {} to {}; it must be at least {} m", source,
                              describe(index, element), length, element[j], element[i], limits::kMinEdge));
    }
  }
}

}  // namespace

void check_point_data(const TetMesh& mesh, const std::string& source) {
  for (const auto& [name, values] : mesh.point_data) {
    if (values.size() == mesh.points.size()) continue;
    throw Error(fmt::format("{}: point data {} has {} values; the mesh has {} points", source, in_quotes(name),
                            values.size(), mesh.points.size()));
  }
}

void check_points(const std::vector<Point3>& points, const std::string& source) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point3& p = points[i];
    if (!(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]))) {
      throw Error(fmt::format("{}: point {} is ({}, {}, {}); coordinates must be finite", source, i, p[0], p[1], p[2]));
    }
    if (std::max({std::fabs(p[0]), std::fabs(p[1]), std::fabs(p[2])}) <= limits::kMaxCoordinate) continue;
    throw Error(fmt::format("{}: point {} is ({}, {}, {}); coordinates must be within {} m, give the mesh in metres",
                            source, i, p[0], p[1], p[2], limits::kMaxCoordinate));
  }
}

double check_size(const std::vector<Point3>& points, const std::vector<Tet>& tets, const std::string& source) {
  return checked_size(points, tets, source);
}

double check_size(const std::vector<Point3>& points, const std::vector<Triangle>& triangles,
                  const std::string& source) {
  return checked_size(points, triangles, source);
}

void check_edges(const std::vector<Point3>& points, const Tet& tet, std::size_t index, const std::string& source) {
  checked_edges(points, tet, index, source);
}

void check_edges(const std::vector<Point3>& points, const Triangle& triangle, std::size_t index,
                 const std::string& source) {
  checked_edges(points, triangle, index, source);
}

bool is_flat(const std::vector<Point3>& points, const Triangle& t) {
  const Point3 u = corner(points, t[1]) - corner(points, t[0]), v = corner(points, t[2]) - corner(points, t[0]);
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
