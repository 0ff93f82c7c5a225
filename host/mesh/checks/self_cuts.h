// SPDX-License-Identifier: Apache-2.0
//
// Where a surface cuts through itself.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isopatch/mesh.h"

namespace isopatch::detail {

struct SelfCuts {
  std::int64_t triangles = 0;                    // that another one cuts
  std::array<std::int64_t, 2> first = {-1, -1};  // the pair with the lowest numbers
};

/// Triangles one of which an edge of the other passes through, by more than 1e-9 of the mesh's `size` on both sides and
/// from the triangle's edges: what shares a vertex, touches, or lies face to face within that does not count. Looks at
/// the triangles near each other, and where those are very many, as in a bundle of needles, not at all of them.
SelfCuts find_self_cuts(const std::vector<Point3>& points, const std::vector<Triangle>& triangles, double size);

}  // namespace isopatch::detail
