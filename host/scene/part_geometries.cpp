// SPDX-License-Identifier: Apache-2.0
#include "host/scene/part_geometries.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/mesh/topology/connectivity.h"
#include "host/text/throw_error.h"
#include "host/threads/work_counter.h"
#include "isopatch/detail/pressure_field/stages/enclosure.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

std::vector<Vec3d> points_inside(const Geometry& g) {
  std::vector<Vec3d> points;
  for (const Point3& p : component_points(g.mesh)) points.push_back({p[0], p[1], p[2]});
  return points;
}

/// Of the function that rows define, between row i - 1 and row i.
double slope_between(const std::vector<std::array<double, 2>>& rows, std::size_t i) {
  return (rows[i][1] - rows[i - 1][1]) / (rows[i][0] - rows[i - 1][0]);
}

/// A geometry as the contact models see it.
struct FlatGeometry {
  GeometryView view = {};
  FieldGeometry field = {};
};

/// A half space, as a whole.
FlatGeometry flatten(const Geometry& g) {
  FlatGeometry flat;
  auto& [view, field] = flat;
  view.half_space = true;
  field.thickness = g.thickness;
  view.low = -std::numeric_limits<double>::infinity();
  if (!g.strain.empty()) {
    view.num_layers = static_cast<std::int32_t>(g.strain.size()) - 1;
    double steepest = 0;
    for (std::size_t i = 1; i < g.strain.size(); ++i) steepest = std::max(steepest, slope_between(g.strain, i));
    field.thickness = g.thickness / steepest;
  }
  field.max_gradient = 1 / field.thickness;
  field.smoothed = -1 / field.thickness;
  view.foundation_depth = field.thickness;
  return flat;
}

/// The layers of a half space.
std::vector<FlatGeometry> layers_of(const Geometry& g) {
  // the levels are moved by so little that the pressure hardly jumps, and so much that a surface on a level is not in
  // two layers, or none, because of rounding
  constexpr double kApart = 1 + 0x1p-40;
  const auto& rows = g.strain;
  const auto height_of = [&](std::size_t row) { return -g.thickness * rows[row][0] * kApart; };
  const auto smoothed = [&](std::size_t row) {  // between two layers, weighted by their thickness; the last is infinite
    if (row == 0) return slope_between(rows, 1);
    if (row + 2 >= rows.size()) return slope_between(rows, rows.size() - 1);
    return (rows[row + 1][1] - rows[row - 1][1]) / (rows[row + 1][0] - rows[row - 1][0]);
  };
  std::vector<FlatGeometry> layers;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double slope = slope_between(rows, i);
    auto& [layer, field] = layers.emplace_back();
    layer.half_space = layer.is_layer = true;
    field.thickness = g.thickness / slope;
    field.max_gradient = slope / g.thickness;
    layer.zero_height = g.thickness * (rows[i - 1][1] / slope - rows[i - 1][0]);
    layer.high = height_of(i - 1) - layer.zero_height;
    const bool last = i + 1 == rows.size();
    layer.low = last ? -std::numeric_limits<double>::infinity() : height_of(i) - layer.zero_height;
    const double above = -smoothed(i - 1) / g.thickness, below = -smoothed(i) / g.thickness;
    field.smoothed_slope = last ? 0 : (above - below) / (layer.high - layer.low);
    field.smoothed = above - (last ? 0 : field.smoothed_slope * layer.high);
  }
  return layers;
}

/// GeometryView::core: all of a box; else of what fills half of its bounding box and has its middle, as balls,
/// cylinders and most convex shapes do, a square in the ellipse of the section there.
float core_of(const Geometry& g, const GeometryView& view, const HierarchyView& surface) {
  double volume = 0;
  for (const auto& triangle : g.surface) {
    Vec3d corner[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const Point3& p = g.mesh.points[static_cast<std::size_t>(triangle[k])];
      corner[k] = Vec3d{p[0], p[1], p[2]} - view.center;
    }
    volume += dot(corner[0], cross(corner[1], corner[2])) / 6;
  }
  constexpr float kSquareInCircle = 0.7F;
  const double box = 8 * view.half.x * view.half.y * view.half.z;
  if (!(volume >= 0.5 * box) || !is_inside(surface, view.center)) return 0;
  return volume >= 0.99 * box ? 1 : kSquareInCircle;
}

