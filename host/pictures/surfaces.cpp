// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "host/pictures/all_records.h"
#include "host/scene/contact_models.h"
#include "host/scene/part_geometries.h"
#include "host/scene/scene_data.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/scene/environment.h"
#include "isopatch/detail/single_contact/evaluate_single_contacts.h"
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

constexpr std::size_t kRowsOfContact = 4;  // two on each axis of the plate

/// Pair, part of a and part of b of the volumetric part pairs.
using PartPairNames = std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>>;

PartPairNames volumetric_part_pairs(const SceneData& scene) {
  PartPairNames names;
  for (const PairView& view : scene.pairs) {
    if (!contact_models()[static_cast<std::size_t>(view.model)].is_drawn_as_octagon) continue;
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      names.emplace(view.pair, scene.part_pairs[i].a, scene.part_pairs[i].b);
    }
  }
  return names;
}

std::vector<DiscreteContact> contacts_of(const HostEvaluator& evaluator, const StateArrays& states,
                                         std::int64_t environment) {
  std::uint32_t status = 0;
  Results results;
  results.status = &status;
  return all_records<DiscreteContact>(evaluator, states.view(environment, 1), results, &Results::contacts,
                                      &Results::contacts_needed, 256);
}

Vec3d vector(const float (&x)[3]) { return {x[0], x[1], x[2]}; }

/// Of the rows of one contact, which lie on both sides of its centre, on one axis and then on the other.
Polygon octagon(const DiscreteContact* rows) {
  const Vec3d center = 0.5 * (vector(rows[0].point) + vector(rows[1].point)), n = vector(rows[0].normal);
  Vec3d u = 0.5 * (vector(rows[0].point) - vector(rows[1].point));
  Vec3d v = 0.5 * (vector(rows[2].point) - vector(rows[3].point));
  if (!(norm(u) > 0 && norm(v) > 0)) {  // too small for digits
    const PlaneBasis basis = basis_of_plane(n);
    u = basis.u, v = basis.v;
  }
  if (dot(cross(u, v), n) < 0) v = -v;
  // a regular octagon about the unit circle has the area 2 sqrt(2)
  const double area = kRowsOfContact * rows[0].area;
  const double scale = std::sqrt(area / (2 * std::sqrt(2.0) * norm(u) * norm(v)));

  Polygon polygon = {};
  polygon.pair = rows[0].pair;
  polygon.num_vertices = 8;
  const double half = std::sqrt(0.5), cosines[] = {1, half, 0, -half, -1, -half, 0, half};
  for (std::size_t k = 0; k < 8; ++k) {
    const Vec3d p = center + (scale * cosines[k]) * u + (scale * cosines[(k + 6) % 8]) * v;
    polygon.vertices[k][0] = static_cast<float>(p.x);
    polygon.vertices[k][1] = static_cast<float>(p.y);
    polygon.vertices[k][2] = static_cast<float>(p.z);
    polygon.pressures[k] = rows[0].pressure;
  }
  std::copy_n(rows[0].normal, 3, polygon.normal);
  polygon.area = static_cast<float>(area);
  polygon.part_a = rows[0].part_a;
  polygon.part_b = rows[0].part_b;
  return polygon;
}

/// The plates of the volumetric contacts of one environment as octagons: with their area and centre, longer along one
/// axis than along the other as their second moments are, and the pressure of the elastic force over the area. Point
/// contacts have no area, so there is none of them.
std::vector<Polygon> contact_octagons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment) {
  const PartPairNames names = volumetric_part_pairs(evaluator.scene().data());
  std::vector<Polygon> octagons;
  if (names.empty()) return octagons;
  const std::vector<DiscreteContact> contacts = contacts_of(evaluator, states, environment);
  for (std::size_t i = 0; i + kRowsOfContact <= contacts.size();) {
    const DiscreteContact& row = contacts[i];
    if (!names.contains({row.pair, row.part_a, row.part_b})) {
      ++i;
      continue;
    }
    if (row.area > 0) octagons.push_back(octagon(&row));
    i += kRowsOfContact;
  }
  return octagons;
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
  std::vector<Polygon> polygons = all_records<Polygon>(evaluator, states.view(environment, 1), results,
                                                       &Results::polygons, &Results::polygons_needed, 1024);
  for (const Polygon& octagon : contact_octagons(evaluator, states, environment)) polygons.push_back(octagon);
  return polygons;
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
