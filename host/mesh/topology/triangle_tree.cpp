// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/triangle_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "host/threads/work_counter.h"

namespace isopatch::detail {
namespace {

constexpr std::size_t kLeafSize = 4;
constexpr std::size_t kLarge = 4096;  // triangles whose tree takes some milliseconds

double squared_distance_to_segment(const Point3& p, const Point3& a, const Point3& b) {
  const Point3 edge = b - a;
  const Point3 to_p = p - a;
  const double along = dot(to_p, edge);
  const double length2 = dot(edge, edge);
  if (!(along > 0)) return dot(to_p, to_p);
  if (along >= length2) return dot(p - b, p - b);
  const Point3 off = to_p - (along / length2) * edge;
  return dot(off, off);
}

}  // namespace

double squared_distance_to_triangle(const Point3& p, const Point3& a, const Point3& b, const Point3& c) {
  const Point3 normal = cross(b - a, c - a);
  const bool above = dot(cross(normal, b - a), p - a) >= 0 && dot(cross(normal, c - b), p - b) >= 0 &&
                     dot(cross(normal, a - c), p - c) >= 0;
  const double normal2 = dot(normal, normal);
  if (above && normal2 > 0) {
    const double height = dot(p - a, normal);
    return height * height / normal2;
  }
  return std::min({squared_distance_to_segment(p, a, b), squared_distance_to_segment(p, b, c),
                   squared_distance_to_segment(p, c, a)});
}

TriangleTree::TriangleTree(const std::vector<Point3>& points, const std::vector<Triangle>& triangles)
    : points_(points), triangles_(triangles), order_(triangles.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  build(0, order_.size());
}

TriangleTree::Node TriangleTree::bound(std::size_t begin, std::size_t end) const {
  Node node{{}, begin, end, 0};
  for (std::size_t t = begin; t < end; ++t) {
    for (std::size_t i = 0; i < 3; ++i) node.box.add(corner(order_[t], i));
  }
  return node;
}

/// Halves the triangles at the median of their centres along the longest side, so the depth is log2 of their count.
void TriangleTree::build(std::size_t begin, std::size_t end) {
  const std::size_t index = nodes_.size();
  nodes_.push_back(bound(begin, end));
  if (end - begin <= kLeafSize) return;
  if (end - begin > kLarge) check_cancelled();

  const Point3 side = nodes_[index].box.high - nodes_[index].box.low;
  const auto axis = static_cast<std::size_t>(std::max_element(side.begin(), side.end()) - side.begin());
  const auto key = [&](std::size_t t) { return corner(t, 0)[axis] + corner(t, 1)[axis] + corner(t, 2)[axis]; };
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });

  build(begin, middle);
  nodes_[index].right = nodes_.size();
  build(middle, end);
}

double TriangleTree::squared_distance_to_box(const Node& node, const Point3& p) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double off = std::max({node.box.low[k] - p[k], p[k] - node.box.high[k], 0.0});
    sum += off * off;
  }
  return sum;
}

void TriangleTree::search(std::size_t index, const Point3& p, double& best) const {
  const Node& node = nodes_[index];
  if (node.right == 0) {
    for (std::size_t t = node.begin; t < node.end; ++t) {
      const std::size_t triangle = order_[t];
      best = std::min(best,
                      squared_distance_to_triangle(p, corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)));
    }
    return;
  }
  std::array<std::pair<double, std::size_t>, 2> child;
  child[0] = {squared_distance_to_box(nodes_[index + 1], p), index + 1};
  child[1] = {squared_distance_to_box(nodes_[node.right], p), node.right};
  if (child[1].first < child[0].first) std::swap(child[0], child[1]);
  for (const auto& [distance2, next] : child) {
    if (distance2 < best) search(next, p, best);
  }
}

double TriangleTree::squared_distance(const Point3& p) const {
  double best = std::numeric_limits<double>::infinity();
  search(0, p, best);
  return best;
}

}  // namespace isopatch::detail
