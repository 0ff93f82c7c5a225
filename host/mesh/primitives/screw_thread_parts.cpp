// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/screw_thread_parts.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"

namespace isopatch::detail {
namespace {

/// The directions of all rays.
std::vector<std::array<double, 2>> rays(int segments) {
  std::vector<std::array<double, 2>> directions;
  for (int ray = 0; ray < segments; ++ray) {
    const double angle = 2 * std::numbers::pi * ray / segments;
    directions.push_back({fixed_cos(angle), fixed_sin(angle)});
  }
  return directions;
}

Point3 point_on_ray(const std::array<double, 2>& direction, double radius, double z) {
  return {radius * direction[0], radius * direction[1], z};
}

}  // namespace

double hexagon(int ray, int segments, double across_flats) {
  const double from_corner = std::fmod(6.0 * ray / segments, 1.0) * std::numbers::pi / 3;
  return across_flats / 2 / fixed_cos(from_corner - std::numbers::pi / 6);
}

std::int32_t add_layer(std::vector<Point3>& points, const ScrewThreadGrid& grid, int segments, const Radius& radius) {
  const auto first = static_cast<std::int32_t>(points.size());
  const std::vector<std::array<double, 2>> direction = rays(segments);
  for (const ScrewThreadGrid::Node& node : grid.nodes()) {
    points.push_back(point_on_ray(direction[node.ray], radius(node), node.z));
  }
  return first;
}

std::int32_t add_point(std::vector<Point3>& points, const Point3& p) {
  points.push_back(p);
  return static_cast<std::int32_t>(points.size()) - 1;
}

Ring add_hexagon(std::vector<Point3>& points, int segments, double across_flats, double z) {
  Ring ring;
  const std::vector<std::array<double, 2>> direction = rays(segments);
  for (int j = 0; j < segments; ++j) {
    const double radius = hexagon(j, segments, across_flats);
    ring.push_back(add_point(points, point_on_ray(direction[j], radius, z)));
  }
  return ring;
}

Ring ring_of(const std::vector<ScrewThreadGrid::Edge>& chain, std::int32_t layer) {
  Ring ring;
  for (const auto& [from, to] : chain) ring.push_back(layer + from);
  return ring;
}

void add_band(std::vector<Triangle>& triangles, const Ring& a, const Ring& b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    const std::size_t k = (j + 1) % a.size();
    triangles.push_back({a[j], a[k], b[j]});
    triangles.push_back({a[k], b[k], b[j]});
  }
}

void add_disk(std::vector<Triangle>& triangles, const Ring& ring, std::int32_t centre, bool up) {
  for (std::size_t j = 0; j < ring.size(); ++j) {
    const std::size_t k = (j + 1) % ring.size();
    triangles.push_back(up ? Triangle{centre, ring[j], ring[k]} : Triangle{centre, ring[k], ring[j]});
  }
}

void add_cells(std::vector<Triangle>& triangles, const ScrewThreadGrid& grid, std::int32_t layer, bool outward) {
  for (const auto& [cell, section] : grid.cells()) {
    const std::int32_t a = layer + cell[0], b = layer + cell[1], c = layer + cell[2];
    triangles.push_back(outward ? Triangle{a, b, c} : Triangle{a, c, b});
  }
}

void add_tet(TetMesh& mesh, const Tet& tet) { mesh.tets.push_back(positively_oriented(mesh, tet)); }

/// The sides of a prism between two rays are not plane. All diagonals go from `from` on the first ray to `to` on the
/// next, so that of two almost equal sides neither bulges through the other.
void add_prisms(TetMesh& mesh, const ScrewThreadGrid& grid, std::int32_t from, std::int32_t to) {
  const auto ray = [&](std::int32_t i) { return grid.nodes()[i].ray; };
  const auto is_end = [&](std::int32_t i) { return grid.nodes()[i].end; };
  for (const auto& [cell, section] : grid.cells()) {
    // a on the first ray, c on the next, b on either; of two on one ray, one on an end plane comes first, else the
    // lower
    auto [a, b, c] = cell;
    if (ray(c) == ray(a)) std::swap(b, c);
    if (ray(b) == ray(a)) {
      if (is_end(b)) std::swap(a, b);
    } else {
      if (is_end(c)) std::swap(b, c);
    }
    add_tet(mesh, {from + a, from + b, from + c, to + c});
    add_tet(mesh, {from + a, from + b, to + b, to + c});
    add_tet(mesh, {from + a, to + a, to + b, to + c});
  }
}

void add_core(TetMesh& mesh, const ScrewThreadGrid& grid, std::int32_t layer, double length) {
  const std::size_t sections = grid.chains().size() - 1;
  std::vector<std::int32_t> axis = {add_point(mesh.points, {0, 0, 0})};
  for (std::size_t i = 0; i < sections; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(sections);
    axis.push_back(add_point(mesh.points, {0, 0, length * middle}));
  }
  axis.push_back(add_point(mesh.points, {0, 0, length}));

  for (const auto& [cell, section] : grid.cells()) {
    const auto& [a, b, c] = cell;
    add_tet(mesh, {layer + a, layer + b, layer + c, axis[static_cast<std::size_t>(section) + 1]});
  }
  for (std::size_t i = 0; i <= sections; ++i) {
    for (const auto& [from, to] : grid.chains()[i]) add_tet(mesh, {layer + from, layer + to, axis[i], axis[i + 1]});
  }
}

}  // namespace isopatch::detail
