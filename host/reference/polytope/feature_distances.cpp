// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/feature_distances.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace isopatch::reference::polytope {
namespace {

/// Of the sine between two segments: below it they are parallel, and their ends are as near as anything between.
constexpr Real kParallel = 1e-12L;

const Vector3& vertex(const ConvexShape& shape, int v) { return shape.vertices[static_cast<std::size_t>(v)]; }

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

}  // namespace isopatch::reference::polytope
