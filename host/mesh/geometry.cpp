// SPDX-License-Identifier: Apache-2.0
//
// Shapes with their extent fields.
#include "isopatch/geometry/geometry.h"

#include <algorithm>

#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// The checked mesh with its surface and report; the extent is still to be set.
Geometry make_checked(const std::string& name, TetMesh mesh, AllBoundaryTets policy) {
  Geometry geometry;
  geometry.name = name;
  geometry.report = check_and_repair(mesh, name, policy, geometry.surface);
  for (const std::string& note : mesh.notes) geometry.warnings.push_back(name + ": " + note);
  geometry.mesh = std::move(mesh);
  return geometry;
}

/// Extent 0 on the surface and 1 inside: for a mesh whose inner vertices are all deepest points.
Geometry make_primitive(const std::string& name, TetMesh mesh) {
  Geometry geometry = make_checked(name, std::move(mesh), AllBoundaryTets::kRefuse);
  for (const std::uint8_t on_surface : boundary_points(geometry.mesh, geometry.surface)) {
    geometry.extent.push_back(on_surface != 0 ? 0.0 : 1.0);
  }
  return geometry;
}

Geometry with_primitive(Geometry geometry, const Primitive& primitive) {
  geometry.primitive = primitive;
  geometry.convex = primitive.kind == PrimitiveKind::kBox || primitive.kind == PrimitiveKind::kCylinder;
  return geometry;
}

/// A geometry with the distance field, of a mesh made without all-boundary tets.
Geometry make_with_distance(const std::string& name, TetMesh mesh) {
  FieldOptions options;
  options.all_boundary_tets = AllBoundaryTets::kRefuse;
  return make_tet_mesh(name, std::move(mesh), options);
}

/// Distance over the largest distance of a vertex. Points that no tet uses carry no pressure and do not count.
std::vector<double> normalised_distance(const Geometry& geometry) {
  const std::vector<double> distance = distance_to_surface(geometry.mesh, geometry.surface);
  const std::vector<std::uint8_t> used = used_points(geometry.mesh.tets, distance.size());
  double largest = 0;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    if (used[i] != 0) largest = std::max(largest, distance[i]);
  }
  std::vector<double> extent(distance.size(), 0.0);
  for (std::size_t i = 0; i < distance.size(); ++i) {
    if (used[i] != 0) extent[i] = distance[i] > 0 ? distance[i] / largest : distance[i];
  }
  return extent;
}

std::vector<double> extent_from_file(const TetMesh& mesh, const std::string& name, const std::string& field) {
  const auto found = mesh.point_data.find(field);
  if (found != mesh.point_data.end()) return found->second;
  std::string present;
  for (const auto& [other, values] : mesh.point_data) present += (present.empty() ? "" : ", ") + in_quotes(other);
  throw_error("{}: no scalar point data {}; the mesh has {}", name, in_quotes(field),
              present.empty() ? "none" : present);
}

/// Warns if there are any.
template <class... Values>
void warn(Geometry& geometry, std::int64_t count, fmt::format_string<Values...> warning, Values&&... values) {
  if (count == 0) return;
  geometry.warnings.push_back(geometry.name + ": " + fmt::format(warning, std::forward<Values>(values)...));
}

void add_warnings(Geometry& geometry) {
  const MeshReport& report = geometry.report;
  warn(geometry, report.inverted_tets, "{} of {} tets were inverted and have been turned", report.inverted_tets,
       report.tets);
  if (report.flat_tets > 0) {
    geometry.warnings.push_back(fmt::format(
        "{}: {} of {} tets are flatter than {} of their longest edge, the first is {}; contact there is "
        "rounded, remove them or move their vertices",
        geometry.name, report.flat_tets, report.tets, limits::kFlatTet,
        describe(static_cast<std::size_t>(report.first_flat_tet), geometry.mesh.tets[report.first_flat_tet])));
  }
  warn(geometry, report.split_tets,
       "{} tets were split: {} edges went through the inside from surface to surface, and {} tets had all four "
       "vertices on the surface",
       report.split_tets, report.crossing_edges, report.all_boundary_tets);
  const std::int64_t without = count_tets_without_extent(geometry.mesh, geometry.extent);
  warn(geometry, without, "{} of {} tets have extent 0 at all four vertices; contact there gives no force", without,
       report.tets);
}

}  // namespace

