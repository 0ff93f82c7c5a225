// SPDX-License-Identifier: Apache-2.0
//
// The features of a convex polytope, as A geometrically exact contact model for polytopes in multirigid-body simulation
// names them (fig. 7, eqs. 26, 27): corners, faces, edges and what meets where.
#pragma once

#include <array>
#include <vector>

#include "host/reference/scene/vector.h"

namespace isopatch::reference::polytope {

/// A polygon has its edges as faces: face k goes from vertex k to k + 1 and has a loop of two.
struct ConvexFace {
  std::vector<int> loop;             // vertices, counter-clockwise seen from outside; none if it has no end
  Vector3 normal = Vector3::Zero();  // unit, outward
  Vector3 point = Vector3::Zero();   // on its plane
};

/// An edge of a polyhedron. Seen from outside, face f is on the left of the way from i to j, and g on the right.
struct ConvexEdge {
  int i = 0, j = 0, f = 0, g = 0;
  Vector3 direction = Vector3::Zero();                         // unit, from i to j
  Vector3 into_f = Vector3::Zero(), into_g = Vector3::Zero();  // t_f and t_g: unit, along the face, away from the edge
};

/// A convex polyhedron, a convex polygon in a plane of constant z, or a half space.
struct ConvexShape {
  bool is_planar = false;  // a polygon
  std::vector<Vector3> vertices;
  std::vector<ConvexFace> faces;
  std::vector<ConvexEdge> edges;  // none if it is planar

  // of each vertex, ascending
  std::vector<std::vector<int>> neighbours, faces_at, edges_at;

  /// One face and no corner.
  bool is_half_space() const { return vertices.empty(); }
};

/// A polyhedron with the given numbers of vertices, faces and edges. A loop lists the corners of a face
/// counter-clockwise seen from outside. An edge is the pair (i, j) of its ends; in which order decides which of its
/// faces is f. Throws if an edge is not between two faces.
ConvexShape polyhedron(const std::vector<Vector3>& vertices, const std::vector<std::vector<int>>& loops,
                       const std::vector<std::array<int, 2>>& edges);

/// The same with edges (i, j), i < j, in ascending order.
ConvexShape polyhedron(const std::vector<Vector3>& vertices, const std::vector<std::vector<int>>& loops);

/// A polygon with the given vertices, counter-clockwise seen from +z.
ConvexShape polygon(const std::vector<Vector3>& vertices);

/// Below the plane z = 0.
ConvexShape half_space();

/// The same features in another frame.
ConvexShape moved(const ConvexShape& shape, const Transform& motion);

/// The greatest distance of a vertex from a point.
Real radius_about(const ConvexShape& shape, const Vector3& point);

/// The diagonal of the box about the vertices.
Real size_of(const ConvexShape& shape);

/// The mean of the vertices, a point inside.
Vector3 middle_of(const ConvexShape& shape);

}  // namespace isopatch::reference::polytope
