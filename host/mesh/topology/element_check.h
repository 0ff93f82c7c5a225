// SPDX-License-Identifier: Apache-2.0
//
// Checks that tets and triangles have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/text/throw_error.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

/// A product of edges has a rounding error of a few eps times their lengths. An area or volume below this fraction of
/// them is noise.
inline constexpr double kFlat = 16 * std::numeric_limits<double>::epsilon();

inline std::string describe(std::size_t index, const Tet& tet) {
  return fmt::format("tet {} (vertices {} {} {} {})", index, tet[0], tet[1], tet[2], tet[3]);
}

inline std::string describe(std::size_t index, const Triangle& t) {
  return fmt::format("triangle {} (vertices {} {} {})", index, t[0], t[1], t[2]);
}

/// Throws without elements, of which `needed` are needed, and if there are more points or elements than can be indexed.
void check_counts(std::size_t points, std::size_t elements, const char* kind, const char* needed,
                  const std::string& source);

/// Throws for the first element with an index out of range; `source` names the mesh.
template <class Element>
void check_indices(const std::vector<Element>& elements, std::size_t points, const std::string& source) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (const std::int32_t v : elements[i]) {
      if (v >= 0 && static_cast<std::size_t>(v) < points) continue;
      throw_error("{}: {} has index {}; it must lie in [0, {}]", source, describe(i, elements[i]), v,
                  static_cast<std::int64_t>(points) - 1);
    }
  }
}

/// Throws unless all vertices of an element differ.
template <class Element>
void check_distinct(const Element& element, std::size_t index, const std::string& source) {
  for (auto v = element.begin(); v != element.end(); ++v) {
    if (std::find(element.begin(), v, *v) == v) continue;
    throw_error("{}: {} has vertex {} twice; the {} must differ", source, describe(index, element), *v,
                element.size() == 3 ? "three" : "four");
  }
}

/// Whether an element uses each of `count` points. Indices must be in range.
template <class Element>
std::vector<std::uint8_t> used_points(const std::vector<Element>& elements, std::size_t count) {
  std::vector<std::uint8_t> used(count, 0);
  for (const Element& element : elements) {
    for (const std::int32_t v : element) used[v] = 1;
  }
  return used;
}

/// The elements with their vertices in ascending order, and their indices; those with the same vertices are neighbours.
template <class Element>
std::vector<std::pair<Element, std::size_t>> sorted_elements(const std::vector<Element>& elements) {
  std::vector<std::pair<Element, std::size_t>> sorted;
  sorted.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    sorted.emplace_back(elements[i], i);
    std::sort(sorted.back().first.begin(), sorted.back().first.end());
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Throws for point data of another length than the points.
void check_point_data(const TetMesh& mesh, const std::string& source);

/// Throws for the first point with a coordinate that is not finite or beyond the limit.
void check_points(const std::vector<Point3>& points, const std::string& source);

/// Returns the diagonal of the elements' bounding box; throws if it is smaller than the limit. Indices must be in
/// range.
template <class Element>
double check_size(const std::vector<Point3>& points, const std::vector<Element>& elements, const std::string& source) {
  if (elements.empty()) return 0;
  const Box box = box_of(points, elements);
  const double size = norm(box.high - box.low);
  if (size >= limits::kMinSize) return size;
  throw_error(
      "{}: the mesh is {} m large from corner to corner of its box; it must be at least {} m, give the mesh in metres",
      source, size, limits::kMinSize);
}

/// Throws for an edge that is shorter than the limit. Indices must be in range.
template <class Element>
void check_edges(const std::vector<Point3>& points, const Element& element, std::size_t index,
                 const std::string& source) {
  for (std::size_t i = 0; i < element.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      // the largest component, because the square of so small a length would be 0
      const Point3 edge = points[element[i]] - points[element[j]];
      const double length = std::max({std::fabs(edge[0]), std::fabs(edge[1]), std::fabs(edge[2])});
      if (length >= limits::kMinEdge) continue;
      throw_error("{}: {} has an edge of {} m, from point {} to {}; it must be at least {} m", source,
                  describe(index, element), length, element[j], element[i], limits::kMinEdge);
    }
  }
}

/// Whether the three corners are on a line, within rounding.
bool is_flat(const std::vector<Point3>& points, const Triangle& triangle);

/// The smallest height of a tet, in units of its longest edge.
double relative_height(const TetMesh& mesh, const Tet& tet);

}  // namespace isopatch::detail
