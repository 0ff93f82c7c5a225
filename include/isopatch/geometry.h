// SPDX-License-Identifier: Apache-2.0
//
// A geometry is a shape with its extent field: 0 on the surface, 1 at the deepest point (PFC section VI-A). A body's
// pressure is modulus x extent.
#pragma once

#include <string>
#include <vector>

#include "isopatch/field.h"
#include "isopatch/mesh.h"
#include "isopatch/screw_thread.h"
#include "isopatch/triangle_mesh.h"

namespace isopatch {

enum class GeometryKind : std::uint8_t { kMesh, kHalfSpace };

/// An immutable shape in its own frame. Build it with one of the make_ functions below; Scene checks one that was made
/// by hand.
struct Geometry {
  std::string name;
  GeometryKind kind = GeometryKind::kMesh;

  // kMesh: a checked tet mesh, its surface, and the extent at every point (dimensionless). Without tets it is a surface
  // mesh: it has no inside to press on, so only rigid bodies can have it.
  TetMesh mesh;
  std::vector<Triangle> surface;
  std::vector<double> extent;

  // kHalfSpace: z <= 0 of its frame; extent = -z/thickness. Metres.
  double thickness = 0;

  MeshReport report;
  std::vector<std::string> warnings;  ///< what a user should know, e.g. tets without pressure

  bool is_surface_mesh() const { return kind == GeometryKind::kMesh && mesh.tets.empty(); }
};

/// The exact extents for a sphere (1 at the centre) and a box (distance to the surface over half the smallest side).
/// Throw Error for a size that is not finite and positive, or subdivisions outside [0, 7].
Geometry make_sphere(const std::string& name, double radius, int subdivisions);
Geometry make_box(const std::string& name, const Point3& size);

/// An ellipsoid's extent is linear along every radius: 1 - |(x/a, y/b, z/c)|. A cylinder's, a capsule's and a convex
/// hull's is the distance to the surface over the largest one. The meshes are those of mesh.h, which says what they
/// throw.
Geometry make_ellipsoid(const std::string& name, const Point3& semi_axes, int subdivisions);
Geometry make_cylinder(const std::string& name, double radius, double height, int segments);
Geometry make_capsule(const std::string& name, double radius, double length, int segments);
Geometry make_convex_hull(const std::string& name, const std::vector<Point3>& points);

/// Bolts and nuts with the distance to the surface over the largest one of a vertex. Throw as make_bolt_mesh() and
/// make_nut_mesh(). For rigid bodies, make_surface_mesh() of make_bolt_surface() and make_nut_surface() has fewer
/// triangles and the same shape.
Geometry make_bolt(const std::string& name, const Bolt& bolt = {});
Geometry make_nut(const std::string& name, const Nut& nut = {});

/// The half space z <= 0; `thickness` [m] is the depth at which the extent reaches 1 (it keeps growing below). Throws
/// Error for a thickness beyond limits.h.
Geometry make_half_space(const std::string& name, double thickness);

/// A tet mesh from memory. `kDistance`: the exact distance to the surface over the largest such distance of any vertex.
/// `kLaplace`: laplace_extent(), with its errors. Checks and repairs as check_and_repair(); throws Error also for a
/// missing field, a field of the wrong length, a value that is not finite or negative, a field without any positive
/// value, and extents beyond limits.h, or with a gradient beyond it in a tet: such a tet does not fit its extents, and
/// would blur the contacts of all others. Tets that are almost as flat but fit their extents cause a warning only: they
/// have hardly any volume, so little depends on them.
Geometry make_tet_mesh(const std::string& name, TetMesh mesh, const FieldOptions& field = {});

/// A closed surface, for rigid bodies. Checks and repairs as check_and_repair().
Geometry make_surface_mesh(const std::string& name, TriangleMesh mesh);

}  // namespace isopatch
