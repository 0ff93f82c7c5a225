// SPDX-License-Identifier: Apache-2.0
//
// The distance of two bounded convex shapes as the norm of the shortest vector between them, a quadratic program in the
// differences of their vertices. It knows neither faces nor edges, so that it can check what does.
#pragma once

#include "host/reference/polytope/convex_shape.h"

namespace isopatch::reference::polytope {

struct HullDistance {
  Real at_least = 0, at_most = 0;    // proved by the plane in the middle, and by two points
  Vector3 normal = Vector3::Zero();  // unit, from b to a; of shapes that overlap, without meaning
};
HullDistance hull_distance(const ConvexShape& a, const ConvexShape& b);

}  // namespace isopatch::reference::polytope
