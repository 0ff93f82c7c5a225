// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls as polyhedra: corners, and faces that are polygons; and simpler ones of some of the corners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// A face of a convex polyhedron: the corners with normal . x = offset, within the polyhedron's tolerance.
struct HullFace {
  Point3 normal;  // unit, outward
  double offset = 0;
  std::vector<std::int32_t> corners;  // ascending
};

/// A convex polyhedron and a point well inside it.
struct Polyhedron {
  std::vector<Point3> corners;
  std::vector<HullFace> faces;
  Point3 inside{};

  double height(const HullFace& face, const Point3& p) const;

  /// The lowest height; the distance to the surface of a point inside.
  double depth(const Point3& p) const;
};

/// The vertices of a convex polygon in cyclic order about `normal`.
std::vector<std::int32_t> sorted_around(std::vector<std::int32_t> polygon, const std::vector<Point3>& points,
                                        const Point3& normal);

/// The convex hull of points as it is; no faces if the points lie in a plane.
Polyhedron hull_polyhedron(const std::vector<Point3>& points);

/// The hull without what rounding of the points by `tolerance` leaves: of points nearer to each other than that only
/// one stays, none stays on an edge or a face between others, and facets within `tolerance` of a plane are one face. No
/// faces if the points lie in a plane within it, or where too little of the hull would be left.
Polyhedron merged_polyhedron(const Polyhedron& hull, double tolerance);

/// A hull of some of the corners of another one, and how far from it the other's surface is at most, which is the
/// Hausdorff distance of the two.
struct SimplerHull {
  Polyhedron hull;
  double distance = 0;
};

/// The hull with at most `max_faces` faces, at least 100, of the corners that stick out most.
SimplerHull simplified(const Polyhedron& hull, std::size_t max_faces);

}  // namespace isopatch::detail
