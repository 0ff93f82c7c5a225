// SPDX-License-Identifier: Apache-2.0
//
// From meshes to cells: planes, gradients and boxes, in double, once per scene.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/hierarchy/box_fit.h"
#include "host/hierarchy/hierarchy.h"
#include "host/threads/parallel_for.h"

namespace isopatch::detail {
namespace {

constexpr std::int64_t kChunk = 512;  // cells that a thread makes at a time

Vec3d to_vec(const Point3& p) { return {p[0], p[1], p[2]}; }

void set_box(Cell& cell) {
  const auto axis = [&](int k, double Vec3d::*member) {
    double low = cell.corner[0].vertex.*member, high = low;
    for (const Cell::Corner& c : cell.corner) {
      low = std::min(low, c.vertex.*member);
      high = std::max(high, c.vertex.*member);
    }
    cell.box_low[k] = below(low);
    cell.box_high[k] = above(high);
  };
  axis(0, &Vec3d::x);
  axis(1, &Vec3d::y);
  axis(2, &Vec3d::z);
}

/// If only one vertex has a positive extent, puts it opposite kZeroFace, by an even permutation, which keeps the tet's
/// orientation.
void order_vertices(Cell& cell) {
  for (int i = 0; i < 4; ++i) {
    const auto is_zero = [&](int k) { return cell.corner[(i + k) & 3].extent == 0; };
    if (!is_zero(1) || !is_zero(2) || !is_zero(3) || !(cell.corner[i].extent > 0)) continue;
    cell.zero_face = 1;
    if (i == kZeroFace) return;
    std::swap(cell.corner[i], cell.corner[kZeroFace]);
    std::swap(cell.corner[(i + 1) % 3], cell.corner[(i + 2) % 3]);
    return;
  }
}

/// Computes the order of the vertices, the normals, the gradient and the box from vertices and extents.
void complete_tet(Cell& cell) {
  order_vertices(cell);
  // vertex i is at height h over face i; the gradient of its barycentric coordinate is n/h
  for (int i = 0; i < 4; ++i) {
    const auto vertex = [&](int k) { return cell.corner[(i + k) & 3].vertex; };
    const Vec3d a = vertex(1), b = vertex(2), c = vertex(3);
    Vec3d n = cross(b - a, c - a);
    if (dot(n, vertex(0) - a) < 0) n = -n;
    n = (1 / norm(n)) * n;
    const double height = dot(n, vertex(0) - a);
    cell.face[i] = {n, i == 0 ? height : 0.0};
    if (i > 0) {
      const double rise = cell.corner[i].extent - cell.corner[0].extent;
      cell.gradient = fma(rise / height, n, cell.gradient);
    }
  }
  set_box(cell);
}

constexpr double kFlat = 64 * std::numeric_limits<double>::epsilon();

/// The mean of the corners of all triangles.
Vec3d middle_of_surface(const Geometry& geometry) {
  Vec3d sum = {0, 0, 0};
  for (const Triangle& triangle : geometry.surface) {
    for (const std::int32_t v : triangle) sum = sum + to_vec(geometry.mesh.points[v]);
  }
  return (1 / (3 * static_cast<double>(geometry.surface.size()))) * sum;
}

}  // namespace

std::vector<Cell> tet_cells(const Geometry& geometry) {
  std::vector<Cell> cells(geometry.mesh.tets.size());
  const auto count = std::ssize(cells);
  parallel_for(count, count, kChunk, [&](std::size_t t) {
    const Tet& tet = geometry.mesh.tets[t];
    Cell& cell = cells[t];
    for (int i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(tet[i]);
      cell.corner[i] = {to_vec(geometry.mesh.points[at]), geometry.extent[at]};
    }
    complete_tet(cell);
  });
  return cells;
}

std::vector<Cell> cone_cells(const Geometry& geometry) {
  const Vec3d apex = middle_of_surface(geometry);
  std::vector<Cell> cells;
  for (const Triangle& triangle : geometry.surface) {
    Cell cell = {};
    cell.corner[0].vertex = apex;
    for (int i = 0; i < 3; ++i) cell.corner[i + 1].vertex = to_vec(geometry.mesh.points[triangle[i]]);
    const Vec3d a = cell.corner[1].vertex - apex, b = cell.corner[2].vertex - apex, c = cell.corner[3].vertex - apex;
    const Vec3d normal = cross(b - a, c - a);
    // a cone this flat has no volume, and its orientation depends on rounding
    if (!(std::fabs(dot(normal, a)) > kFlat * norm(normal) * std::max(norm(a), std::max(norm(b), norm(c))))) continue;
    complete_tet(cell);
    cells.push_back(cell);
  }
  return cells;
}

std::vector<Cell> triangle_cells(const Geometry& geometry) {
  std::vector<Cell> cells(geometry.surface.size());
  const auto count = std::ssize(cells);
  parallel_for(count, count, kChunk, [&](std::size_t t) {
    const Triangle& triangle = geometry.surface[t];
    Cell& cell = cells[t];
    Vec3d vertex[3];
    for (int i = 0; i < 3; ++i) {
      vertex[i] = to_vec(geometry.mesh.points[triangle[i]]);
      cell.corner[i].vertex = vertex[i];
    }
    cell.corner[3] = cell.corner[0];
    const Vec3d normal = cross(vertex[1] - vertex[0], vertex[2] - vertex[0]);
    cell.gradient = (1 / norm(normal)) * normal;
    for (int i = 0; i < 3; ++i) {
      const Vec3d edge = vertex[(i + 2) % 3] - vertex[(i + 1) % 3];
      const Vec3d across = cross(cell.gradient, edge), inward = (1 / norm(across)) * across;
      cell.face[i] = {inward, i == 0 ? dot(inward, vertex[0] - vertex[1]) : 0.0};
    }
    set_box(cell);
  });
  return cells;
}

std::vector<SmoothedGradient> smoothed_gradients(const Geometry& geometry, const std::vector<Cell>& cells) {
  std::vector<Vec3d> at_vertex(geometry.mesh.points.size(), {0, 0, 0});
  std::vector<double> volume(at_vertex.size(), 0);
  for (std::size_t t = 0; t < cells.size(); ++t) {
    const double v = volume_of(cells[t]);
    for (const std::int32_t vertex : geometry.mesh.tets[t]) {
      const auto i = static_cast<std::size_t>(vertex);
      at_vertex[i] = fma(v, cells[t].gradient, at_vertex[i]);
      volume[i] += v;
    }
  }
  for (std::size_t i = 0; i < at_vertex.size(); ++i) {
    if (volume[i] > 0) at_vertex[i] = (1 / volume[i]) * at_vertex[i];
  }

  std::vector<SmoothedGradient> out(cells.size());
  for (std::size_t t = 0; t < cells.size(); ++t) {
    const Cell& cell = cells[t];
    const Tet vertices = vertices_of(cell, geometry.mesh.tets[t], geometry.mesh.points);
    const auto gradient = [&](std::size_t i) { return at_vertex[vertices[i]]; };
    SmoothedGradient& g = out[t];
    g.at_vertex0 = gradient(0);
    for (std::size_t i = 1; i < 4; ++i) {
      // the slope of the barycentric coordinate of vertex i, whose face contains vertex 0
      const Vec3d inward = cell.face[i].inward;
      const Vec3d slope = (1 / dot(inward, cell.corner[i].vertex - cell.corner[0].vertex)) * inward;
      const Vec3d change = gradient(i) - g.at_vertex0;
      g.along_x = fma(slope.x, change, g.along_x);
      g.along_y = fma(slope.y, change, g.along_y);
      g.along_z = fma(slope.z, change, g.along_z);
    }
  }
  return out;
}

}  // namespace isopatch::detail
