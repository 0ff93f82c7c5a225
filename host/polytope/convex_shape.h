// SPDX-License-Identifier: Apache-2.0
//
// Convex polytopes with faces, edges and what meets in each vertex, as the contact model `polytope` needs them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isopatch/detail/polytope/shape.h"
#include "isopatch/geometry/geometry.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Volume and centroid of a polyhedron, or area and centroid of a polygon.
struct PolytopeMeasure {
  double size = 0;    // m^3 or m^2
  Point3 centroid{};  // m
};

/// Owns a convex shape. The order of its features depends on the shape and the order of the points alone:
///
///   vertices: of a polyhedron in the order of the input points; of a polygon counter-clockwise, beginning with the
///     first input point that is a corner;
///   faces: of a polyhedron by the lists of their vertices, counter-clockwise from the lowest; of a polygon, face k
///     leads from vertex k to the next;
///   edges: by their vertices i < j.
///
/// Every function throws Error for points that are not finite, and for more than 64 faces.
class ConvexShape {
 public:
  /// The convex hull of points. Triangles in one plane, within 1e-6 rad and 1e-9 of the size, become one face. Throws
  /// Error if the points lie in a plane, or too near to it. `name` is what messages call the shape, and `fewer` of what
  /// it should have fewer where it has too many faces.
  static ConvexShape hull(const std::vector<Point3>& points, const char* name = "convex hull",
                          const char* fewer = "points");

  /// The convex hull of points [x, y] in the plane z = 0. Throws Error for fewer than three points, or all on a line.
  static ConvexShape polygon(const std::vector<std::array<double, 2>>& points);

  /// A box about the origin. Throws Error unless all half sizes are positive.
  static ConvexShape box(const Point3& half);

  /// All z <= 0.
  static ConvexShape half_space();

  /// The same in another frame: x' = R x + t, rows of R. Planes follow from the new vertices.
  ConvexShape placed(const std::array<Point3, 3>& rotation, const Point3& translation) const;

  /// Pointers into this object.
  PolytopeView view() const;

  PolytopeMeasure measure() const;

  const std::vector<Vec3d>& vertices() const { return vertices_; }
  std::vector<std::int32_t> face_vertices(std::int32_t face) const;  ///< counter-clockwise seen from outside
  std::int32_t num_faces() const { return static_cast<std::int32_t>(faces_.size()); }
  std::int32_t num_edges() const { return static_cast<std::int32_t>(edges_.size()); }
  bool is_planar() const { return planar_; }
  bool is_half_space() const { return vertices_.empty(); }

 private:
  using Loops = std::vector<std::vector<std::int32_t>>;  // vertices of each face

  static ConvexShape polyhedron(std::vector<Vec3d> vertices, Loops loops);
  void add_faces(const Loops& loops);
  void add_edges(const Loops& loops);
  void add_sides(const Loops& loops);
  void add_vertices();
  void set_polygon();

  std::vector<Vec3d> vertices_;
  std::vector<ShapeFace> faces_;
  std::vector<FaceSide> sides_;
  std::vector<ShapeEdge> edges_;
  std::vector<std::int32_t> vertex_begin_, vertex_faces_;
  std::vector<Spoke> spokes_;
  bool planar_ = false;
};

/// The shape of a convex geometry. Throws Error if it has too many faces.
ConvexShape convex_shape_of(const Geometry& geometry);

/// Throws Error if a coordinate of a point is not finite; `what` they are of.
void check_finite(const char* what, const std::vector<Point3>& points);

/// The faces of the convex hull of points, each as its vertices counter-clockwise seen from outside. Facets within 1e-6
/// rad and 1e-9 of the size of one plane are one face; points as near as that to a face or edge are no vertices. Faces
/// and their first vertices are in no particular order. Throws Error if the points lie in a plane, or too near to it.
std::vector<std::vector<std::int32_t>> hull_faces(const std::vector<Point3>& points);

}  // namespace isopatch::detail
