// SPDX-License-Identifier: Apache-2.0
#include "host/cli/vtk_patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "host/files/output_file.h"
#include "host/scene/part_geometries.h"
#include "isopatch/detail/scene/environment.h"
#include "isopatch/error.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr const char* kHeader = "# vtk DataFile Version 3.0\n{}\nASCII\nDATASET POLYDATA\n";

/// Body to world. An invalid pose becomes the identity; then there are no patches.
Transform<double> pose_of(const State& state, int body) {
  const Vec3d position = read_vec3(state.poses, 0, body * kPoseSize);
  const double norm = quaternion_norm(state, 0, body);
  if (norm > 0 && std::isfinite(norm + position.x + position.y + position.z)) return read_pose(state, 0, body);
  return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

Point3 apply(const Transform<double>& X, const Point3& p) {
  const Vec3d x = detail::apply(X, Vec3d{p[0], p[1], p[2]});
  return {x.x, x.y, x.z};
}

/// What bodies_vtk collects.
struct Faces {
  std::vector<Point3> points;
  std::vector<std::vector<std::size_t>> polygons;
  std::vector<std::size_t> bodies;  // one per polygon
};

void add_mesh(Faces& faces, const Geometry& geometry, const Transform<double>& X, std::size_t body) {
  const std::size_t first = faces.points.size();
  for (const Point3& point : geometry.mesh.points) faces.points.push_back(apply(X, point));
  for (const Triangle& triangle : geometry.surface) {
    std::vector<std::size_t> polygon;
    for (const std::int32_t vertex : triangle) polygon.push_back(first + static_cast<std::size_t>(vertex));
    faces.polygons.push_back(std::move(polygon));
    faces.bodies.push_back(body);
  }
}

void add_square(Faces& faces, double half, const Transform<double>& X, std::size_t body) {
  const std::size_t first = faces.points.size();
  for (const auto& [x, y] : {std::array{-half, -half}, {half, -half}, {half, half}, {-half, half}}) {
    faces.points.push_back(apply(X, {x, y, 0}));
  }
  faces.polygons.push_back({first, first + 1, first + 2, first + 3});
  faces.bodies.push_back(body);
}

/// The farthest coordinate of any mesh body: a half space this large reaches under all of them.
double reach(const std::vector<Point3>& points) {
  double reach = 0;
  for (const Point3& point : points) {
    for (const double coordinate : point) reach = std::max(reach, std::fabs(coordinate));
  }
  return reach > 0 ? reach : 1;
}

}  // namespace

std::vector<Polygon> contact_polygons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment) {
  std::vector<Polygon> polygons(1024);
  for (;;) {
    std::int32_t needed = 0;
    std::uint32_t status = 0;
    std::vector<std::int32_t> counts(static_cast<std::size_t>(states.num_pairs));
    Results results;
    results.status = &status;
    results.polygon_count = counts.empty() ? nullptr : counts.data();
    results.polygons = polygons.data();
    results.polygons_needed = &needed;
    results.polygon_capacity = static_cast<std::int32_t>(polygons.size());
    evaluator.evaluate(states.view(environment, 1), results);

    const bool fits = static_cast<std::size_t>(std::max(needed, 0)) <= polygons.size();
    polygons.resize(static_cast<std::size_t>(std::max(needed, 0)));
    if (fits) return polygons;
  }
}

std::string patches_vtk(const std::vector<Polygon>& polygons) {
  std::string text = fmt::format(fmt::runtime(kHeader), "contact patches: pressure [Pa], area [m^2]");
  const Out out(text);
  std::size_t points = 0;
  for (const Polygon& polygon : polygons) points += static_cast<std::size_t>(polygon.num_vertices);

  fmt::format_to(out, "POINTS {} float\n", points);
  for (const Polygon& polygon : polygons) {
    for (int i = 0; i < polygon.num_vertices; ++i) {
      fmt::format_to(out, "{} {} {}\n", polygon.vertices[i][0], polygon.vertices[i][1], polygon.vertices[i][2]);
    }
  }
  fmt::format_to(out, "POLYGONS {} {}\n", polygons.size(), points + polygons.size());
  std::size_t next = 0;
  for (const Polygon& polygon : polygons) {
    fmt::format_to(out, "{}", polygon.num_vertices);
    for (int i = 0; i < polygon.num_vertices; ++i) fmt::format_to(out, " {}", next++);
    text += '\n';
  }

  fmt::format_to(out, "POINT_DATA {}\nSCALARS pressure float 1\nLOOKUP_TABLE default\n", points);
  for (const Polygon& polygon : polygons) {
    for (int i = 0; i < polygon.num_vertices; ++i) fmt::format_to(out, "{}\n", polygon.pressures[i]);
  }
  fmt::format_to(out, "CELL_DATA {}\nSCALARS area float 1\nLOOKUP_TABLE default\n", polygons.size());
  for (const Polygon& polygon : polygons) fmt::format_to(out, "{}\n", polygon.area);
  text += "SCALARS pair int 1\nLOOKUP_TABLE default\n";
  for (const Polygon& polygon : polygons) fmt::format_to(out, "{}\n", polygon.pair);
  text += "NORMALS normal float\n";
  for (const Polygon& polygon : polygons) {
    fmt::format_to(out, "{} {} {}\n", polygon.normal[0], polygon.normal[1], polygon.normal[2]);
  }
  return text;
}