Geometry make_sphere(const std::string& name, double radius, int subdivisions, Facets facets) {
  return with_primitive(make_primitive(name, make_sphere_mesh(radius, subdivisions, facets)),
                        {PrimitiveKind::kSphere, {}, radius});
}

Geometry make_box(const std::string& name, const Point3& size) {
  return with_primitive(make_primitive(name, make_box_mesh(size)), {PrimitiveKind::kBox, 0.5 * size, 0});
}

Geometry make_ellipsoid(const std::string& name, const Point3& semi_axes, int subdivisions, Facets facets) {
  return make_primitive(name, make_ellipsoid_mesh(semi_axes, subdivisions, facets));
}

Geometry make_cylinder(const std::string& name, double radius, double height, int segments, Facets facets) {
  return with_primitive(make_primitive(name, make_cylinder_mesh(radius, height, segments, facets)),
                        {PrimitiveKind::kCylinder, {0, 0, 0.5 * height}, radius});
}

Geometry make_capsule(const std::string& name, double radius, double length, int segments, Facets facets) {
  return with_primitive(make_primitive(name, make_capsule_mesh(radius, length, segments, facets)),
                        {PrimitiveKind::kCapsule, {0, 0, 0.5 * length}, radius});
}

Geometry make_convex_hull(const std::string& name, const std::vector<Point3>& points) {
  Geometry geometry = make_with_distance(name, make_convex_hull_mesh(points));
  geometry.convex = true;
  return geometry;
}

Geometry make_bolt(const std::string& name, const Bolt& bolt) { return make_with_distance(name, make_bolt_mesh(bolt)); }

Geometry make_nut(const std::string& name, const Nut& nut) { return make_with_distance(name, make_nut_mesh(nut)); }

Geometry make_half_space(const std::string& name, double thickness) {
  const StandardArithmetic standard;
  Geometry geometry;
  geometry.name = name;
  geometry.kind = GeometryKind::kHalfSpace;
  geometry.thickness = thickness;
  check_geometry(geometry, name);
  return geometry;
}

Geometry make_tet_mesh(const std::string& name, TetMesh mesh, const FieldOptions& field) {
  const StandardArithmetic standard;
  using Kind = FieldOptions::Kind;
  const bool from_file = field.kind == Kind::kPointData;
  if (!from_file && field.kind != Kind::kDistance && field.kind != Kind::kLaplace) {
    throw_error("{}: the field's kind is {}; it must be one of FieldOptions::Kind", name, static_cast<int>(field.kind));
  }
  Geometry geometry = make_checked(name, std::move(mesh), from_file ? AllBoundaryTets::kKeep : field.all_boundary_tets);
  if (from_file) {
    geometry.extent = extent_from_file(geometry.mesh, name, field.point_data);
  } else if (field.kind == Kind::kLaplace) {
    geometry.extent = laplace_extent(geometry.mesh, geometry.surface, field.core, name, geometry.warnings);
  } else {
    geometry.extent = normalised_distance(geometry);
  }
  check_extents(geometry.mesh, geometry.extent, check_size(geometry.mesh.points, geometry.mesh.tets, name), name);
  add_warnings(geometry);
  return with_strain(std::move(geometry), field.strain);
}

Geometry make_surface_mesh(const std::string& name, TriangleMesh mesh) {
  Geometry geometry;
  geometry.name = name;
  geometry.report = check_and_repair(mesh, name);
  for (const std::string& note : mesh.notes) geometry.warnings.push_back(name + ": " + note);
  const MeshReport& report = geometry.report;
  warn(geometry, report.flipped_triangles, "all {} triangles pointed inward and have been turned",
       report.flipped_triangles);
  warn(geometry, report.flat_triangles, "{} triangles have no area and were left out", report.flat_triangles);
  warn(geometry, report.duplicate_triangles, "{} triangles lie back to back in pairs and were left out",
       report.duplicate_triangles);
  warn(geometry, report.nonmanifold_edges,
       "{} edges belong to more than two triangles; the surface touches itself there", report.nonmanifold_edges);
  if (report.cut_triangles > 0) {
    geometry.warnings.push_back(
        fmt::format("{}: {}; what lies inside is still found, but the parts of the surface that do press too", name,
                    self_cuts_text(mesh, report)));
  }
  geometry.mesh.points = std::move(mesh.points);
  geometry.surface = std::move(mesh.triangles);
  geometry.extent.assign(geometry.mesh.points.size(), 0.0);  // every point is on the surface
  return geometry;
}

}  // namespace isopatch
