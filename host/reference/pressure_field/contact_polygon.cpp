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

/// One compliant side: its pressure, and the smoothed gradient of the pressure at the polygon's centroid.
struct Side {
  Affine pressure;
  Vector3 smoothed;
};

/// A tet's side. The smoothed gradient is affine between its values at the vertices (PFC eq. 16).
Side side_of(const PressureTet& tet, const VertexList& vertices, const Vector3& normal) {
  const Vector3 centroid = moments(vertices, normal).centroid;
  Side side = {tet.pressure, Vector3::Zero()};
  for (std::size_t i = 0; i < 4; ++i) {
    side.smoothed += barycentric(tet.vertices, i).at(centroid) * tet.smoothed_gradients[i];
  }
  return side;
}

/// The side of a half space.
Side side_of(const HalfSpaceLayer& layer, const VertexList& vertices, const Vector3& normal) {
  const Real slope = layer.smoothed_slope.at(moments(vertices, normal).centroid);
  return {layer.pressure, slope * layer.pressure.gradient.normalized()};
}

/// The piece of a polygon in a layer. A polygon that lies on a level, to rounding, belongs to the layer above.
VertexList within(const HalfSpaceLayer& layer, VertexList vertices) {
  constexpr Real kLevel = 1e-13L;
  const auto lies_on = [&](const Affine& level) {
    Box box;
    for (const Vector3& x : vertices) box.add(x);
    const Real close = kLevel * (box.diagonal() + level.point.norm());
    return std::all_of(vertices.begin(), vertices.end(),
                       [&](const Vector3& x) { return std::abs(level.at(x)) <= close; });
  };
  if (layer.has_top) {
    if (lies_on(layer.below_top)) return {};
    vertices = clip(vertices, {-layer.below_top.gradient, layer.below_top.point, 0});
  }
  if (layer.has_bottom && !vertices.empty() && !lies_on(layer.above_bottom)) {
    vertices = clip(vertices, {-layer.above_bottom.gradient, layer.above_bottom.point, 0});
  }
  return vertices;
}

/// For two compliant sides. The polygon has the pressure of the side with the smaller gradient, which is the more
/// accurate one if the moduli differ by many orders of magnitude.
template <class A, class B>
ContactPolygon between_compliant(VertexList vertices, const Vector3& normal, const A& element_a, const B& element_b) {
  const Side side_a = side_of(element_a, vertices, normal), side_b = side_of(element_b, vertices, normal);
  const Affine &a = side_a.pressure, &b = side_b.pressure;
  ContactPolygon polygon;
  polygon.vertices = std::move(vertices);
  polygon.normal = normal;
  polygon.pressure = a.gradient.norm() <= b.gradient.norm() ? a : b;
  polygon.gradients = {a.gradient, b.gradient};
  const Real g_a = a.gradient.dot(normal);
  const Real g_b = -b.gradient.dot(normal);
  polygon.gradient = g_a * g_b / (g_a + g_b);
  polygon.smoothed = {side_a.smoothed, side_b.smoothed};
  const Real smoothed_a = side_a.smoothed.dot(normal), smoothed_b = -side_b.smoothed.dot(normal);
  if (smoothed_a > 0 && smoothed_b > 0) polygon.smoothed_gradient = smoothed_a * smoothed_b / (smoothed_a + smoothed_b);
  return polygon;
}

template <class A>
ContactPolygon on_rigid(VertexList vertices, const Vector3& normal, const A& element) {
  const Side side = side_of(element, vertices, normal);
  ContactPolygon polygon;
  polygon.vertices = std::move(vertices);
  polygon.normal = normal;
  polygon.pressure = side.pressure;
  polygon.gradients[0] = side.pressure.gradient;
  polygon.gradient = side.pressure.gradient.dot(normal);
  polygon.smoothed[0] = side.smoothed;
  polygon.smoothed_gradient = std::max(side.smoothed.dot(normal), Real{0});
  return polygon;
}

/// The weight of a polygon whose normal points into the other body, which has this gradient. `steepest` is the largest
/// gradient, Pa/m; if the gradient is a millionth of it, or the body rigid, the weight is 1. `sideways` is the weight
/// of a gradient at a right angle to the normal, before it is clamped.
Real weight_on(const Vector3& gradient, const Vector3& inward, Real steepest, Real sideways) {
  const Real size = gradient.norm();
  if (size <= 1e-6L * steepest) return 1;
  return std::clamp(4 * inward.dot(gradient) / size + sideways, Real{0}, Real{1});
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
  return weight > 0 && rises(gradients[0], normal) && rises(gradients[1], -normal);
}

