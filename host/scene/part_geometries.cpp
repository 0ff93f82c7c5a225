// SPDX-License-Identifier: Apache-2.0
#include "host/scene/part_geometries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/mesh/topology/components.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

std::vector<Vec3d> points_inside(const Geometry& g) {
  std::vector<Vec3d> points;
  for (const Point3& p : component_points(g.mesh)) points.push_back({p[0], p[1], p[2]});
  return points;
}

GeometryView flatten(const Geometry& g, const Hierarchy& solid, const Hierarchy& surface,
                     const std::vector<Vec3d>& component_points) {
  GeometryView view = {};
  view.half_space = g.kind == GeometryKind::kHalfSpace;
  view.thickness = g.thickness;
  if (view.half_space) {
    view.max_gradient = 1 / g.thickness;
    return view;
  }

  view.solid = solid.view();
  view.surface = surface.view();
  view.component_points = component_points.data();
  view.num_components = static_cast<std::int32_t>(component_points.size());
  const Hierarchy& outline = g.is_surface_mesh() ? surface : solid;  // has all vertices; the cones may lack some
  Vec3d low = outline.cells[0].corner[0].vertex, high = low;
  for (const Cell& cell : outline.cells) {
    for (const auto& corner : cell.corner) low = min(low, corner.vertex), high = max(high, corner.vertex);
  }
  view.center = 0.5 * (low + high);
  view.half = 0.5 * (high - low);
  for (const Cell& cell : outline.cells) {
    for (const auto& corner : cell.corner) view.radius = std::max(view.radius, norm(corner.vertex - view.center));
  }
  for (const Cell& cell : solid.cells) {
    for (const auto& corner : cell.corner) view.max_extent = std::max(view.max_extent, corner.extent);
    view.max_gradient = std::max(view.max_gradient, norm(cell.gradient));
  }
  return view;
}

/// A mesh in the coordinates of its body.
Geometry moved(Geometry geometry, const std::array<double, 7>& pose, const std::string& where) {
  const Transform<double> X = transform_of(pose);
  for (Point3& p : geometry.mesh.points) {
    const Vec3d x = apply(X, Vec3d{p[0], p[1], p[2]});
    p = {x.x, x.y, x.z};
    for (const double coordinate : p) {
      if (std::fabs(coordinate) <= limits::kMaxCoordinate) continue;
      throw Error(fmt::format("{}: its offset moves a point to {} m; the limit is {} m", where, coordinate,
                              limits::kMaxCoordinate));
    }
  }
  return geometry;
}

}  // namespace

void FlatGeometries::add(const Geometry& g) {
  const bool mesh = g.kind == GeometryKind::kMesh;
  solids.push_back(mesh ? build_hierarchy(g.is_surface_mesh() ? cone_cells(g) : tet_cells(g)) : Hierarchy{});
  if (smooth && mesh && !g.is_surface_mesh()) {
    solids.back().smoothed_gradients = smoothed_gradients(g, solids.back().cells);
  }
  surfaces.push_back(mesh ? build_hierarchy(triangle_cells(g)) : Hierarchy{});
  component_points.push_back(points_inside(g));
  views.push_back(flatten(g, solids.back(), surfaces.back(), component_points.back()));
}

Transform<double> transform_of(const std::array<double, 7>& pose) {
  const double scale = 1 / std::sqrt(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6]);
  Transform<double> X = rotation_of(scale * pose[3], scale * pose[4], scale * pose[5], scale * pose[6]);
  X.translation = {pose[0], pose[1], pose[2]};
  return X;
}

bool is_identity(const std::array<double, 7>& pose) {
  const auto is_zero = [&](std::size_t i) { return pose[i] == 0; };
  return is_zero(0) && is_zero(1) && is_zero(2) && is_zero(4) && is_zero(5) && is_zero(6);
}

std::int32_t GeometryPlacer::index_of(int geometry, const std::array<double, 7>& pose, const std::string& where) {
  const Geometry& own = scene_.geometries[static_cast<std::size_t>(geometry)];
  if (own.kind == GeometryKind::kHalfSpace || is_identity(pose)) return geometry;
  const auto [found, is_new] = placed_.try_emplace({geometry, pose}, static_cast<std::int32_t>(to_.views.size()));
  if (is_new) to_.add(moved(own, pose, where));
  return found->second;
}

}  // namespace isopatch::detail
