// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pressure_field/polygon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace isopatch::reference {
namespace {

constexpr Real kSliver = 1e-12L;    // area over squared extent below which a polygon is a line
constexpr Real kPoint = 1e-15L;     // extent over element size below which a polygon is a point
constexpr Real kStraight = 1e-14L;  // height over extent below which a corner is part of an edge

/// An edge of the section is the crossing points of two tet edges that share a vertex.
struct Crossing {
  std::size_t from, to;
};

Vector3 crossing_point(const std::array<Vector3, 4>& vertices, const std::array<Real, 4>& d, Crossing edge) {
  const Real t = d[edge.from] / (d[edge.from] - d[edge.to]);
  return vertices[edge.from] + (vertices[edge.to] - vertices[edge.from]) * t;
}

Real longest_edge(const std::array<Vector3, 4>& vertices) {
  Real longest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < i; ++j) longest = std::max(longest, (vertices[i] - vertices[j]).norm());
  }
  return longest;
}

/// A long edge is most accurate from its two ends, a short one from the face. A face nearly parallel to the plane has a
/// long edge.
BoundingLine line_in_face(const Vector3& start, const Vector3& end, const Vector3& outward, const Vector3& normal,
                          Real size) {
  const Vector3 by_points = end - start;
  const Vector3 by_face = normal.cross(outward.normalized());
  return {start, by_points.norm() >= by_face.norm() * size ? by_points.normalized() : by_face.normalized()};
}

template <typename Distance>
VertexList keep_not_positive(const VertexList& subject, Distance distance) {
  VertexList kept;
  for (std::size_t k = 0; k < subject.size(); ++k) {
    const Vector3& here = subject[k];
    const Vector3& next = subject[(k + 1) % subject.size()];
    const Real d_here = distance(here);
    const Real d_next = distance(next);
    if (d_here <= 0) kept.push_back(here);
    if ((d_here < 0 && d_next > 0) || (d_here > 0 && d_next < 0)) {
      kept.push_back(here + (next - here) * (d_here / (d_here - d_next)));
    }
  }
  return kept;
}

Real extent(const VertexList& polygon) {
  Real longest = 0;
  for (const Vector3& x : polygon) {
    for (const Vector3& y : polygon) longest = std::max(longest, (x - y).norm());
  }
  return longest;
}

/// Lines of a and b often coincide (the zero-pressure faces of boundary tets meet the contact plane in one line), and
/// rounding then leaves vertices in the middle of an edge. They would change the triangles of a quadrature fan.
VertexList without_straight_corners(VertexList polygon) {
  const Real tolerance = kStraight * extent(polygon);
  for (std::size_t k = 0; k < polygon.size();) {
    const Vector3& before = polygon[(k + polygon.size() - 1) % polygon.size()];
    const Vector3& after = polygon[(k + 1) % polygon.size()];
    const Vector3 chord = after - before;
    const Vector3 offset = polygon[k] - before;
    const bool repeated = offset.norm() <= tolerance;
    if (repeated || chord.cross(offset).norm() <= tolerance * chord.norm()) {
      polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(k));
      k = k > 0 ? k - 1 : 0;  // the corner before has a new neighbour
    } else {
      ++k;
    }
  }
  return polygon;
}

Affine difference(const Affine& f, const Affine& g) {
  return {f.gradient - g.gradient, f.point, f.value - g.at(f.point)};
}

/// A prism with triangular ends and plane sides, corner k of one end joined to corner k of the other.
void add_prism(const SurfaceTriangle& a, const SurfaceTriangle& b, TetList& tets) {
  tets.push_back({a[0], a[1], a[2], b[0]});
  tets.push_back({a[1], a[2], b[0], b[1]});
  tets.push_back({a[2], b[0], b[1], b[2]});
}

/// The vertices of a tet by the sign of a function.
struct SortedTet {
  const TetVertices& tet;
  std::array<Real, 4> values;
  std::array<std::size_t, 4> order;  // from the front where it is positive, the others from the back
  std::size_t positive = 0;

  SortedTet(const TetVertices& vertices, const Affine& function) : tet(vertices) {
    std::size_t back = 4;
    for (std::size_t i = 0; i < 4; ++i) {
      values[i] = function.at(tet[i]);
      order[values[i] > 0 ? positive++ : --back] = i;
    }
  }
};

/// The part on the side of the first `count` vertices of `order`; the plane is between them and the others.
void add_part(const SortedTet& sorted, const std::array<std::size_t, 4>& order, std::size_t count, TetList& tets) {
  const auto corner = [&](std::size_t k) -> const Vector3& { return sorted.tet[order[k]]; };
  const auto cut = [&](std::size_t k, std::size_t l) -> Vector3 {
    const Real t = sorted.values[order[k]] / (sorted.values[order[k]] - sorted.values[order[l]]);
    return corner(k) + (corner(l) - corner(k)) * t;
  };
  switch (count) {
    case 1:
      tets.push_back({corner(0), cut(0, 1), cut(0, 2), cut(0, 3)});
      break;
    case 2:
      add_prism({corner(0), cut(0, 2), cut(0, 3)}, {corner(1), cut(1, 2), cut(1, 3)}, tets);
      break;
    case 3:
      add_prism({corner(0), corner(1), corner(2)}, {cut(0, 3), cut(1, 3), cut(2, 3)}, tets);
      break;
    case 4:
      tets.push_back(sorted.tet);
      break;
    default:
      break;
  }
}

}  // namespace

