// SPDX-License-Identifier: Apache-2.0
//
// A bounding-box tree over triangles, for the distance from a point and for triangles near each other.
#pragma once

#include <vector>

#include "host/mesh/math/point_math.h"

namespace isopatch::detail {

/// Squared distance from `p` to the triangle (a,b,c), which may be degenerate.
double squared_distance_to_triangle(const Point3& p, const Point3& a, const Point3& b, const Point3& c);

class TriangleTree {
 public:
  /// Keeps references to both. There is at least one triangle.
  TriangleTree(const std::vector<Point3>& points, const std::vector<Triangle>& triangles);

  /// Squared distance from `p` to the nearest triangle.
  double squared_distance(const Point3& p) const;

  /// Calls visit(a) for every triangle whose box a ray from `p` along x meets, and for others near it.
  template <class Visit>
  void for_each_near_ray(const Point3& p, const Visit& visit) const {
    visit_ray(0, p, visit);
  }

  /// Calls visit(a, b) once for every two triangles whose boxes, or the boxes of the few triangles in their leaves,
  /// overlap. The order depends on the triangles alone. Ends when visit() returns false.
  template <class Visit>
  void for_each_near_pair(const Visit& visit) const {
    visit_within(0, visit);
  }

 private:
  struct Node {
    Box box;
    std::size_t begin;  // its triangles are order_[begin, end)
    std::size_t end;
    std::size_t right;  // index of the second child, the first follows its parent; 0 in a leaf
  };

  void build(std::size_t begin, std::size_t end);
  Node bound(std::size_t begin, std::size_t end) const;
  void search(std::size_t node, const Point3& p, double& best) const;

  bool is_leaf(std::size_t node) const { return nodes_[node].right == 0; }

  template <class Visit>
  void visit_ray(std::size_t at, const Point3& p, const Visit& visit) const {
    const Node& node = nodes_[at];
    const bool passes = p[0] > node.box.high[0] || p[1] < node.box.low[1] || p[1] > node.box.high[1] ||
                        p[2] < node.box.low[2] || p[2] > node.box.high[2];
    if (passes) return;
    if (is_leaf(at)) {
      for (std::size_t t = node.begin; t < node.end; ++t) visit(order_[t]);
      return;
    }
    visit_ray(at + 1, p, visit);
    visit_ray(node.right, p, visit);
  }

  template <class Visit>
  bool visit_within(std::size_t at, const Visit& visit) const {
    const Node& node = nodes_[at];
    if (!is_leaf(at)) {
      return visit_within(at + 1, visit) && visit_within(node.right, visit) && visit_between(at + 1, node.right, visit);
    }
    for (std::size_t a = node.begin; a < node.end; ++a) {
      for (std::size_t b = node.begin; b < a; ++b) {
        if (!visit(order_[a], order_[b])) return false;
      }
    }
    return true;
  }

  template <class Visit>
  bool visit_between(std::size_t left, std::size_t right, const Visit& visit) const {
    const Node &l = nodes_[left], &r = nodes_[right];
    if (!l.box.overlaps(r.box)) return true;
    if (is_leaf(left) && is_leaf(right)) {
      for (std::size_t a = l.begin; a < l.end; ++a) {
        for (std::size_t b = r.begin; b < r.end; ++b) {
          if (!visit(order_[a], order_[b])) return false;
        }
      }
      return true;
    }
    if (is_leaf(right) || (!is_leaf(left) && l.end - l.begin >= r.end - r.begin)) {
      return visit_between(left + 1, right, visit) && visit_between(l.right, right, visit);
    }
    return visit_between(left, right + 1, visit) && visit_between(left, r.right, visit);
  }

  static double squared_distance_to_box(const Node& node, const Point3& p);
  const Point3& corner(std::size_t triangle, std::size_t i) const { return points_[triangles_[triangle][i]]; }

  const std::vector<Point3>& points_;
  const std::vector<Triangle>& triangles_;
  std::vector<std::size_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace isopatch::detail
