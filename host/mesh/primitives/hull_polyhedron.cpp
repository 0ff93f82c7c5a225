// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/hull_polyhedron.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/convex_hull.h"

namespace isopatch::detail {
namespace {

using Indices = std::vector<std::int32_t>;

/// Facets whose normals differ by more are never one face: the sides of a thin plate are no part of its top.
constexpr double kSameSide = 0.5;

/// A merged hull whose inscribed ball is smaller than this many tolerances has lost its shape.
constexpr double kLeastDepth = 30;

/// Rounds of removal and a new hull; each removes what the one before has laid bare.
constexpr int kMaxMergings = 20;

/// Of points nearer to each other than `distance`, the first.
std::vector<Point3> apart(const std::vector<Point3>& points, double distance) {
  Indices order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return points[a] < points[b]; });
  std::vector<std::uint8_t> dropped(points.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (dropped[order[i]] != 0) continue;
    for (std::size_t j = i + 1; j < order.size() && points[order[j]][0] - points[order[i]][0] <= distance; ++j) {
      if (norm(points[order[j]] - points[order[i]]) <= distance) dropped[order[j]] = 1;
    }
  }
  std::vector<Point3> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (dropped[i] == 0) kept.push_back(points[i]);
  }
  return kept;
}

/// Twice the area of a polygon, as a vector.
Point3 twice_area(const Polyhedron& hull, const HullFace& face) {
  const Indices loop = sorted_around(face.corners, hull.corners, face.normal);
  const Point3& origin = hull.corners[loop[0]];
  Point3 sum{};
  for (std::size_t i = 2; i < loop.size(); ++i) {
    sum = sum + cross(hull.corners[loop[i - 1]] - origin, hull.corners[loop[i]] - origin);
  }
  return sum;
}

/// Of every facet, which others share an edge with it.
std::vector<Indices> neighbours_of(const Polyhedron& hull) {
  std::vector<Indices> faces_at(hull.corners.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    for (const std::int32_t v : hull.faces[f].corners) faces_at[v].push_back(static_cast<std::int32_t>(f));
  }
  std::vector<Indices> neighbours(hull.faces.size());
  std::vector<int> shared(hull.faces.size(), 0);
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    for (const std::int32_t v : hull.faces[f].corners) {
      for (const std::int32_t g : faces_at[v]) {
        if (++shared[g] == 2 && g != static_cast<std::int32_t>(f)) neighbours[f].push_back(g);
      }
    }
    for (const std::int32_t v : hull.faces[f].corners) {
      for (const std::int32_t g : faces_at[v]) shared[g] = 0;
    }
  }
  return neighbours;
}

/// For every facet the number of the face it belongs to. A face grows from a large facet over neighbours all of whose
/// corners are within `tolerance` of the large one's plane.
Indices grown_faces(const Polyhedron& hull, double tolerance) {
  const std::vector<Indices> neighbours = neighbours_of(hull);
  std::vector<double> area;
  for (const HullFace& face : hull.faces) area.push_back(norm(twice_area(hull, face)));
  Indices order(hull.faces.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return area[a] > area[b]; });
  Indices group(hull.faces.size(), -1);
  std::int32_t groups = 0;
  for (const std::int32_t seed : order) {
    if (group[seed] >= 0) continue;
    const HullFace& plane = hull.faces[seed];
    Indices todo = {seed};
    group[seed] = groups;
    while (!todo.empty()) {
      const std::int32_t f = todo.back();
      todo.pop_back();
      for (const std::int32_t g : neighbours[f]) {
        if (group[g] >= 0 || dot(hull.faces[g].normal, plane.normal) < kSameSide) continue;
        const auto& corners = hull.faces[g].corners;
        const bool level = std::all_of(corners.begin(), corners.end(), [&](std::int32_t v) {
          return std::fabs(hull.height(plane, hull.corners[v])) <= tolerance;
        });
        if (!level) continue;
        group[g] = groups;
        todo.push_back(g);
      }
    }
    ++groups;
  }
  return group;
}

/// The corners that are none of the merged polyhedron: in fewer than three faces, or opposite the longest edge of a
/// facet that is lower than `tolerance` there.
std::vector<std::uint8_t> needless_corners(const Polyhedron& hull, const Indices& group, double tolerance) {
  std::vector<Indices> faces_at(hull.corners.size());
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    for (const std::int32_t v : hull.faces[f].corners) {
      auto& at = faces_at[v];
      if (std::find(at.begin(), at.end(), group[f]) == at.end()) at.push_back(group[f]);
    }
  }
  std::vector<std::uint8_t> needless(hull.corners.size(), 0);
  for (std::size_t v = 0; v < needless.size(); ++v) needless[v] = faces_at[v].size() < 3 ? 1 : 0;
  for (const HullFace& face : hull.faces) {
    if (face.corners.size() != 3) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int32_t v = face.corners[i], a = face.corners[(i + 1) % 3], b = face.corners[(i + 2) % 3];
      const Point3 along = hull.corners[b] - hull.corners[a], to = hull.corners[v] - hull.corners[a];
      const double length = norm(along), at = dot(along, to) / length;
      if (!(at > 0 && at < length) || needless[a] != 0 || needless[b] != 0) continue;
      if (norm(cross(along, to)) / length <= tolerance) needless[v] = 1;
    }
  }
  return needless;
}

