// SPDX-License-Identifier: Apache-2.0
//
// Distances between vertices, edges and faces as they end, not as the lines and planes through them, and of two convex
// shapes.
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

/// The distance of two bounded convex shapes as the norm of the shortest vector between them, a quadratic program in
/// the differences of their vertices. It knows neither faces nor edges, so that it can check what does.
struct HullDistance {
  Real at_least = 0, at_most = 0;    // proved by the plane in the middle, and by two points
  Vector3 normal = Vector3::Zero();  // unit, from b to a; of shapes that overlap, without meaning
};
HullDistance hull_distance(const ConvexShape& a, const ConvexShape& b);

}  // namespace isopatch::reference::polytope
