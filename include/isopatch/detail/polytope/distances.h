// SPDX-License-Identifier: Apache-2.0
//
// Squared distances of points, segments and faces, all given in one frame.
#pragma once

#include "isopatch/detail/polytope/shape.h"

namespace isopatch::detail {

/// Of a point to the segment from p to q, which may be a point.
ISOPATCH_HD double squared_distance(Vec3d x, Vec3d p, Vec3d q) {
  const Vec3d along = q - p, from = x - p;
  const double length = dot(along, along), t = dot(from, along);
  if (!(t > 0)) return dot(from, from);
  if (t >= length) return dot(x - q, x - q);
  const Vec3d off = fma(-(t / length), along, from);
  return dot(off, off);
}

/// A segment with a unit direction from p to q, and what its line is needed for.
struct Segment {
  Vec3d p, q, direction;
  double length;
};

/// Where the lines of two segments that are not parallel come nearest: so far from p of each.
struct NearestOnLines {
  double a, b;
};

/// `normal` is the cross product of the directions, `squared_sine` its square.
ISOPATCH_HD NearestOnLines nearest_on_lines(const Segment& a, const Segment& b, Vec3d normal, double squared_sine) {
  const Vec3d from = b.p - a.p;
  return {dot(cross(from, b.direction), normal) / squared_sine, dot(cross(from, a.direction), normal) / squared_sine};
}

/// Of two segments that are not parallel.
ISOPATCH_HD double squared_distance(const Segment& a, const Segment& b, Vec3d normal, double squared_sine) {
  const NearestOnLines at = nearest_on_lines(a, b, normal, squared_sine);
  if (at.a >= 0 && at.a <= a.length && at.b >= 0 && at.b <= b.length) {
    const double across = dot(a.p - b.p, normal);
    return across * across / squared_sine;
  }
  return min(min(squared_distance(a.p, b.p, b.q), squared_distance(a.q, b.p, b.q)),
             min(squared_distance(b.p, a.p, a.q), squared_distance(b.q, a.p, a.q)));
}

/// The height of a point over the plane of a face.
ISOPATCH_HD double face_gap(const ShapeFace& face, Vec3d x) { return dot(face.normal, x) - face.offset; }

/// Of a point to a face itself, given the height over its plane: the nearest point of a convex polygon is on a side
/// that has the foot of the point beyond it, or there is no such side.
ISOPATCH_HD double squared_distance(const PolytopeView& shape, const ShapeFace& face, Vec3d x, double gap) {
  double least = HUGE_VAL;
  ISOPATCH_NO_UNROLL
  for (std::int32_t s = face.begin; s < face.end; ++s) {
    const FaceSide& side = shape.sides[s];
    const Vec3d p = shape.vertices[side.p];
    if (dot(x - p, side.inward) >= 0) continue;
    least = min(squared_distance(x, p, shape.vertices[side.q]), least);
  }
  return least < HUGE_VAL ? least : gap * gap;
}

}  // namespace isopatch::detail
