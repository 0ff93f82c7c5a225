// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/distances.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace isopatch::reference::polytope {
namespace {

/// Of the sine between two segments: below it they are parallel, and their ends are as near as anything between.
constexpr Real kParallel = 1e-12L;

const Vector3& vertex(const ConvexShape& shape, int v) { return shape.vertices[static_cast<std::size_t>(v)]; }

using Points = std::vector<Vector3>;
using Sides = Eigen::Matrix<Real, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 3>;

constexpr Real kTouching = 1e-17L;   // of the size
constexpr Real kDependent = 1e-15L;  // of the sides of a simplex
constexpr int kMaxTurns = 1000;

/// The point nearest to the origin of the flat through some points, if it lies between them.
std::optional<Vector3> nearest_in_flat(const Points& points) {
  const auto count = static_cast<Eigen::Index>(points.size()) - 1;
  if (count == 0) return points[0];
  Sides sides(3, count);
  for (Eigen::Index k = 0; k < count; ++k) sides.col(k) = points[static_cast<std::size_t>(k) + 1] - points[0];
  Eigen::ColPivHouseholderQR<Sides> qr(sides);
  qr.setThreshold(kDependent);
  if (qr.rank() < count) return {};
  const Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1> weights = qr.solve(-points[0]);
  if (weights.minCoeff() < 0 || weights.sum() > 1) return {};
  const Vector3 nearest = points[0] + sides * weights;
  return nearest - sides * qr.solve(nearest);  // normal to the flat, however near that is
}

/// The point nearest to the origin of a simplex, which keeps only the corners between which it lies. The last corner is
/// one of them: without it, the nearest point is known.
Vector3 nearest_in_simplex(Points& simplex) {
  Points best;
  Vector3 nearest = Vector3::Zero();
  for (unsigned others = 0; others < 1u << (simplex.size() - 1); ++others) {
    Points points = {simplex.back()};
    for (std::size_t k = 0; k + 1 < simplex.size(); ++k) {
      if ((others >> k & 1u) != 0) points.push_back(simplex[k]);
    }
    const std::optional<Vector3> candidate = nearest_in_flat(points);
    if (candidate && (best.empty() || candidate->norm() < nearest.norm())) {
      nearest = *candidate;
      best = points;
    }
  }
  simplex = best;
  return nearest;
}

/// The vertex that is farthest in a direction.
Vector3 farthest(const ConvexShape& shape, const Vector3& direction) {
  return *std::max_element(shape.vertices.begin(), shape.vertices.end(),
                           [&](const Vector3& x, const Vector3& y) { return direction.dot(x) < direction.dot(y); });
}

}  // namespace

ClosestOfLines closest_of_lines(const Vector3& x, const Vector3& u, const Vector3& y, const Vector3& v) {
  const Vector3 normal = u.cross(v), way = y - x;
  const Real square = normal.squaredNorm();
  return {way.cross(v).dot(normal) / square, way.cross(u).dot(normal) / square};
}

Real point_segment_distance(const Vector3& x, const Vector3& from, const Vector3& to) {
  const Vector3 way = to - from;
  const Real along = std::clamp<Real>(way.dot(x - from) / way.squaredNorm(), 0, 1);
  return (x - from - along * way).norm();
}

Real segment_distance(const Vector3& from, const Vector3& to, const Vector3& other_from, const Vector3& other_to) {
  Real least = std::min(
      std::min(point_segment_distance(from, other_from, other_to), point_segment_distance(to, other_from, other_to)),
      std::min(point_segment_distance(other_from, from, to), point_segment_distance(other_to, from, to)));
  const Vector3 u = to - from, v = other_to - other_from;
  if (u.cross(v).norm() > kParallel * u.norm() * v.norm()) {
    const ClosestOfLines closest = closest_of_lines(from, u, other_from, v);
    if (closest.s >= 0 && closest.s <= 1 && closest.t >= 0 && closest.t <= 1) {
      least = std::min(least, std::abs(u.cross(v).normalized().dot(other_from - from)));
    }
  }
  return least;
}

Real face_distance(const Vector3& x, const ConvexShape& shape, int face) {
  const ConvexFace& f = shape.faces[static_cast<std::size_t>(face)];
  const std::size_t corners = f.loop.size();
  if (corners == 2) return point_segment_distance(x, vertex(shape, f.loop[0]), vertex(shape, f.loop[1]));
  bool is_foot_inside = true;
  Real to_edges = std::numeric_limits<Real>::infinity();
  for (std::size_t l = 0; l < corners; ++l) {
    const Vector3 &from = vertex(shape, f.loop[l]), &to = vertex(shape, f.loop[(l + 1) % corners]);
    if (f.normal.cross(to - from).dot(x - from) < 0) is_foot_inside = false;
    to_edges = std::min(to_edges, point_segment_distance(x, from, to));
  }
  return is_foot_inside ? std::abs(f.normal.dot(x - f.point)) : to_edges;
}

Real edge_distance(const Vector3& x, const ConvexShape& shape, int edge) {
  const ConvexEdge& e = shape.edges[static_cast<std::size_t>(edge)];
  return point_segment_distance(x, vertex(shape, e.i), vertex(shape, e.j));
}

Real edge_distance(const ConvexShape& a, int edge_a, const ConvexShape& b, int edge_b) {
  const ConvexEdge &e = a.edges[static_cast<std::size_t>(edge_a)], &f = b.edges[static_cast<std::size_t>(edge_b)];
  return segment_distance(vertex(a, e.i), vertex(a, e.j), vertex(b, f.i), vertex(b, f.j));
}

HullDistance hull_distance(const ConvexShape& a, const ConvexShape& b) {
  const Real size = size_of(a) + size_of(b);
  Points simplex = {a.vertices[0] - b.vertices[0]};
  Vector3 x = simplex[0];
  HullDistance distance;
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    distance.at_most = x.norm();
    if (distance.at_most <= kTouching * size) return distance;
    distance.normal = x.normalized();
    const Vector3 next = farthest(a, -distance.normal) - farthest(b, distance.normal);
    distance.at_least = std::max(distance.at_least, distance.normal.dot(next));
    simplex.push_back(next);
    const Vector3 nearer = nearest_in_simplex(simplex);
    if (nearer.norm() >= x.norm()) return distance;
    x = nearer;
  }
  return distance;
}

}  // namespace isopatch::reference::polytope
