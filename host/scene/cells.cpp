// SPDX-License-Identifier: Apache-2.0
//
// From meshes to cells: planes, gradients and boxes, in double, once per scene.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scene/hierarchy.h"

namespace isopatch {

using detail::Cell;
using detail::Vec3d;

namespace {

Vec3d to_vec(const Point3& p) { return {p[0], p[1], p[2]}; }

float round_down(double x) {
  const float f = static_cast<float>(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

float round_up(double x) { return -round_down(-x); }

void set_box(Cell& cell) {
  const auto axis = [&](int k, double Vec3d::*member) {
    double low = cell.vertex[0].*member, high = low;
    for (const Vec3d& v : cell.vertex) low = std::min(low, v.*member), high = std::max(high, v.*member);
    cell.box_low[k] = round_down(low);
    cell.box_high[k] = round_up(high);
  };
  axis(0, &Vec3d::x);
  axis(1, &Vec3d::y);
  axis(2, &Vec3d::z);
}

/// Puts the only vertex with an extent, if it is one, opposite kZeroFace; an even permutation, so that the tet's
/// orientation stays.
void order_vertices(Cell& cell) {
  for (int i = 0; i < 4; ++i) {
    const bool zero = cell.extent[(i + 1) & 3] == 0 && cell.extent[(i + 2) & 3] == 0 && cell.extent[(i + 3) & 3] == 0;
    if (!zero || !(cell.extent[i] > 0)) continue;
    if (i == detail::kZeroFace) return;
    std::swap(cell.vertex[i], cell.vertex[detail::kZeroFace]);
    std::swap(cell.extent[i], cell.extent[detail::kZeroFace]);
    std::swap(cell.vertex[(i + 1) % 3], cell.vertex[(i + 2) % 3]);  // both without an extent
    return;
  }
}

/// Order of the vertices, normals, gradient and box, from vertices and extents.
void complete_tet(Cell& cell) {
  order_vertices(cell);
  // vertex i is at height h over face i; the gradient of its barycentric coordinate is n/h
  for (int i = 0; i < 4; ++i) {
    const Vec3d a = cell.vertex[(i + 1) & 3], b = cell.vertex[(i + 2) & 3], c = cell.vertex[(i + 3) & 3];
    Vec3d n = cross(b - a, c - a);
    if (dot(n, cell.vertex[i] - a) < 0) n = -n;
    cell.inward[i] = (1 / norm(n)) * n;
    if (i > 0) {
      const double height = dot(cell.inward[i], cell.vertex[i] - a);
      cell.gradient = fused((cell.extent[i] - cell.extent[0]) / height, cell.inward[i], cell.gradient);
    }
  }
  set_box(cell);
}

constexpr double kFlat = 64 * std::numeric_limits<double>::epsilon();

/// The mean of the corners of all triangles.
Vec3d middle_of_surface(const Geometry& geometry) {
  Vec3d sum = {0, 0, 0};
  for (const Triangle& triangle : geometry.surface) {
    for (const std::int32_t v : triangle) sum = sum + to_vec(geometry.mesh.points[static_cast<std::size_t>(v)]);
  }
  return (1 / (3 * static_cast<double>(geometry.surface.size()))) * sum;
}

}  // namespace

std::vector<Cell> tet_cells(const Geometry& geometry) {
  std::vector<Cell> cells;
  cells.reserve(geometry.mesh.tets.size());
  for (const Tet& tet : geometry.mesh.tets) {
    Cell cell = {};
    for (int i = 0; i < 4; ++i) {
      cell.vertex[i] = to_vec(geometry.mesh.points[static_cast<std::size_t>(tet[i])]);
      cell.extent[i] = geometry.extent[static_cast<std::size_t>(tet[i])];
    }
    complete_tet(cell);
    cells.push_back(cell);
  }
  return cells;
}

std::vector<Cell> cone_cells(const Geometry& geometry) {
  const Vec3d apex = middle_of_surface(geometry);
  std::vector<Cell> cells;
  for (const Triangle& triangle : geometry.surface) {
    Cell cell = {};
    cell.vertex[0] = apex;
    for (int i = 0; i < 3; ++i)
      cell.vertex[i + 1] = to_vec(geometry.mesh.points[static_cast<std::size_t>(triangle[i])]);
    const Vec3d a = cell.vertex[1] - apex, b = cell.vertex[2] - apex, c = cell.vertex[3] - apex;
    const Vec3d normal = cross(cell.vertex[2] - cell.vertex[1], cell.vertex[3] - cell.vertex[1]);
    // a cone this flat has no volume, and no side that can be told
    if (!(std::fabs(dot(normal, a)) > kFlat * norm(normal) * std::max(norm(a), std::max(norm(b), norm(c))))) continue;
    complete_tet(cell);
    cells.push_back(cell);
  }
  return cells;
}

std::vector<Cell> triangle_cells(const Geometry& geometry) {
  std::vector<Cell> cells;
  cells.reserve(geometry.surface.size());
  for (const Triangle& triangle : geometry.surface) {
    Cell cell = {};
    for (int i = 0; i < 3; ++i) cell.vertex[i] = to_vec(geometry.mesh.points[static_cast<std::size_t>(triangle[i])]);
    cell.vertex[3] = cell.vertex[0];
    const Vec3d normal = cross(cell.vertex[1] - cell.vertex[0], cell.vertex[2] - cell.vertex[0]);
    cell.gradient = (1 / norm(normal)) * normal;
    for (int i = 0; i < 3; ++i) {
      const Vec3d edge = cell.vertex[(i + 2) % 3] - cell.vertex[(i + 1) % 3];
      const Vec3d inward = cross(cell.gradient, edge);
      cell.inward[i] = (1 / norm(inward)) * inward;
    }
    set_box(cell);
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace isopatch
