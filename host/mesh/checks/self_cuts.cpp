// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/checks/self_cuts.h"

#include <algorithm>
#include <cmath>

#include "host/mesh/checks/triangle_tree.h"
#include "host/mesh/math/point_math.h"

namespace isopatch::detail {
namespace {

/// Relative to the size of the mesh: above the rounding of coordinates, below any intended detail.
constexpr double kMargin = 1e-9;

/// The most pairs of neighbouring triangles that are tested, per triangle; a good mesh has 10 to 50.
constexpr std::size_t kMaxPairs = 500;

using Corners = std::array<Point3, 3>;

/// The heights of `other` over the plane of a triangle, and whether they are on both sides.
struct Sides {
  std::array<double, 3> height;
  bool both;
};

Sides sides_of(const Corners& triangle, const Point3& unit_normal, const Corners& other, double margin) {
  Sides sides = {};
  for (std::size_t i = 0; i < 3; ++i) sides.height[i] = dot(unit_normal, other[i] - triangle[0]);
  const auto ends = std::minmax_element(sides.height.begin(), sides.height.end());
  const double lowest = *ends.first, highest = *ends.second;
  sides.both = lowest < -margin && highest > margin;
  return sides;
}

Point3 unit_normal(const Corners& t) {
  const Point3 n = cross(t[1] - t[0], t[2] - t[0]);
  return (1 / norm(n)) * n;
}

/// Whether p, in the triangle's plane, is inside the triangle and farther than `margin` from its edges.
bool is_well_inside(const Corners& t, const Point3& normal, const Point3& p, double margin) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Point3 edge = t[(i + 1) % 3] - t[i];
    if (!(dot(cross(normal, edge), p - t[i]) > margin * norm(edge))) return false;
  }
  return true;
}

/// Whether an edge of `other` passes through the triangle.
bool is_pierced(const Corners& triangle, const Point3& normal, const Corners& other, const Sides& sides,
                double margin) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t k = (i + 1) % 3;
    const double a = sides.height[i], b = sides.height[k];
    if (!(std::min(a, b) < -margin && std::max(a, b) > margin)) continue;
    if (is_well_inside(triangle, normal, other[i] + (a / (a - b)) * (other[k] - other[i]), margin)) return true;
  }
  return false;
}

bool cut_each_other(const Corners& a, const Corners& b, double margin) {
  const Point3 normal_a = unit_normal(a);
  const Sides of_b = sides_of(a, normal_a, b, margin);
  if (!of_b.both) return false;
  const Point3 normal_b = unit_normal(b);
  const Sides of_a = sides_of(b, normal_b, a, margin);
  if (!of_a.both) return false;
  return is_pierced(a, normal_a, b, of_b, margin) || is_pierced(b, normal_b, a, of_a, margin);
}

struct Box {
  Point3 low, high;
};

std::vector<Box> boxes_of(const std::vector<Point3>& points, const std::vector<Triangle>& triangles) {
  std::vector<Box> boxes;
  boxes.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    const auto at = [&](std::size_t i) { return points[static_cast<std::size_t>(t[i])]; };
    Box box = {at(0), at(0)};
    for (std::size_t i = 1; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], at(i)[k]);
        box.high[k] = std::max(box.high[k], at(i)[k]);
      }
    }
    boxes.push_back(box);
  }
  return boxes;
}

bool overlap(const Box& a, const Box& b) {
  return a.low[0] <= b.high[0] && b.low[0] <= a.high[0] && a.low[1] <= b.high[1] && b.low[1] <= a.high[1] &&
         a.low[2] <= b.high[2] && b.low[2] <= a.high[2];
}

bool share_a_vertex(const Triangle& a, const Triangle& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

SelfCuts find_self_cuts(const std::vector<Point3>& points, const std::vector<Triangle>& triangles, double size) {
  SelfCuts cuts;
  if (triangles.empty()) return cuts;
  const auto corners = [&](std::size_t t) {
    const auto at = [&](std::size_t i) { return points[static_cast<std::size_t>(triangles[t][i])]; };
    return Corners{at(0), at(1), at(2)};
  };
  const std::vector<Box> boxes = boxes_of(points, triangles);
  std::vector<std::uint8_t> is_cut(triangles.size(), 0);
  std::size_t left = kMaxPairs * triangles.size();
  TriangleTree(points, triangles).for_each_near_pair([&](std::size_t a, std::size_t b) {
    if (left-- == 0) return false;
    if (!overlap(boxes[a], boxes[b]) || share_a_vertex(triangles[a], triangles[b]) ||
        !cut_each_other(corners(a), corners(b), kMargin * size)) {
      return true;
    }
    is_cut[a] = is_cut[b] = 1;
    const std::array<std::int64_t, 2> pair = {static_cast<std::int64_t>(std::min(a, b)),
                                              static_cast<std::int64_t>(std::max(a, b))};
    if (cuts.first[0] < 0 || pair < cuts.first) cuts.first = pair;
    return true;
  });
  cuts.triangles = std::count(is_cut.begin(), is_cut.end(), 1);
  return cuts;
}

}  // namespace isopatch::detail
