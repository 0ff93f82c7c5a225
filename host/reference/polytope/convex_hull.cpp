// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "isopatch/error.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kSameAngle = 1e-6L;
constexpr Real kSameDistance = 1e-9L;  // of the size

Real diagonal_of(const std::vector<Vector3>& points) {
  Box box;
  for (const Vector3& point : points) box.add(point);
  return box.diagonal();
}

/// The corners of points in a plane, counter-clockwise seen against the normal, by trying which point comes next: all
/// others are on the left of the way there. From the lowest index.
std::vector<int> loop_around(const std::vector<Vector3>& points, const std::vector<int>& members, const Vector3& normal,
                             Real tolerance) {
  const auto point = [&](int k) -> const Vector3& { return points[static_cast<std::size_t>(k)]; };
  const auto follows = [&](int from, int to) {
    const Vector3 way = (point(to) - point(from)).normalized();
    const Vector3 left = normal.cross(way);
    for (int other : members) {
      const Vector3 there = point(other) - point(from);
      const Real beside = left.dot(there), along = way.dot(there);
      if (beside < -tolerance) return false;
      const bool on_line = beside <= tolerance;
      if (on_line && (along > way.dot(point(to) - point(from)) + tolerance || along < -tolerance)) return false;
    }
    return true;
  };
  const auto next_of = [&](int from) -> std::optional<int> {
    for (int to : members) {
      if ((point(to) - point(from)).norm() > tolerance && follows(from, to)) return to;
    }
    return {};
  };
  for (int first : members) {
    std::vector<int> loop = {first};
    while (loop.size() <= members.size()) {
      const std::optional<int> next = next_of(loop.back());
      if (!next) break;  // the first one is no corner
      if (*next == first) return loop;
      loop.push_back(*next);
    }
  }
  return {};
}

struct Plane {
  Vector3 normal;
  std::vector<int> members;  // the points on it
};

/// The plane through three points if all others are on one side of it.
std::optional<Plane> plane_through(const std::vector<Vector3>& points, std::array<std::size_t, 3> three, Real size) {
  const Vector3 u = points[three[1]] - points[three[0]], v = points[three[2]] - points[three[0]];
  const Vector3 cross = u.cross(v);
  if (cross.norm() <= kSameDistance * size * std::max(u.norm(), v.norm())) return {};
  Plane plane = {cross.normalized(), {}};
  bool above = false, below = false;
  for (std::size_t k = 0; k < points.size() && !(above && below); ++k) {
    const Real height = plane.normal.dot(points[k] - points[three[0]]);
    above |= height > kSameDistance * size;
    below |= height < -kSameDistance * size;
    if (std::abs(height) <= kSameDistance * size) plane.members.push_back(static_cast<int>(k));
  }
  if (above && below) return {};
  if (above) plane.normal = -plane.normal;
  return plane;
}

}  // namespace

ConvexShape convex_hull(const std::vector<Vector3>& points) {
  const Real size = diagonal_of(points);
  std::vector<Plane> planes;
  const auto is_known = [&](const Plane& plane) {
    return std::any_of(planes.begin(), planes.end(), [&](const Plane& other) {
      if (plane.members == other.members) return true;
      const Vector3& base = points[static_cast<std::size_t>(other.members[0])];
      const bool in_plane = std::all_of(plane.members.begin(), plane.members.end(), [&](int k) {
        return std::abs(other.normal.dot(points[static_cast<std::size_t>(k)] - base)) <= kSameDistance * size;
      });
      return in_plane && plane.normal.cross(other.normal).norm() < kSameAngle && plane.normal.dot(other.normal) > 0;
    });
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        const std::optional<Plane> plane = plane_through(points, {i, j, k}, size);
        if (!plane || is_known(*plane)) continue;
        if (plane->members.size() == points.size()) throw Error("the points of a convex hull lie in a plane");
        planes.push_back(*plane);
      }
    }
  }

  std::vector<std::vector<int>> loops;
  std::vector<int> corners;
  for (const Plane& plane : planes) {
    const std::vector<int> loop = loop_around(points, plane.members, plane.normal, kSameDistance * size);
    if (loop.size() < 3) throw Error("a face of a convex hull is too thin");
    loops.push_back(loop);
    corners.insert(corners.end(), loop.begin(), loop.end());
  }
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  std::vector<Vector3> vertices;
  for (int corner : corners) vertices.push_back(points[static_cast<std::size_t>(corner)]);
  for (std::vector<int>& loop : loops) {
    for (int& v : loop) v = static_cast<int>(std::lower_bound(corners.begin(), corners.end(), v) - corners.begin());
  }
  std::sort(loops.begin(), loops.end());
  return polyhedron(vertices, loops);
}

ConvexShape convex_polygon(const std::vector<Vector3>& points) {
  std::vector<int> all(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) all[k] = static_cast<int>(k);
  std::sort(all.begin(), all.end(), [&](int a, int b) {
    const Vector3 &p = points[static_cast<std::size_t>(a)], &q = points[static_cast<std::size_t>(b)];
    return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y();
  });
  const std::vector<int> loop = loop_around(points, all, Vector3::UnitZ(), kSameDistance * diagonal_of(points));
  if (loop.size() < 3) throw Error("the points of a convex polygon lie on a line");
  std::vector<Vector3> vertices;
  for (int k : loop) vertices.push_back(points[static_cast<std::size_t>(k)]);
  return polygon(vertices);
}

ConvexShape prism(const ConvexShape& polygon, Real height) {
  const std::size_t count = polygon.vertices.size();
  std::vector<Vector3> vertices;
  std::vector<int> bottom, top;
  for (Real side : {-1, 1}) {
    for (const Vector3& v : polygon.vertices) vertices.emplace_back(v.x(), v.y(), side * height / 2);
  }
  for (std::size_t k = 0; k < count; ++k) {
    bottom.push_back(static_cast<int>(count - 1 - k));
    top.push_back(static_cast<int>(count + k));
  }
  std::vector<std::vector<int>> loops = {bottom, top};
  for (std::size_t k = 0; k < count; ++k) {
    const int a = static_cast<int>(k), b = static_cast<int>((k + 1) % count), above = static_cast<int>(count);
    loops.push_back({a, b, b + above, a + above});
  }
  return polyhedron(vertices, loops);
}

ConvexShape box(const Vector3& sides) {
  const Real x = sides.x() / 2, y = sides.y() / 2;
  return prism(rectangle(-x, -y, x, y), sides.z());
}

ConvexShape rectangle(Real left, Real bottom, Real right, Real top) {
  return polygon({{left, bottom, 0}, {right, bottom, 0}, {right, top, 0}, {left, top, 0}});
}

}  // namespace isopatch::reference::polytope
