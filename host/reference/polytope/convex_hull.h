// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls of few points by trying all planes and lines through them. Other points than corners are left out; the
// corners keep their order, and faces are in the order of their loops, each from its lowest corner. Faces that meet at
// less than 1e-6 rad and lie within 1e-9 of the size are one.
#pragma once

#include <vector>

#include "host/reference/polytope/convex_shape.h"

namespace isopatch::reference::polytope {

/// Of points in space. Throws if they lie in a plane.
ConvexShape convex_hull(const std::vector<Vector3>& points);

/// Of points with z = 0, from the one with the smallest x (of these the smallest y) counter-clockwise. Throws if they
/// lie on a line.
ConvexShape convex_polygon(const std::vector<Vector3>& points);

/// The polygon between z = -height / 2 and height / 2.
ConvexShape prism(const ConvexShape& polygon, Real height);

/// With its centre at the origin.
ConvexShape box(const Vector3& sides);

/// A rectangle from its lower left to its upper right corner.
ConvexShape rectangle(Real left, Real bottom, Real right, Real top);

}  // namespace isopatch::reference::polytope
