// SPDX-License-Identifier: Apache-2.0
//
// A geometry is a shape with its extent field: 0 on the surface, 1 at the deepest point (PFC section VI-A). A body's
// pressure is modulus x extent.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "isopatch/geometry/field.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/screw_thread.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch {

/// The kinds of a Geometry: a mesh of tets or of triangles, or the half space below a plane.
enum class GeometryKind : std::uint8_t { kMesh, kHalfSpace };

/// The shapes with an exact distance, for ContactModel::kPoint and kVolumetric.
enum class PrimitiveKind : std::uint8_t { kNone, kSphere, kBox, kCylinder, kCapsule };

/// The exact shape that a mesh stands for, about the origin, its axis along z.
struct Primitive {
  PrimitiveKind kind = PrimitiveKind::kNone;  ///< says which numbers count
  Point3 half = {};   ///< kBox: half edges, m; kCylinder, kCapsule: half[2] is half the length without half balls, m
  double radius = 0;  ///< of the others, m

  /// Compares all members.
  friend bool operator==(const Primitive&, const Primitive&) = default;
};

/// An immutable shape in its own frame. Make it with one of the make_ functions below; Scene checks one that was filled
/// in by hand.
struct Geometry {
  std::string name;                         ///< for messages; unique in a scene file
  GeometryKind kind = GeometryKind::kMesh;  ///< which of the members below count

  /// kMesh: a checked tet mesh. Without tets it is a surface mesh, which has no pressure field, so only rigid bodies
  /// can have it.
  TetMesh mesh;
  std::vector<Triangle> surface;  ///< kMesh: the boundary of `mesh`, outward oriented
  std::vector<double> extent;     ///< kMesh: at every point of `mesh`, dimensionless; 0 throughout a surface mesh
  Primitive primitive = {};       ///< kMesh: what the mesh is an approximation of, if that is known
  bool strained = false;          ///< kMesh: the extent is that of a strain map
  bool convex = false;            ///< kMesh: the convex hull of its surface, which touches by faces
  bool polygon = false;        ///< kMesh: a convex polygon in the plane z = 0, whose corners are the points, counter-
                               ///< clockwise; of rigid bodies, which touch by edges
  bool size_is_known = false;  ///< no warning of an unlikely size: a scene file states its units, or warns itself

  /// kHalfSpace: z <= 0 of its frame; extent = -z/thickness. Metres.
  double thickness = 0;

  /// kHalfSpace: rows (e, f) between which the pressure E f is linear, as strain_table() leaves them; none where it is
  /// E e throughout.
  std::vector<std::array<double, 2>> strain = {};

  MeshReport report;                  ///< kMesh: what the checks found and repaired
  std::vector<std::string> warnings;  ///< what a user should know, e.g. tets without pressure

  /// Whether it is a mesh without tets, for rigid bodies only.
  bool is_surface_mesh() const { return kind == GeometryKind::kMesh && mesh.tets.empty(); }
};

/// A sphere [m] about the origin, with the exact extent, 1 at the centre. Throws Error for a radius that is not finite
/// and positive, or subdivisions outside [0, 7]. All primitives have the meshes of mesh.h.
Geometry make_sphere(const std::string& name, double radius, int subdivisions, Facets facets = Facets::kInscribed);

/// A box about the origin with edge lengths `size` [m], with the exact extent: the distance to the surface over half
/// the smallest side. Throws Error for a size that is not finite and positive.
Geometry make_box(const std::string& name, const Point3& size);

/// An ellipsoid about the origin with semi-axes [m] along x, y and z. Its extent is linear along every radius:
/// 1 - |(x/a, y/b, z/c)|. Throws Error as make_sphere().
Geometry make_ellipsoid(const std::string& name, const Point3& semi_axes, int subdivisions,
                        Facets facets = Facets::kInscribed);

/// A cylinder [m] about the z axis, its middle in the origin. Its extent is the distance to the surface over the
/// largest one. Throws Error for a length that is not finite and positive, or if segments is not a multiple of 4 in [4,
/// 1024].
Geometry make_cylinder(const std::string& name, double radius, double height, int segments,
                       Facets facets = Facets::kInscribed);

/// A capsule [m] about the z axis, its middle in the origin; `length` is that of its cylindrical part. Its extent is
/// the distance to the surface over the largest one. Throws Error as make_cylinder().
Geometry make_capsule(const std::string& name, double radius, double length, int segments,
                      Facets facets = Facets::kInscribed);

/// The convex hull of points [m]. Its extent is the distance to the surface over the largest one. Throws Error as
/// make_convex_hull_mesh().
Geometry make_convex_hull(const std::string& name, const std::vector<Point3>& points);

/// The same without tets: a surface mesh, for rigid bodies. Throws Error for points that are not finite, or that lie in
/// a plane.
Geometry make_convex_hull_surface(const std::string& name, const std::vector<Point3>& points);

/// The convex hull of points [x, y], m, in the plane z = 0. For rigid bodies, which touch others of
/// polygons alone. Throws Error for fewer than three points, for points that are not finite or all on a line,
/// and for more than 64 corners.
Geometry make_polygon(const std::string& name, const std::vector<std::array<double, 2>>& points);

/// A bolt; its extent is the distance to the surface over the largest one of a vertex. Throws Error as
/// make_bolt_mesh(). For rigid bodies, make_surface_mesh() of make_bolt_surface() has fewer triangles and the same
/// shape.
Geometry make_bolt(const std::string& name, const Bolt& bolt = {});

/// A nut, as make_bolt() makes a bolt: with make_nut_mesh(), or make_nut_surface() for rigid bodies.
Geometry make_nut(const std::string& name, const Nut& nut = {});

/// The half space z <= 0; `thickness` [m] is the depth at which the extent reaches 1 (it keeps growing below). Throws
/// Error for a thickness beyond limits.h.
Geometry make_half_space(const std::string& name, double thickness);

/// A tet mesh from memory. `kDistance`: the exact distance to the surface over the largest such distance of any vertex.
/// `kLaplace`: laplace_extent(), with its errors. Checks and repairs as check_and_repair(); throws Error also for a
/// missing field, a field of the wrong length, a value that is not finite or negative, a field without any positive
/// value, and extents beyond limits.h, or a gradient beyond it in a tet: such a tet is too flat for its extents, and
/// would enlarge the tolerances of the whole mesh. Tets that are almost as flat but fit their extents only cause a
/// warning: they have hardly any volume, so little depends on them.
Geometry make_tet_mesh(const std::string& name, TetMesh mesh, const FieldOptions& field = {});

/// The same geometry on a finer mesh: every tet is cut in eight, `times` times. The extent stays the same function, so
/// only rounding changes the pressure, and with it what does not depend on the size of polygons. Throws Error for a
/// geometry without tets, for times outside [0, 6], and for more tets than can be indexed.
Geometry refine(Geometry geometry, int times);

/// The same geometry with the pressure p = E f(e) instead of E e, where f is strain_table() of the map: every tet is
/// cut at the rows' extents, so that the pressure is linear in each piece; a half space has layers instead, and its
/// pressure goes on beyond the extent 1 with its last slope. Extents become f(e). Throws Error as check_strain_map(),
/// for a geometry without pressure field or with extents above 1, for a half space that has a strain already, for a tet
/// too flat to be cut, and for more tets than can be indexed.
Geometry with_strain(Geometry geometry, const StrainMap& map);

/// A closed surface, for rigid bodies. Checks and repairs as check_and_repair().
Geometry make_surface_mesh(const std::string& name, TriangleMesh mesh);

}  // namespace isopatch
