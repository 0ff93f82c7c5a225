// SPDX-License-Identifier: Apache-2.0
#include "host/reference/scene/posed_body.h"

#include <algorithm>
#include <cmath>

#include "host/threads/work_counter.h"

namespace isopatch::reference {
namespace {

/// A cone whose volume is below this fraction of the cube of the body's size is left out of the energy: its orientation
/// depends on rounding.
constexpr Real kFlat = 1e-24L;

}  // namespace

PosedBody::PosedBody(const Geometry& geometry, bool is_rigid, Real modulus, const Transform& X)
    : rigid(is_rigid), half_space(geometry.kind == GeometryKind::kHalfSpace) {
  if (half_space) {
    add_half_space(geometry, modulus, X);
    return;
  }

  std::vector<Vector3> points;
  for (const Point3& p : geometry.mesh.points) points.push_back(X * Vector3(p[0], p[1], p[2]));
  Box bounds;
  for (const Triangle& triangle : geometry.surface) {
    for (const std::int32_t i : triangle) bounds.add(points[static_cast<std::size_t>(i)]);
  }
  size = bounds.diagonal();
  add_tets(geometry, rigid ? 0 : modulus, points);
  if (geometry.is_surface_mesh()) add_cones(geometry, points);
  if (rigid) add_triangles(geometry, points);
}

void PosedBody::add_half_space(const Geometry& geometry, Real modulus, const Transform& X) {
  const Vector3 up = X.rotation.col(2);
  height = {up, X.translation, 0};
  if (rigid) return;
  using Row = std::array<double, 2>;
  const std::vector<Row> rows = geometry.strain.empty() ? std::vector<Row>{{0, 0}, {1, 1}} : geometry.strain;
  const auto slope_between = [&](std::size_t i, std::size_t k) -> Real {  // Pa/m
    const Real rise = Real{rows[k][1]} - rows[i][1], depth = geometry.thickness * (Real{rows[k][0]} - rows[i][0]);
    return modulus * rise / depth;
  };
  // at a level between two layers, the mean of both weighted by their thickness; the last layer is infinitely thick
  const std::size_t last = rows.size() - 1;
  const auto slope_at = [&](std::size_t i) {
    return i == 0 ? slope_between(0, 1) : i + 1 >= last ? slope_between(last - 1, last) : slope_between(i - 1, i + 1);
  };
  for (std::size_t i = 0; i < last; ++i) {
    const Vector3 top = X.translation - geometry.thickness * Real{rows[i][0]} * up;
    const Vector3 bottom = X.translation - geometry.thickness * Real{rows[i + 1][0]} * up;
    const Real slope = slope_between(i, i + 1), thickness = (top - bottom).norm();
    HalfSpaceLayer layer = {};
    layer.pressure = {-slope * up, top, modulus * Real{rows[i][1]}};
    const Real change = i + 1 == last ? 0 : (slope_at(i + 1) - slope_at(i)) / thickness;
    layer.smoothed_slope = {-change * up, top, slope_at(i)};
    layer.has_top = i > 0;
    layer.has_bottom = i + 1 < last;
    layer.below_top = {-up, top, 0};
    layer.above_bottom = {up, bottom, 0};
    layers.push_back(layer);
    largest_gradient = std::max(largest_gradient, slope);
  }
}

void PosedBody::add_tets(const Geometry& geometry, Real modulus, const std::vector<Vector3>& points) {
  detail::WorkCounter counter;
  for (const Tet& indices : geometry.mesh.tets) {
    counter.add(8);
    PressureTet tet;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto index = static_cast<std::size_t>(indices[i]);
      tet.vertices[i] = points[index];
      tet.pressures[i] = rigid ? 0 : modulus * Real{geometry.extent[index]};
    }
    add_tet(tet, 1);
  }
  smooth_gradients(geometry);
}

void PosedBody::smooth_gradients(const Geometry& geometry) {
  std::vector<Vector3> moment(geometry.mesh.points.size(), Vector3::Zero());
  std::vector<Real> volume(moment.size(), 0);
  detail::WorkCounter counter;
  const auto for_each_vertex = [&](const auto& visit) {
    for (std::size_t t = 0; t < geometry.mesh.tets.size(); ++t) {
      counter.add(8);
      for (std::size_t i = 0; i < 4; ++i) visit(tets[t], i, static_cast<std::size_t>(geometry.mesh.tets[t][i]));
    }
  };
  for_each_vertex([&](const PressureTet& tet, std::size_t, std::size_t vertex) {
    const auto& x = tet.vertices;
    const Real v = std::abs((x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]));
    moment[vertex] += v * tet.pressure.gradient;
    volume[vertex] += v;
  });
  for_each_vertex([&](PressureTet& tet, std::size_t i, std::size_t vertex) {
    tet.smoothed_gradients[i] = moment[vertex] / volume[vertex];
  });
}

/// A cone over each triangle, from a point that lies on few of their planes.
void PosedBody::add_cones(const Geometry& geometry, const std::vector<Vector3>& points) {
  Vector3 apex = Vector3::Zero();
  for (const Vector3& point : points) apex += point / static_cast<Real>(points.size());
  for (const Triangle& t : geometry.surface) {
    PressureTet cone;
    cone.vertices = {apex, points[static_cast<std::size_t>(t[0])], points[static_cast<std::size_t>(t[1])],
                     points[static_cast<std::size_t>(t[2])]};
    cone.pressures.fill(0);
    const auto& x = cone.vertices;
    const Real volume = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]);
    if (std::abs(volume) > kFlat * size * size * size) add_tet(cone, volume > 0 ? 1 : -1);
  }
}

void PosedBody::add_tet(PressureTet tet, Real sign) {
  Box box;
  for (const Vector3& vertex : tet.vertices) box.add(vertex);
  tet.pressure = {Vector3::Zero(), tet.vertices[0], tet.pressures[0]};
  for (std::size_t i = 1; i < 4; ++i) {
    tet.pressure.gradient += (tet.pressures[i] - tet.pressures[0]) * barycentric(tet.vertices, i).gradient;
  }
  largest_gradient = std::max(largest_gradient, tet.pressure.gradient.norm());
  tets.push_back(tet);
  tet_boxes.push_back(box);
  tet_signs.push_back(sign);
}

void PosedBody::add_triangles(const Geometry& geometry, const std::vector<Vector3>& points) {
  for (const Triangle& indices : geometry.surface) {
    SurfaceTriangle triangle;
    Box box;
    for (std::size_t i = 0; i < 3; ++i) {
      triangle[i] = points[static_cast<std::size_t>(indices[i])];
      box.add(triangle[i]);
    }
    triangles.push_back(triangle);
    triangle_boxes.push_back(box);
  }
}

}  // namespace isopatch::reference
