// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/contact_polygon.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace isopatch::reference {
namespace {

constexpr Real kCosFilterAngle = -0.38268343236508977172845998403039887L;  // cos(5 pi/8)

bool crossed(const std::array<Real, 4>& d) {
  const auto positive = [](Real value) { return value > 0; };
  return std::any_of(d.begin(), d.end(), positive) && !std::all_of(d.begin(), d.end(), positive);
}

Real snapped(Real value, Real tolerance) { return std::abs(value) <= tolerance ? 0 : value; }

template <typename Function>
std::array<Real, 4> at_vertices(Real tolerance, Function function) {
  std::array<Real, 4> values;
  for (std::size_t i = 0; i < 4; ++i) values[i] = snapped(function(i), tolerance);
  return values;
}

Real size_of(const std::array<Vector3, 4>& vertices) {
  Box box;
  for (const Vector3& x : vertices) box.add(x);
  return box.diagonal();
}

/// For two compliant sides. The polygon has the pressure of the side with the smaller gradient, which is the more
/// accurate one if the moduli differ by many orders of magnitude.
ContactPolygon between_compliant(VertexList vertices, const Vector3& normal, const Affine& a, const Affine& b) {
  ContactPolygon polygon;
  polygon.vertices = std::move(vertices);
  polygon.normal = normal;
  polygon.pressure = a.gradient.norm() <= b.gradient.norm() ? a : b;
  polygon.gradients = {a.gradient, b.gradient};
  const Real g_a = a.gradient.dot(normal);
  const Real g_b = -b.gradient.dot(normal);
  polygon.gradient = g_a * g_b / (g_a + g_b);
  return polygon;
}

ContactPolygon on_rigid(VertexList vertices, const Vector3& normal, const Affine& a) {
  ContactPolygon polygon;
  polygon.vertices = std::move(vertices);
  polygon.normal = normal;
  polygon.pressure = a;
  polygon.gradients[0] = a.gradient;
  polygon.gradient = a.gradient.dot(normal);
  return polygon;
}

Vector3 triangle_normal(const SurfaceTriangle& triangle) {
  return (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalized();
}

}  // namespace

bool ContactPolygon::resists() const {
  constexpr Real kFlat = 1e-9L;
  const auto rises = [](const Vector3& own, const Vector3& inward) {
    return own.isZero(0) || own.dot(inward) > kFlat * own.norm();
  };
  return rises(gradients[0], normal) && rises(gradients[1], -normal);
}

bool ContactPolygon::passes_gradient_filter() const {
  return gradients[0].dot(normal) >= kCosFilterAngle * gradients[0].norm() &&
         -gradients[1].dot(normal) >= kCosFilterAngle * gradients[1].norm();
}

std::optional<ContactPolygon> tet_on_tet(const PressureTet& a, const PressureTet& b, Real tolerance_a,
                                         Real tolerance_b) {
  const auto d_a =
      at_vertices(tolerance_a, [&](std::size_t i) { return a.pressures[i] - b.pressure.at(a.vertices[i]); });
  if (!crossed(d_a)) return std::nullopt;
  const auto d_b =
      at_vertices(tolerance_b, [&](std::size_t i) { return a.pressure.at(b.vertices[i]) - b.pressures[i]; });
  if (!crossed(d_b)) return std::nullopt;

  const Vector3 normal = (a.pressure.gradient - b.pressure.gradient).normalized();
  const Section in_a = cut_tet(a.vertices, d_a, normal);
  const Section in_b = cut_tet(b.vertices, d_b, normal);
  VertexList vertices = clip(in_a.vertices, in_b.lines, normal);
  if (is_degenerate(vertices, normal, std::min(size_of(a.vertices), size_of(b.vertices)))) return std::nullopt;
  return between_compliant(std::move(vertices), normal, a.pressure, b.pressure);
}

std::optional<ContactPolygon> tet_on_half_space(const PressureTet& a, const Affine& b, Real tolerance) {
  const auto d = at_vertices(tolerance, [&](std::size_t i) { return a.pressures[i] - b.at(a.vertices[i]); });
  if (!crossed(d)) return std::nullopt;

  const Vector3 normal = (a.pressure.gradient - b.gradient).normalized();
  VertexList vertices = cut_tet(a.vertices, d, normal).vertices;
  if (is_degenerate(vertices, normal, size_of(a.vertices))) return std::nullopt;
  return between_compliant(std::move(vertices), normal, a.pressure, b);
}

std::optional<ContactPolygon> tet_on_triangle(const PressureTet& a, const SurfaceTriangle& b, Real tolerance) {
  const Vector3 normal = triangle_normal(b);
  const auto d = at_vertices(tolerance, [&](std::size_t i) { return normal.dot(a.vertices[i] - b[0]); });
  if (!crossed(d)) return std::nullopt;

  VertexList vertices = clip(cut_tet(a.vertices, d, normal).vertices, triangle_section(b).lines, normal);
  if (is_degenerate(vertices, normal, size_of(a.vertices))) return std::nullopt;
  return on_rigid(std::move(vertices), normal, a.pressure);
}

std::optional<ContactPolygon> tet_on_plane(const PressureTet& a, const Affine& distance, Real tolerance) {
  const auto d = at_vertices(tolerance, [&](std::size_t i) { return distance.at(a.vertices[i]); });
  if (!crossed(d)) return std::nullopt;

  VertexList vertices = cut_tet(a.vertices, d, distance.gradient).vertices;
  if (is_degenerate(vertices, distance.gradient, size_of(a.vertices))) return std::nullopt;
  return on_rigid(std::move(vertices), distance.gradient, a.pressure);
}

std::optional<ContactPolygon> half_space_on_triangle(const Affine& a, const Affine& distance,
                                                     const SurfaceTriangle& b) {
  const Vector3 normal = triangle_normal(b);
  VertexList vertices = clip(VertexList(b.begin(), b.end()), distance);
  if (is_degenerate(vertices, normal, (b[1] - b[0]).norm())) return std::nullopt;
  return on_rigid(std::move(vertices), normal, a);
}

ContactPolygon swapped(ContactPolygon polygon) {
  std::reverse(polygon.vertices.begin(), polygon.vertices.end());
  std::swap(polygon.gradients[0], polygon.gradients[1]);
  polygon.normal = -polygon.normal;
  return polygon;
}

}  // namespace isopatch::reference