bool ContactPolygon::passes_gradient_filter() const {
  return gradients[0].dot(normal) >= kCosFilterAngle * gradients[0].norm() &&
         -gradients[1].dot(normal) >= kCosFilterAngle * gradients[1].norm();
}

void ContactPolygon::weigh_one_sided(bool one_sided_a, bool one_sided_b, Real steepest_a, Real steepest_b) {
  weight = std::min(one_sided_a ? weight_on(smoothed[1], -normal, steepest_b, 2) : 1,
                    one_sided_b ? weight_on(smoothed[0], normal, steepest_a, 2) : 1);
  pressure.gradient *= weight;
  pressure.value *= weight;
  gradient *= weight;
  for (Vector3& g : gradients) g *= weight;
}

Real ContactPolygon::near_side(bool one_sided_a, bool one_sided_b, Real steepest_a, Real steepest_b) const {
  const bool weighed = (one_sided_a && steepest_b > 0) || (one_sided_b && steepest_a > 0);
  if (weighed) return weight;
  return std::min(weight_on(gradients[0], normal, steepest_a, 3), weight_on(gradients[1], -normal, steepest_b, 3));
}

Real ContactPolygon::load() const {
  const PolygonMoments m = moments(vertices, normal);
  return m.area * pressure.at(m.centroid);
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
  return between_compliant(std::move(vertices), normal, a, b);
}

std::optional<ContactPolygon> tet_on_half_space(const PressureTet& a, const HalfSpaceLayer& b, Real tolerance) {
  const auto d = at_vertices(tolerance, [&](std::size_t i) { return a.pressures[i] - b.pressure.at(a.vertices[i]); });
  if (!crossed(d)) return std::nullopt;

  const Vector3 normal = (a.pressure.gradient - b.pressure.gradient).normalized();
  VertexList vertices = within(b, cut_tet(a.vertices, d, normal).vertices);
  if (is_degenerate(vertices, normal, size_of(a.vertices))) return std::nullopt;
  return between_compliant(std::move(vertices), normal, a, b);
}

std::optional<ContactPolygon> tet_on_triangle(const PressureTet& a, const SurfaceTriangle& b, Real tolerance) {
  const Vector3 normal = triangle_normal(b);
  const auto d = at_vertices(tolerance, [&](std::size_t i) { return normal.dot(a.vertices[i] - b[0]); });
  if (!crossed(d)) return std::nullopt;

  VertexList vertices = clip(cut_tet(a.vertices, d, normal).vertices, triangle_section(b).lines, normal);
  if (is_degenerate(vertices, normal, size_of(a.vertices))) return std::nullopt;
  return on_rigid(std::move(vertices), normal, a);
}

std::optional<ContactPolygon> tet_on_plane(const PressureTet& a, const Affine& distance, Real tolerance) {
  const auto d = at_vertices(tolerance, [&](std::size_t i) { return distance.at(a.vertices[i]); });
  if (!crossed(d)) return std::nullopt;

  VertexList vertices = cut_tet(a.vertices, d, distance.gradient).vertices;
  if (is_degenerate(vertices, distance.gradient, size_of(a.vertices))) return std::nullopt;
  return on_rigid(std::move(vertices), distance.gradient, a);
}

std::optional<ContactPolygon> half_space_on_triangle(const HalfSpaceLayer& a, const Affine& distance,
                                                     const SurfaceTriangle& b) {
  const Vector3 normal = triangle_normal(b);
  VertexList vertices = within(a, clip(VertexList(b.begin(), b.end()), distance));
  if (is_degenerate(vertices, normal, (b[1] - b[0]).norm())) return std::nullopt;
  return on_rigid(std::move(vertices), normal, a);
}

ContactPolygon swapped(ContactPolygon polygon) {
  std::reverse(polygon.vertices.begin(), polygon.vertices.end());
  std::swap(polygon.gradients[0], polygon.gradients[1]);
  std::swap(polygon.smoothed[0], polygon.smoothed[1]);
  polygon.normal = -polygon.normal;
  return polygon;
}

}  // namespace isopatch::reference
