// SPDX-License-Identifier: Apache-2.0
//
// Closes surfaces whose triangles have corners in the same place, or within rounding of it, but no points in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

/// Whether along every edge as many triangles run one way as the other. Edges from a point to itself do not count.
bool is_closed(const std::vector<Triangle>& triangles);

struct PointMerge {
  std::int64_t points;  // that were merged with another
  double distance;      // the longest between two that became one
};

/// Merges points of open edges that are at most `distance` apart, the nearest first, and never so that a triangle with
/// an area vanishes. Changes nothing, and returns none, unless the surface is then closed. A point has the place of the
/// first that it is merged from; points that are no longer used are dropped, and triangles may be left that have a
/// corner twice. Indices must be in range.
std::optional<PointMerge> close_by_merging(TriangleMesh& mesh, double distance);

/// The same with the distance by which rounding parts points: 1e-7 of the surface's size, about that of float32; with
/// points in the same place alone if that is enough.
std::optional<PointMerge> close_within_rounding(TriangleMesh& mesh);

/// From which distance on merging would close a surface that rounding has not parted, at most a hundredth of its size;
/// rounded up.
std::optional<double> closing_distance(const TriangleMesh& mesh);

}  // namespace isopatch::detail
