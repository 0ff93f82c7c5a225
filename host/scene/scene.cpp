// SPDX-License-Identifier: Apache-2.0
#include "isopatch/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "isopatch/error.h"
#include "mesh/components.h"
#include "scene/scene_data.h"
#include "threads/standard_arithmetic.h"

namespace isopatch {

using detail::SceneData;

namespace {

using detail::kMaxBodies;

[[noreturn]] void fail(const std::string& what) { throw Error("scene: " + what); }

void require_range(const std::string& where, double value, double low, const char* right) {
  if (!(std::isfinite(value) && value >= low)) fail(fmt::format("{} is {}; it must be {}", where, value, right));
}

void check_body(const SceneDescription& scene, const Body& body) {
  const std::string where = fmt::format("body '{}'", body.name);
  const int count = static_cast<int>(scene.geometries.size());
  if (body.geometry < 0 || body.geometry >= count) {
    fail(fmt::format("{}: geometry index is {}; it must be in [0, {})", where, body.geometry, count));
  }
  const Geometry& geometry = scene.geometries[static_cast<std::size_t>(body.geometry)];
  if (!body.rigid && geometry.is_surface_mesh()) {
    fail(
        fmt::format("{} is compliant, but its geometry '{}' is a surface mesh, without an inside; give it a tet mesh "
                    "or make it rigid",
                    where, geometry.name));
  }
  if (!body.rigid) require_range(where + ": modulus", body.modulus, 1e-30, "finite and positive, in Pa");
  require_range(where + ": dissipation", body.dissipation, 0, "finite and not negative");
  require_range(where + ": friction", body.friction, 0, "finite and not negative");
}

void check_pair(const SceneDescription& scene, const Pair& pair) {
  const int count = static_cast<int>(scene.bodies.size());
  if (pair.a < 0 || pair.a >= count || pair.b < 0 || pair.b >= count) {
    fail(fmt::format("pair ({}, {}): body indices must be in [0, {})", pair.a, pair.b, count));
  }
  const Body& a = scene.bodies[static_cast<std::size_t>(pair.a)];
  const Body& b = scene.bodies[static_cast<std::size_t>(pair.b)];
  const std::string where = fmt::format("pair ('{}', '{}')", a.name, b.name);
  if (pair.a == pair.b) fail(where + ": a body cannot be in contact with itself");
  if (a.rigid && b.rigid) fail(where + ": both bodies are rigid; at least one must be compliant");
  const auto kind = [&](const Body& body) { return scene.geometries[static_cast<std::size_t>(body.geometry)].kind; };
  if (kind(a) == GeometryKind::kHalfSpace && kind(b) == GeometryKind::kHalfSpace) {
    fail(where + ": both bodies are half spaces; their overlap is unbounded");
  }
  if (pair.dissipation) require_range(where + ": dissipation", *pair.dissipation, 0, "finite and not negative");
  if (pair.friction) require_range(where + ": friction", *pair.friction, 0, "finite and not negative");
}

void check(const SceneDescription& scene) {
  const std::size_t count = scene.bodies.size();
  if (count == 0 || count > kMaxBodies) fail(fmt::format("has {} bodies; 1 to {} are possible", count, kMaxBodies));
  for (const Geometry& g : scene.geometries) {
    if (g.kind == GeometryKind::kMesh && (g.surface.empty() || g.extent.size() != g.mesh.points.size())) {
      fail(fmt::format(
          "geometry '{}' has {} tets, {} surface triangles, {} points and {} extents; build it with a make_ "
          "function",
          g.name, g.mesh.tets.size(), g.surface.size(), g.mesh.points.size(), g.extent.size()));
    }
  }
  for (const Body& body : scene.bodies) check_body(scene, body);
  std::set<std::pair<int, int>> seen;
  for (const Pair& pair : scene.pairs) {
    check_pair(scene, pair);
    if (!seen.insert(std::minmax(pair.a, pair.b)).second) {
      fail(fmt::format("the pair of bodies {} and {} is listed twice", pair.a, pair.b));
    }
  }
  const double slip = scene.contact.slip_tolerance;
  require_range("contact: slip_tolerance", slip, 1e-12, "finite and at least 1e-12 m/s");
}

std::vector<detail::Vec3d> points_inside(const Geometry& g) {
  std::vector<detail::Vec3d> points;
  for (const Point3& p : component_points(g.mesh)) points.push_back({p[0], p[1], p[2]});
  return points;
}

detail::GeometryView flatten(const Geometry& g, const Hierarchy& solid, const Hierarchy& surface,
                             const std::vector<detail::Vec3d>& component_points) {
  detail::GeometryView view = {};
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
  const Hierarchy& outline = g.is_surface_mesh() ? surface : solid;  // has all vertices, which cones may lack
  detail::Vec3d low = outline.cells[0].corner[0].vertex, high = low;
  for (const detail::Cell& cell : outline.cells) {
    for (const auto& corner : cell.corner) low = min(low, corner.vertex), high = max(high, corner.vertex);
  }
  view.center = 0.5 * (low + high);
  view.half = 0.5 * (high - low);
  for (const detail::Cell& cell : outline.cells) {
    for (const auto& corner : cell.corner) view.radius = std::max(view.radius, norm(corner.vertex - view.center));
  }
  for (const detail::Cell& cell : solid.cells) {
    for (const auto& corner : cell.corner) view.max_extent = std::max(view.max_extent, corner.extent);
    view.max_gradient = std::max(view.max_gradient, norm(cell.gradient));
  }
  return view;
}

detail::ContactView flatten(const ContactOptions& contact) {
  const std::int32_t points = contact.quadrature == Quadrature::kCentroid ? 0
                              : contact.quadrature == Quadrature::kFan3   ? 3
                                                                          : 6;
  return {contact.dissipation_model == DissipationModel::kPfc, contact.gradient_filter, points, contact.slip_tolerance};
}

}  // namespace

std::vector<Pair> all_pairs(const SceneDescription& scene) {
  std::vector<Pair> pairs;
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const Body& body_a = scene.bodies[static_cast<std::size_t>(a)];
      const Body& body_b = scene.bodies[static_cast<std::size_t>(b)];
      const auto half_space = [&](const Body& body) {
        return scene.geometries.at(static_cast<std::size_t>(body.geometry)).kind == GeometryKind::kHalfSpace;
      };
      const bool skip = (body_a.fixed && body_b.fixed) || (body_a.rigid && body_b.rigid) ||
                        (half_space(body_a) && half_space(body_b));
      if (!skip) pairs.push_back({a, b, {}, {}});
    }
  }
  return pairs;
}

