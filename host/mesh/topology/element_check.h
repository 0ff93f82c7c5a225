// SPDX-License-Identifier: Apache-2.0
//
// Checks that tets and triangles have in common.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "isopatch/error.h"
#include "isopatch/geometry/mesh.h"

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

/// Throws for the first element with an index out of range; `source` names the mesh.
template <class Element>
void check_indices(const std::vector<Element>& elements, std::size_t points, const std::string& source) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (const std::int32_t v : elements[i]) {
      if (v >= 0 && static_cast<std::size_t>(v) < points) continue;
      throw Error(fmt::format("{}: {} has index {}; it must lie in [0, {}]", source, describe(i, elements[i]), v,
                              static_cast<std::int64_t>(points) - 1));
    }
  }
}

/// Throws for point data of another length than the points.
void check_point_data(const TetMesh& mesh, const std::string& source);

/// Throws for the first point with a coordinate that is not finite or beyond the limit.
void check_points(const std::vector<Point3>& points, const std::string& source);

/// Returns the diagonal of the elements' bounding box; throws if it is smaller than the limit. Indices must be in
/// range.
double check_size(const std::vector<Point3>& points, const std::vector<Tet>& tets, const std::string& source);
double check_size(const std::vector<Point3>& points, const std::vector<Triangle>& triangles, const std::string& source);

/// Throws for an edge that is shorter than the limit. Indices must be in range.
void check_edges(const std::vector<Point3>& points, const Tet& tet, std::size_t index, const std::string& source);
void check_edges(const std::vector<Point3>& points, const Triangle& triangle, std::size_t index,
                 const std::string& source);

/// Whether the three corners are on a line, within rounding.
bool is_flat(const std::vector<Point3>& points, const Triangle& triangle);

/// The smallest height of a tet, in units of its longest edge.
double relative_height(const TetMesh& mesh, const Tet& tet);

}  // namespace isopatch::detail