/// The centre of volume, which is well inside wherever the corners crowd.
Point3 centre_of(const Polyhedron& hull) {
  Point3 moment{};
  double sum = 0;
  for (const HullFace& face : hull.faces) {
    const Indices loop = sorted_around(face.corners, hull.corners, face.normal);
    const Point3 a = hull.corners[loop[0]] - hull.inside;
    for (std::size_t i = 2; i < loop.size(); ++i) {
      const Point3 b = hull.corners[loop[i - 1]] - hull.inside, c = hull.corners[loop[i]] - hull.inside;
      const double volume = std::fabs(dot(a, cross(b, c)));
      sum += volume;
      moment = moment + (volume / 4) * (a + b + c);
    }
  }
  return sum > 0 ? hull.inside + (1 / sum) * moment : hull.inside;
}

/// The faces that the groups are, each with the plane that fits its corners.
Polyhedron joined_faces(const Polyhedron& hull, const Indices& group) {
  Polyhedron merged = hull;
  merged.faces.clear();
  std::map<std::int32_t, std::vector<std::size_t>> members;
  for (std::size_t f = 0; f < group.size(); ++f) members[group[f]].push_back(f);
  for (const auto& [number, facets] : members) {
    if (facets.size() == 1) {
      merged.faces.push_back(hull.faces[facets[0]]);
      continue;
    }
    HullFace face;
    for (const std::size_t f : facets) {
      face.corners.insert(face.corners.end(), hull.faces[f].corners.begin(), hull.faces[f].corners.end());
    }
    std::sort(face.corners.begin(), face.corners.end());
    face.corners.erase(std::unique(face.corners.begin(), face.corners.end()), face.corners.end());
    face.normal = hull.faces[facets[0]].normal;
    const Point3 area = twice_area(hull, face);
    face.normal = (1 / norm(area)) * area;
    for (const std::int32_t v : face.corners) {
      face.offset += dot(face.normal, hull.corners[v]) / static_cast<double>(face.corners.size());
    }
    merged.faces.push_back(std::move(face));
  }
  return merged;
}

}  // namespace

double Polyhedron::height(const HullFace& face, const Point3& p) const { return face.offset - dot(face.normal, p); }

double Polyhedron::depth(const Point3& p) const {
  double least = height(faces[0], p);
  for (const HullFace& face : faces) least = std::min(least, height(face, p));
  return least;
}

Indices sorted_around(Indices polygon, const std::vector<Point3>& points, const Point3& normal) {
  const auto at = [&](std::int32_t v) { return points[v]; };
  Point3 middle{};
  for (const std::int32_t v : polygon) middle = middle + (1. / static_cast<double>(polygon.size())) * at(v);
  // the farthest vertex gives a stable first direction
  const std::int32_t far = *std::max_element(polygon.begin(), polygon.end(), [&](std::int32_t a, std::int32_t b) {
    return norm(at(a) - middle) < norm(at(b) - middle);
  });
  const Point3 u = at(far) - middle;
  const Point3 v = cross((1 / norm(normal)) * normal, u);
  const auto angle = [&](std::int32_t i) { return angle_order(dot(at(i) - middle, v), dot(at(i) - middle, u)); };
  std::sort(polygon.begin(), polygon.end(), [&](std::int32_t a, std::int32_t b) { return angle(a) < angle(b); });
  return polygon;
}

Polyhedron hull_polyhedron(const std::vector<Point3>& points) {
  std::vector<double> coordinates;
  for (const Point3& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
  const std::vector<HullFacet> facets = convex_hull(std::move(coordinates), 3);
  Polyhedron hull;
  std::map<std::int32_t, std::int32_t> corner_of;  // of the points that are corners: their index among these
  for (const HullFacet& facet : facets) {
    for (const std::int32_t v : facet.vertices) corner_of.try_emplace(v, 0);
  }
  for (auto& [point, corner] : corner_of) {
    corner = static_cast<std::int32_t>(hull.corners.size());
    hull.corners.push_back(points[point]);
    hull.inside = hull.inside + hull.corners.back();
  }
  if (facets.empty()) return hull;
  hull.inside = (1 / static_cast<double>(hull.corners.size())) * hull.inside;
  for (const HullFacet& facet : facets) {
    HullFace face{{facet.normal[0], facet.normal[1], facet.normal[2]}, facet.offset, {}};
    for (const std::int32_t v : facet.vertices) face.corners.push_back(corner_of[v]);
    std::sort(face.corners.begin(), face.corners.end());
    hull.faces.push_back(std::move(face));
  }
  return hull;
}

Polyhedron merged_polyhedron(const Polyhedron& exact, double tolerance) {
  Polyhedron hull = hull_polyhedron(apart(exact.corners, tolerance));
  for (int round = 0; round < kMaxMergings && !hull.faces.empty(); ++round) {
    hull.inside = centre_of(hull);
    if (!(hull.depth(hull.inside) > kLeastDepth * tolerance)) return {};
    const Indices group = grown_faces(hull, tolerance);
    const std::vector<std::uint8_t> needless = needless_corners(hull, group, tolerance);
    std::vector<Point3> kept;
    for (std::size_t v = 0; v < needless.size(); ++v) {
      if (needless[v] == 0) kept.push_back(hull.corners[v]);
    }
    if (kept.size() == hull.corners.size()) return joined_faces(hull, group);
    hull = hull_polyhedron(kept);
  }
  return {};
}

}  // namespace isopatch::detail