Scene::Scene(SceneDescription description) {
  const StandardArithmetic standard;
  check(description);
  const auto data = std::make_shared<SceneData>();
  data->description = std::move(description);
  const SceneDescription& d = data->description;

  for (const Geometry& g : d.geometries) {
    const bool mesh = g.kind == GeometryKind::kMesh;
    data->solids.push_back(mesh ? build_hierarchy(g.is_surface_mesh() ? cone_cells(g) : tet_cells(g)) : Hierarchy{});
    data->surfaces.push_back(mesh ? build_hierarchy(triangle_cells(g)) : Hierarchy{});
    data->component_points.push_back(points_inside(g));
    data->geometries.push_back(flatten(g, data->solids.back(), data->surfaces.back(), data->component_points.back()));
  }
  for (const Body& b : d.bodies) {
    data->bodies.push_back({b.geometry, b.rigid, b.modulus, b.dissipation, b.friction});
  }
  for (const Pair& p : d.pairs) {
    data->pairs.push_back({p.a, p.b, p.dissipation.value_or(-1), p.friction.value_or(-1)});
  }
  for (std::int32_t body = 0; body < static_cast<std::int32_t>(d.bodies.size()); ++body) {
    data->body_pairs_begin.push_back(static_cast<std::int32_t>(data->body_pairs.size()));
    for (std::size_t i = 0; i < d.pairs.size(); ++i) {
      if (d.pairs[i].a == body || d.pairs[i].b == body) data->body_pairs.push_back(static_cast<std::int32_t>(i));
    }
  }
  data->body_pairs_begin.push_back(static_cast<std::int32_t>(data->body_pairs.size()));
  data->view = {data->geometries.data(),
                data->bodies.data(),
                data->pairs.data(),
                data->body_pairs.data(),
                data->body_pairs_begin.data(),
                static_cast<std::int32_t>(data->geometries.size()),
                static_cast<std::int32_t>(data->bodies.size()),
                static_cast<std::int32_t>(data->pairs.size()),
                flatten(d.contact)};
  data_ = data;
}

const SceneDescription& Scene::description() const { return data_->description; }
int Scene::num_bodies() const { return data_->view.num_bodies; }
int Scene::num_pairs() const { return data_->view.num_pairs; }

}  // namespace isopatch
