// SPDX-License-Identifier: Apache-2.0
//
// Distances between vertices, edges and faces as they end, not as the lines and planes through them.
#pragma once

#include "host/reference/polytope/convex_shape.h"

namespace isopatch::reference::polytope {

/// The points x + s u and y + t v where two lines are closest; the lines are not parallel.
struct ClosestOfLines {
  Real s = 0, t = 0;
};
ClosestOfLines closest_of_lines(const Vector3& x, const Vector3& u, const Vector3& y, const Vector3& v);

/// From a point to a segment.
Real point_segment_distance(const Vector3& x, const Vector3& from, const Vector3& to);

/// Between two segments.
Real segment_distance(const Vector3& from, const Vector3& to, const Vector3& other_from, const Vector3& other_to);

/// From a point, inside or outside, to a face: to its plane where the foot lies in the face, else to its edges. That of
/// a half space has none.
Real face_distance(const Vector3& x, const ConvexShape& shape, int face);

/// From a point to an edge.
Real edge_distance(const Vector3& x, const ConvexShape& shape, int edge);

/// Between edges of two shapes.
Real edge_distance(const ConvexShape& a, int edge_a, const ConvexShape& b, int edge_b);

}  // namespace isopatch::reference::polytope
