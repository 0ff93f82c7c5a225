// SPDX-License-Identifier: Apache-2.0
//
// What two convex shapes have in common, by the divergence theorem: its boundary is the part of each boundary that lies
// in the other shape.
#pragma once

#include "host/reference/polytope/convex_shape.h"

namespace isopatch::reference::polytope {

/// The volume of the intersection or, of two polygons, its area. At most one of the shapes is a half space.
Real overlap(const ConvexShape& a, const ConvexShape& b);

}  // namespace isopatch::reference::polytope
