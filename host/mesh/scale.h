// SPDX-License-Identifier: Apache-2.0
//
// Scale factors along x, y and z, and points to which they are applied.
#pragma once

#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Throws Error for a factor that is 0 or not finite.
void check_factors(const Point3& factors);

/// Multiplies coordinates; factors as for check_factors().
void scale_points(std::vector<Point3>& points, const Point3& factors);

}  // namespace isopatch::detail