Section cut_tet(const std::array<Vector3, 4>& vertices, const std::array<Real, 4>& d, const Vector3& normal) {
  std::vector<std::size_t> above, below;
  for (std::size_t i = 0; i < 4; ++i) (d[i] > 0 ? above : below).push_back(i);
  if (above.empty() || below.empty()) return {};

  // crossed edges in cyclic order: neighbours share a vertex, hence a face
  std::vector<Crossing> crossings;
  if (above.size() == 2) {
    crossings = {{above[0], below[0]}, {above[0], below[1]}, {above[1], below[1]}, {above[1], below[0]}};
  } else {
    const auto& single = above.size() == 1 ? above : below;
    const auto& others = above.size() == 1 ? below : above;
    for (std::size_t j : others) crossings.push_back({single[0], j});
  }

  // the order above turns away from the first vertex in a positively oriented tet
  const bool single_below = below.size() == 1;
  std::vector<std::size_t> order = single_below ? below : above;
  const auto& rest = single_below ? above : below;
  order.insert(order.end(), rest.begin(), rest.end());
  const Vector3& origin = vertices[order[0]];
  const Real volume = (vertices[order[1]] - origin).cross(vertices[order[2]] - origin).dot(vertices[order[3]] - origin);
  if ((volume > 0) != single_below) std::reverse(crossings.begin(), crossings.end());

  Section section;
  for (const Crossing& edge : crossings) section.vertices.push_back(crossing_point(vertices, d, edge));

  const Real size = longest_edge(vertices);
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    const Crossing& e = crossings[k];
    const Crossing& f = crossings[(k + 1) % crossings.size()];
    std::array<bool, 4> in_face = {};
    for (std::size_t i : {e.from, e.to, f.from, f.to}) in_face[i] = true;
    const auto opposite = static_cast<std::size_t>(std::find(in_face.begin(), in_face.end(), false) - in_face.begin());
    const Vector3 outward = -barycentric(vertices, opposite).gradient;
    section.lines.push_back(
        line_in_face(section.vertices[k], section.vertices[(k + 1) % crossings.size()], outward, normal, size));
  }
  return section;
}

Section triangle_section(const SurfaceTriangle& triangle) {
  Section section;
  for (std::size_t k = 0; k < 3; ++k) {
    section.vertices.push_back(triangle[k]);
    section.lines.push_back({triangle[k], (triangle[(k + 1) % 3] - triangle[k]).normalized()});
  }
  return section;
}

VertexList clip(const VertexList& subject, const std::vector<BoundingLine>& lines, const Vector3& normal) {
  VertexList polygon = subject;
  for (const BoundingLine& line : lines) {
    const Vector3 outward = line.direction.cross(normal);
    polygon = keep_not_positive(polygon, [&](const Vector3& x) { return outward.dot(x - line.point); });
  }
  return without_straight_corners(std::move(polygon));
}

VertexList clip(const VertexList& subject, const Affine& function) {
  return keep_not_positive(subject, [&](const Vector3& x) { return function.at(x); });
}

bool is_degenerate(const VertexList& polygon, const Vector3& normal, Real size) {
  if (polygon.size() < 3) return true;
  const Real length = extent(polygon);
  if (!(length > kPoint * size)) return true;
  return !(moments(polygon, normal).area > kSliver * length * length);
}

PolygonMoments moments(const VertexList& polygon, const Vector3& normal) {
  PolygonMoments result;
  const Vector3& origin = polygon.front();
  Vector3 first = Vector3::Zero();
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
    const Vector3 u = polygon[k] - origin;
    const Vector3 v = polygon[k + 1] - origin;
    const Real area = u.cross(v).dot(normal) / 2;
    result.area += area;
    first += area / 3 * (u + v);
    result.second += area / 12 * (u * u.transpose() + v * v.transpose() + (u + v) * (u + v).transpose());
  }
  if (result.area > 0) {
    const Vector3 offset = first / result.area;
    result.centroid = origin + offset;
    result.second -= result.area * offset * offset.transpose();
  }
  return result;
}

TetList positive_part(const TetList& tets, const Affine& function) {
  TetList kept;
  for (const TetVertices& tet : tets) {
    const SortedTet sorted(tet, function);
    add_part(sorted, sorted.order, sorted.positive, kept);
  }
  return kept;
}

Parts cut(const TetList& tets, const Affine& function) {
  Parts parts;
  for (const TetVertices& tet : tets) {
    const SortedTet sorted(tet, function);
    add_part(sorted, sorted.order, sorted.positive, parts.positive);
    const std::array<std::size_t, 4> reversed = {sorted.order[3], sorted.order[2], sorted.order[1], sorted.order[0]};
    add_part(sorted, reversed, 4 - sorted.positive, parts.others);
  }
  return parts;
}

TetList intersection(const TetList& tets, const TetVertices& tet) {
  TetList kept = tets;
  for (std::size_t i = 0; i < 4 && !kept.empty(); ++i) kept = positive_part(kept, barycentric(tet, i));
  return kept;
}

Real integral(const TetList& tets, const Affine& function) {
  Real sum = 0;
  for (const TetVertices& x : tets) {
    const Real volume = std::abs((x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0])) / 6;
    sum += volume * function.at((x[0] + x[1] + x[2] + x[3]) / 4);
  }
  return sum;
}

Real integral_of_minimum(const TetList& tets, const Affine& f, const Affine& g) {
  const Parts parts = cut(tets, difference(f, g));
  return integral(parts.positive, g) + integral(parts.others, f);
}

}  // namespace isopatch::reference