std::string bodies_vtk(const SceneDescription& scene, const StateArrays& states, std::int64_t environment) {
  Faces faces;
  const State state = states.view(environment, 1);
  const auto first = static_cast<std::size_t>(environment * states.num_parts);
  const auto geometry_of = [&](const Part& part, std::size_t number) -> const Geometry* {
    const std::int32_t index = states.geometry_index.empty() ? part.geometry : states.geometry_index[first + number];
    const bool known = index >= 0 && static_cast<std::size_t>(index) < scene.geometries.size();
    return known ? &scene.geometries[static_cast<std::size_t>(index)] : nullptr;
  };
  for (const GeometryKind kind :
       {GeometryKind::kMesh, GeometryKind::kHalfSpace}) {  // half spaces last: they need the reach
    const double half = 1.5 * reach(faces.points);
    std::size_t number = 0;  // of the part
    for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
      for (const Part& part : parts_of(scene.bodies[body])) {
        const Geometry* geometry = geometry_of(part, number++);
        if (geometry == nullptr || geometry->kind != kind) continue;
        const Transform<double> X = product(pose_of(state, static_cast<int>(body)), transform_of(part.pose));
        if (kind == GeometryKind::kMesh) {
          add_mesh(faces, *geometry, X, body);
        } else {
          add_square(faces, half, X, body);
        }
      }
    }
  }

  std::string text = fmt::format(fmt::runtime(kHeader), "bodies");
  const Out out(text);
  fmt::format_to(out, "POINTS {} float\n", faces.points.size());
  for (const Point3& point : faces.points) {
    fmt::format_to(out, "{} {} {}\n", static_cast<float>(point[0]), static_cast<float>(point[1]),
                   static_cast<float>(point[2]));
  }
  std::size_t entries = 0;
  for (const auto& polygon : faces.polygons) entries += 1 + polygon.size();
  fmt::format_to(out, "POLYGONS {} {}\n", faces.polygons.size(), entries);
  for (const auto& polygon : faces.polygons) {
    fmt::format_to(out, "{}", polygon.size());
    for (const std::size_t vertex : polygon) fmt::format_to(out, " {}", vertex);
    text += '\n';
  }
  fmt::format_to(out, "CELL_DATA {}\nSCALARS body int 1\nLOOKUP_TABLE default\n", faces.polygons.size());
  for (const std::size_t body : faces.bodies) fmt::format_to(out, "{}\n", body);
  return text;
}

void create_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw Error(directory + ": cannot be created: " + error.message(), ErrorKind::kFile,
                {.where = directory, .code = error.value()});
  }
}

void write_vtk_environment(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t environment,
                           const std::string& name, const std::string& directory) {
  const auto path = [&](const char* what) {
    return (std::filesystem::path(directory) / fmt::format("{}_{}.vtk", what, name)).string();
  };
  write_output_file(path("patches"), patches_vtk(contact_polygons(evaluator, states, environment)));
  write_output_file(path("bodies"), bodies_vtk(evaluator.scene().description(), states, environment));
}

void write_vtk_files(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t first, std::int64_t count,
                     const std::string& directory) {
  create_directory(directory);
  for (std::int64_t environment = 0; environment < std::min(count, states.num_environments); ++environment) {
    write_vtk_environment(evaluator, states, environment, fmt::format("{:04}", first + environment), directory);
  }
}

}  // namespace isopatch::cli
