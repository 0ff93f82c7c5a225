// SPDX-License-Identifier: Apache-2.0
//
// Convex polyhedra and the vertices of their medial surface.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/mesh/math/point_math.h"

namespace isopatch::detail {

struct Face {
  Point3 normal;  // outward
  double offset;
  std::vector<std::int32_t> corners;
};

/// A convex polyhedron and a point well inside it.
struct Polyhedron {
  std::vector<Point3> corners;
  std::vector<Face> faces;
  Point3 inside{};

  double height(const Face& face, const Point3& p) const { return face.offset - dot(face.normal, p); }
  double depth(const Point3& p) const {
    double least = height(faces[0], p);
    for (const Face& face : faces) least = std::min(least, height(face, p));
    return least;
  }
};

/// A vertex of the medial mesh and the faces that are nearest to it, all at the same distance, in ascending order.
struct MedialVertex {
  Point3 position;
  std::vector<std::int32_t> nearest;
};

/// The convex hull of points. Throws Error if they lie in a plane, and for too many faces.
Polyhedron hull_of(const std::vector<Point3>& points);

/// The vertices of the medial surface: the vertices of the polytope {0 <= t <= depth(x)} that are above its ground t =
/// 0. They are found by duality about a point inside: the half-space h.y <= s becomes the point h/s, and every facet of
/// the hull of these points is a vertex.
std::vector<MedialVertex> inner_vertices(const Polyhedron& hull);

/// Joins vertices within `distance` of each other, which differ only by rounding.
std::vector<MedialVertex> joined(std::vector<MedialVertex> vertices, double distance);

}  // namespace isopatch::detail
