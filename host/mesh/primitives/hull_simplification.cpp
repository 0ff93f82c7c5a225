// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/hull_polyhedron.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/triangle_tree.h"

namespace isopatch::detail {
namespace {

/// Corners that stick out by more than this part of the most are added in one round.
constexpr double kSameRound = 0.25;

std::vector<Triangle> triangles_of(const Polyhedron& hull) {
  std::vector<Triangle> triangles;
  for (const HullFace& face : hull.faces) {
    const std::vector<std::int32_t> loop = sorted_around(face.corners, hull.corners, face.normal);
    for (std::size_t i = 2; i < loop.size(); ++i) triangles.push_back({loop[0], loop[i - 1], loop[i]});
  }
  return triangles;
}

/// Those of the corners that are outermost in the directions of a cube's faces, edges and corners.
std::vector<std::uint8_t> outermost(const std::vector<Point3>& corners) {
  std::vector<std::uint8_t> chosen(corners.size(), 0);
  for (const double x : {-1., 0., 1.}) {
    for (const double y : {-1., 0., 1.}) {
      for (const double z : {-1., 0., 1.}) {
        const Point3 along{x, y, z};
        const auto farthest = std::max_element(corners.begin(), corners.end(), [&](const Point3& a, const Point3& b) {
          return dot(along, a) < dot(along, b);
        });
        chosen[static_cast<std::size_t>(farthest - corners.begin())] = 1;
      }
    }
  }
  return chosen;
}

/// For each face of `hull` the corner that is highest above it, the highest first; none twice.
std::vector<std::pair<double, std::size_t>> farthest_above(const Polyhedron& hull, const std::vector<Point3>& corners) {
  std::vector<double> height(corners.size(), 0);
  for (const HullFace& face : hull.faces) {
    double most = 0;
    std::size_t farthest = 0;
    for (std::size_t v = 0; v < corners.size(); ++v) {
      const double above = -hull.height(face, corners[v]);
      if (above <= most) continue;
      most = above;
      farthest = v;
    }
    height[farthest] = std::max(height[farthest], most);
  }
  std::vector<std::pair<double, std::size_t>> above;
  for (std::size_t v = 0; v < corners.size(); ++v) {
    if (height[v] > 0) above.emplace_back(-height[v], v);
  }
  std::sort(above.begin(), above.end());
  for (auto& [order, v] : above) order = -order;
  return above;
}

}  // namespace

SimplerHull simplified(const Polyhedron& hull, std::size_t max_faces) {
  const std::size_t max_corners = max_faces / 2 + 2;  // Euler: triangles with so many corners are no more
  std::vector<std::uint8_t> chosen = outermost(hull.corners);
  for (;;) {
    std::vector<Point3> points;
    for (std::size_t v = 0; v < chosen.size(); ++v) {
      if (chosen[v] != 0) points.push_back(hull.corners[v]);
    }
    SimplerHull simpler{hull_polyhedron(points)};
    auto above = farthest_above(simpler.hull, hull.corners);
    std::erase_if(above, [&](const auto& corner) {
      return chosen[corner.second] != 0 || corner.first < kSameRound * above[0].first;
    });
    if (points.size() == max_corners || above.empty()) {
      const std::vector<Triangle> triangles = triangles_of(simpler.hull);
      const TriangleTree tree(simpler.hull.corners, triangles);
      for (std::size_t v = 0; v < chosen.size(); ++v) {
        if (chosen[v] != 0) continue;
        simpler.distance = std::max(simpler.distance, std::sqrt(tree.squared_distance(hull.corners[v])));
      }
      return simpler;
    }
    above.resize(std::min(above.size(), max_corners - points.size()));
    for (const auto& [height, v] : above) chosen[v] = 1;
  }
}

}  // namespace isopatch::detail
