// SPDX-License-Identifier: Apache-2.0
//
// Where a surface cuts through itself.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

struct SelfCuts {
  std::int64_t triangles = 0;                    // that another triangle cuts
  std::array<std::int64_t, 2> first = {-1, -1};  // the pair with the lowest indices
};

/// Two triangles cut each other where an edge of one passes through the other, by more than 1e-9 of the mesh's `size`
/// on both sides and away from the other's edges: triangles that share a vertex, touch, or lie face to face within that
/// margin do not count. Tests triangles that are near each other, but not all of them if they are very many, as in a
/// bundle of needles.
SelfCuts find_self_cuts(const std::vector<Point3>& points, const std::vector<Triangle>& triangles, double size);

}  // namespace isopatch::detail
