// SPDX-License-Identifier: Apache-2.0
//
// Geometries that only polytopes need: hulls without tets, and polygons.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/mesh/checks/geometry_check.h"
#include "host/polytope/convex_shape.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/geometry/geometry.h"

namespace isopatch {

using namespace detail;

namespace {

/// The boundary of the hull's tet mesh, which exists also where faces are plane and edges straight only to rounding.
TriangleMesh boundary_of_hull_mesh(const std::vector<Point3>& points) {
  TetMesh mesh = make_convex_hull_mesh(points);
  TriangleMesh surface;
  surface.triangles = boundary_triangles(mesh);
  surface.points = std::move(mesh.points);
  surface.notes = std::move(mesh.notes);
  std::vector<std::int32_t> index_of(surface.points.size(), -1);
  std::int32_t count = 0;
  for (const Triangle& triangle : surface.triangles) {
    for (const std::int32_t v : triangle) index_of[v] = 0;
  }
  for (std::size_t v = 0; v < index_of.size(); ++v) {
    if (index_of[v] < 0) continue;
    surface.points[count] = surface.points[v];
    index_of[v] = count++;
  }
  surface.points.resize(count);
  for (Triangle& triangle : surface.triangles) {
    for (std::int32_t& v : triangle) v = index_of[v];
  }
  return surface;
}

std::optional<std::vector<std::vector<std::int32_t>>> plane_faces(const std::vector<Point3>& points) {
  try {
    return hull_faces(points);
  } catch (const Error&) {  // which the hull's mesh either need not mind or says too
    return {};
  }
}

/// The faces of a convex hull as triangles, with the points that are their corners, in the order given.
TriangleMesh hull_surface(const std::vector<Point3>& points) {
  const auto faces = plane_faces(points);
  if (!faces) return boundary_of_hull_mesh(points);
  const auto& loops = *faces;
  std::map<std::int32_t, std::int32_t> index_of;
  for (const auto& loop : loops) {
    for (const std::int32_t point : loop) index_of.try_emplace(point, 0);
  }
  TriangleMesh mesh;
  for (auto& [point, index] : index_of) {
    index = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.push_back(points[static_cast<std::size_t>(point)]);
  }
  for (const auto& loop : loops) {
    for (std::size_t i = 2; i < loop.size(); ++i) {
      mesh.triangles.push_back({index_of.at(loop[0]), index_of.at(loop[i - 1]), index_of.at(loop[i])});
    }
  }
  return mesh;
}

}  // namespace

Geometry make_convex_hull_surface(const std::string& name, const std::vector<Point3>& points) {
  const StandardArithmetic standard;
  check_finite("convex hull", points);
  Geometry geometry = make_surface_mesh(name, hull_surface(points));
  geometry.convex = true;
  return geometry;
}

Geometry make_polygon(const std::string& name, const std::vector<std::array<double, 2>>& points) {
  const StandardArithmetic standard;
  Geometry geometry;
  geometry.name = name;
  geometry.convex = geometry.polygon = true;
  const ConvexShape polygon = ConvexShape::polygon(points);
  for (const Vec3d& v : polygon.vertices()) geometry.mesh.points.push_back({v.x, v.y, v.z});
  const auto count = static_cast<std::int32_t>(geometry.mesh.points.size());
  for (std::int32_t i = 2; i < count; ++i) geometry.surface.push_back({0, i - 1, i});
  geometry.extent.assign(geometry.mesh.points.size(), 0.0);
  check_geometry(geometry, name);
  return geometry;
}

}  // namespace isopatch
