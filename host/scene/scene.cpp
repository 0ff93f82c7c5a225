// SPDX-License-Identifier: Apache-2.0
#include "isopatch/scene.h"

#include <algorithm>

#include "host/mesh/topology/components.h"
#include "host/scene/scene_check.h"
#include "host/scene/scene_data.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"

namespace isopatch {

using namespace detail;

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

ContactView flatten(const ContactOptions& contact) {
  const std::int32_t points = contact.quadrature == Quadrature::kCentroid ? 0
                              : contact.quadrature == Quadrature::kFan3   ? 3
                                                                          : 6;
  return {contact.dissipation_model == DissipationModel::kPfc, contact.gradient_filter, points, contact.slip_tolerance};
}

}  // namespace

std::vector<Pair> all_pairs(const SceneDescription& scene) {
  for (const Body& body : scene.bodies) geometry_of(scene, body);  // throws if there is none
  std::vector<Pair> pairs;
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const Body& body_a = scene.bodies[static_cast<std::size_t>(a)];
      const Body& body_b = scene.bodies[static_cast<std::size_t>(b)];
      const auto half_space = [&](const Body& body) {
        return geometry_of(scene, body).kind == GeometryKind::kHalfSpace;
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
  check_scene(description);
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

const SceneData& Scene::data() const {
  if (data_ == nullptr) throw Error("scene: it was moved from; use the scene that it was moved to");
  return *data_;
}

const SceneDescription& Scene::description() const { return data().description; }
int Scene::num_bodies() const { return data().view.num_bodies; }
int Scene::num_pairs() const { return data().view.num_pairs; }

}  // namespace isopatch
