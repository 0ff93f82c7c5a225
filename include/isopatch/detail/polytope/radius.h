// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/polytope/shape.h"

namespace isopatch::detail {

/// The largest distance of a vertex from a point, m; infinite of a half space.
ISOPATCH_HD double radius_about(const PolytopeView& shape, Vec3d center) {
  if (shape.half_space != 0) return HUGE_VAL;
  double largest = 0;
  for (std::int32_t v = 0; v < shape.num_vertices; ++v) {
    const Vec3d arm = shape.vertices[v] - center;
    largest = max(largest, dot(arm, arm));
  }
  return sqrt(largest);
}

}  // namespace isopatch::detail
