// SPDX-License-Identifier: Apache-2.0
#include "host/meshing/tetrahedralize.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "host/mesh/topology/surface_refinement.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

namespace {

/// In edge lengths: the halves of an edge that is longer are nearer to the edge length than the whole.
constexpr double kLongestEdge = std::numbers::sqrt2;

/// Merges points with the same coordinates, which meshers refuse, and removes triangles that then have two equal
/// corners.
void weld(TriangleMesh& mesh) {
  std::map<Point3, std::int32_t> index;
  std::vector<std::int32_t> image;
  std::vector<Point3> points;
  for (const Point3& p : mesh.points) {
    const auto [found, is_new] = index.try_emplace(p, static_cast<std::int32_t>(points.size()));
    if (is_new) points.push_back(p);
    image.push_back(found->second);
  }
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) v = image[static_cast<std::size_t>(v)];
  }
  std::erase_if(mesh.triangles, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
  mesh.points = std::move(points);
}

/// Removes the points that no triangle uses.
void drop_unused_points(TriangleMesh& mesh) {
  std::vector<std::int32_t> image(mesh.points.size(), -1);
  std::vector<Point3> points;
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) {
      std::int32_t& new_index = image[static_cast<std::size_t>(v)];
      if (new_index < 0) {
        new_index = static_cast<std::int32_t>(points.size());
        points.push_back(mesh.points[static_cast<std::size_t>(v)]);
      }
      v = new_index;
    }
  }
  mesh.points = std::move(points);
}

}  // namespace

MesherInput mesher_input(TriangleMesh surface, const std::string& source) {
  // checked unchanged first, so that errors name the indices that it came with
  TriangleMesh as_given = surface;
  check_and_repair(as_given, source);
  weld(surface);
  const MeshReport report = check_and_repair(surface, source);
  drop_unused_points(surface);
  return {std::move(surface), report.volume};
}

Tetrahedralized tetrahedralize(MesherInput input, const Mesher& mesher, std::optional<double> edge_length,
                               const std::string& name, const std::string& source, const std::function<void()>& check) {
  if (edge_length) {
    if (!(std::isfinite(*edge_length) && *edge_length > 0)) {
      throw wrong_value(source + ": edge_length", fmt::format("{}", *edge_length),
                        "it must be finite and greater than 0");
    }
    refine(input.surface, kLongestEdge * *edge_length, source);
  }
  TetMesh mesh = fill_with_tets(input.surface, input.volume, mesher, edge_length, source, check);
  return {make_tet_mesh(name, std::move(mesh)), input.surface.triangles.size()};
}

}  // namespace isopatch::detail