FlatGeometry flatten(const Geometry& g, const Hierarchy& solid, const Hierarchy& surface,
                     const std::vector<Vec3d>& component_points) {
  if (g.kind == GeometryKind::kHalfSpace) return flatten(g);
  FlatGeometry flat;
  auto& [view, field] = flat;
  view.surface_only = g.is_surface_mesh();
  view.polygon = g.polygon;
  field.solid = solid.view();
  field.surface = surface.view();
  field.component_points = component_points.data();
  field.num_components = static_cast<std::int32_t>(component_points.size());
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
    for (const auto& corner : cell.corner) field.max_extent = std::max(field.max_extent, corner.extent);
    field.max_gradient = std::max(field.max_gradient, norm(cell.gradient));
  }
  if (!g.polygon) view.core = core_of(g, view, field.surface);
  view.primitive = g.primitive.kind;
  view.primitive_half = {g.primitive.half[0], g.primitive.half[1], g.primitive.half[2]};
  view.primitive_radius = g.primitive.radius;
  view.foundation_depth = field.max_gradient > 0 ? 1 / field.max_gradient : 0;
  return flat;
}

/// A mesh in the coordinates of its body.
Geometry moved(Geometry geometry, const std::array<double, 7>& pose, const std::string& location) {
  const Transform<double> X = transform_of(pose);
  for (Point3& p : geometry.mesh.points) {
    const Vec3d x = apply(X, Vec3d{p[0], p[1], p[2]});
    p = {x.x, x.y, x.z};
    for (const double coordinate : p) {
      if (std::fabs(coordinate) <= limits::kMaxCoordinate) continue;
      throw_error("{}: its offset moves a point to {} m; the limit is {} m", location, coordinate,
                  limits::kMaxCoordinate);
    }
  }
  return geometry;
}

}  // namespace

void FlatGeometries::add(const Geometry& g) {
  check_cancelled();
  const bool mesh = g.kind == GeometryKind::kMesh;
  solids.push_back(mesh && !g.polygon ? build_hierarchy(g.is_surface_mesh() ? cone_cells(g) : tet_cells(g))
                                      : Hierarchy{});
  if (smooth && mesh && !g.is_surface_mesh()) {
    solids.back().smoothed_gradients = smoothed_gradients(g, solids.back().cells);
  }
  check_cancelled();
  surfaces.push_back(mesh ? build_hierarchy(triangle_cells(g)) : Hierarchy{});
  component_points.push_back(g.polygon ? std::vector<Vec3d>{} : points_inside(g));
  check_cancelled();
  fluxes.push_back(mesh && !g.is_surface_mesh() ? cell_fluxes(g, solids.back()) : CellFluxes{});
  FlatGeometry flat = flatten(g, solids.back(), surfaces.back(), component_points.back());
  flat.field.fluxes = fluxes.back().fluxes.empty() ? nullptr : fluxes.back().fluxes.data();
  flat.field.sinks = fluxes.back().sinks.data();
  flat.field.num_sinks = static_cast<std::int32_t>(fluxes.back().sinks.size());
  add_view(flat.view, flat.field);
  if (has_faces && (g.convex || g.kind == GeometryKind::kHalfSpace)) add_shape(g);
}

void FlatGeometries::add_shape(const Geometry& g) {
  try {
    shapes.push_back(convex_shape_of(g));
  } catch (const Error& error) {  // no matter where no pair needs it
    refused[static_cast<std::int32_t>(views.size()) - 1] = error.what();
    return;
  }
  shape_views.push_back(shapes.back().view());
  views.back().shape = &shape_views.back();
}

void FlatGeometries::add_view(const GeometryView& view, const FieldGeometry& field) {
  fields.push_back(field);
  views.push_back(view);
  views.back().field = &fields.back();
}

void FlatGeometries::add_layers(const std::vector<Geometry>& geometries) {
  for (std::size_t i = 0; i < geometries.size(); ++i) {
    if (views[i].num_layers == 0) continue;
    views[i].layers_begin = static_cast<std::int32_t>(views.size());
    for (const FlatGeometry& layer : layers_of(geometries[i])) {
      solids.emplace_back();
      surfaces.emplace_back();
      component_points.emplace_back();
      fluxes.emplace_back();
      add_view(layer.view, layer.field);
    }
  }
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

std::int32_t GeometryPlacer::index_of(int geometry, const std::array<double, 7>& pose, const std::string& location) {
  const Geometry& own = scene_.geometries[geometry];
  if (own.kind == GeometryKind::kHalfSpace || is_identity(pose)) return geometry;
  const auto [found, is_new] = placed_.try_emplace({geometry, pose}, static_cast<std::int32_t>(to_.views.size()));
  if (is_new) {
    elements_ += std::ssize(own.mesh.tets) + std::ssize(own.surface);
    if (elements_ > limits::kMaxPlacedElements) {
      throw_error(
          "{}: the geometries with an offset up to here have {} tets and triangles, of which each offset has its "
          "own; the limit is {}; make them coarser, or leave out offsets",
          location, elements_, limits::kMaxPlacedElements);
    }
    to_.add(moved(own, pose, location));
  }
  return found->second;
}

}  // namespace isopatch::detail
