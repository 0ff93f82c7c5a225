// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "host/pictures/all_records.h"
#include "host/pictures/drawn_polygons.h"
#include "host/scene/part_geometries.h"
#include "host/scene/scene_data.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/scene/environment.h"
#include "isopatch/pictures.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr double kHalfSpaceSize = 1.5;  // times the largest coordinate: half an edge of its square

/// Body to world. An invalid pose becomes the identity; then there are no patches.
Transform<double> pose_of(const State& state, int body) {
  const PoseRow pose(state, 0, body);
  const double norm = pose.quaternion_norm();
  if (norm > 0 && std::isfinite(norm + pose.x[0] + pose.x[1] + pose.x[2])) return read_pose(state, 0, body);
  return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

Point3 apply(const Transform<double>& X, const Point3& p) {
  const Vec3d x = detail::apply(X, Vec3d{p[0], p[1], p[2]});
  return {x.x, x.y, x.z};
}

PolygonSurface placed_mesh(const Geometry& geometry, const Transform<double>& X) {
  PolygonSurface surface;
  for (const Point3& point : geometry.mesh.points) surface.points.push_back(apply(X, point));
  if (geometry.polygon) {  // its points are its corners
    const auto corners = static_cast<std::int32_t>(surface.points.size());
    surface.faces.push_back(corners);
    for (std::int32_t i = 0; i < corners; ++i) surface.faces.push_back(i);
    surface.num_faces = 1;
    return surface;
  }
  for (const auto& [a, b, c] : geometry.surface) surface.faces.insert(surface.faces.end(), {3, a, b, c});
  surface.num_faces = std::ssize(geometry.surface);
  return surface;
}

PolygonSurface placed_square(double half, const Transform<double>& X) {
  PolygonSurface surface;
  for (const auto& [x, y] : {std::array{-half, -half}, {half, -half}, {half, half}, {-half, half}}) {
    surface.points.push_back(apply(X, {x, y, 0}));
  }
  surface.faces = {4, 0, 1, 2, 3};
  surface.num_faces = 1;
  return surface;
}

/// The largest coordinate of any mesh: a square about the origin with this half edge is under all of them.
double largest_coordinate(const std::vector<PartSurface>& surfaces) {
  double largest = 0;
  for (const PartSurface& part : surfaces) {
    for (const Point3& point : part.surface.points) {
      for (const double coordinate : point) largest = std::max(largest, std::fabs(coordinate));
    }
  }
  return largest > 0 ? largest : 1;
}

void check_states(const SceneDescription& scene, const StateArrays& states) {
  const StateArrays of_scene(scene, 0);
  if (states.num_bodies != of_scene.num_bodies || states.num_parts != of_scene.num_parts) {
    throw_error("scene_surfaces: states of {} bodies and {} parts; the scene has {} and {}", states.num_bodies,
                states.num_parts, of_scene.num_bodies, of_scene.num_parts);
  }
  if (states.poses.empty()) throw Error("scene_surfaces: the states have no poses");
}

}  // namespace

std::vector<PartSurface> scene_surfaces(const SceneDescription& scene, const StateArrays& states,
                                        std::int64_t environment) {
  check_states(scene, states);
  const State state = states.view(environment, 1);
  const auto geometry_of = [&](const Part& part, std::size_t number) -> const Geometry* {
    const std::int32_t index = state.geometry_index.data == nullptr ? part.geometry : state.geometry_index.data[number];
    const bool known = index >= 0 && static_cast<std::size_t>(index) < scene.geometries.size();
    return known ? &scene.geometries[index] : nullptr;
  };

  std::vector<PartSurface> surfaces;
  for (const GeometryKind kind : {GeometryKind::kMesh, GeometryKind::kHalfSpace}) {
    const double half = kHalfSpaceSize * largest_coordinate(surfaces);
    std::size_t number = 0;  // of the part
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const auto body = static_cast<int>(i);
      for (const Part& part : parts_of(scene.bodies[i])) {
        const Geometry* geometry = geometry_of(part, number++);
        if (geometry == nullptr || geometry->kind != kind) continue;
        const Transform<double> X = product(pose_of(state, body), transform_of(part.pose));
        const bool is_mesh = kind == GeometryKind::kMesh;
        surfaces.push_back({body, is_mesh ? placed_mesh(*geometry, X) : placed_square(half, X), !is_mesh});
      }
    }
  }
  return surfaces;
}

std::vector<Polygon> contact_polygons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment) {
  std::uint32_t status = 0;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(states.num_pairs));
  Results results;
  results.status = &status;
  results.polygon_count = counts.empty() ? nullptr : counts.data();
  return drawn_polygons(evaluator, states.view(environment, 1), results);
}

std::vector<PotentialContact> potential_contacts(const HostEvaluator& evaluator, const StateArrays& states,
                                                 std::int64_t environment, double time_step) {
  State state = states.view(environment, 1);
  state.time_step = time_step;
  return all_records<PotentialContact>(evaluator, state, {}, &Results::potential_contacts, &Results::relations_needed,
                                       64);
}

PolygonSurface patch_surface(const std::vector<Polygon>& polygons) {
  PolygonSurface surface;
  surface.num_faces = std::ssize(polygons);
  for (std::size_t k = 0; k < polygons.size(); ++k) {
    const Polygon& polygon = polygons[k];
    if (polygon.num_vertices < 0 || polygon.num_vertices > 8) {
      detail::throw_error("patch_surface: polygon {} has {} vertices; the most are 8", k, polygon.num_vertices);
    }
    surface.faces.push_back(polygon.num_vertices);
    for (int i = 0; i < polygon.num_vertices; ++i) {
      const float* vertex = polygon.vertices[i];
      surface.faces.push_back(static_cast<std::int32_t>(surface.points.size()));
      surface.points.push_back({vertex[0], vertex[1], vertex[2]});
    }
  }
  return surface;
}

}  // namespace isopatch
