// SPDX-License-Identifier: Apache-2.0
//
// A bounding-box tree over triangles, for the distance from a point.
#pragma once

#include <vector>

#include "isopatch/mesh.h"

namespace isopatch {

/// Squared distance from `p` to the triangle (a,b,c), which may be degenerate.
double squared_distance_to_triangle(const Point3& p, const Point3& a, const Point3& b, const Point3& c);

class TriangleTree {
 public:
  /// Keeps references to both; at least one triangle.
  TriangleTree(const std::vector<Point3>& points, const std::vector<Triangle>& triangles);

  /// Squared distance from `p` to the nearest triangle.
  double squared_distance(const Point3& p) const;

 private:
  struct Node {
    Point3 lower;
    Point3 upper;
    std::size_t begin;  // its triangles are order_[begin, end)
    std::size_t end;
    std::size_t right;  // index of the second child, the first follows its parent; 0 in a leaf
  };

  void build(std::size_t begin, std::size_t end);
  Node bound(std::size_t begin, std::size_t end) const;
  void search(std::size_t node, const Point3& p, double& best) const;
  static double squared_distance_to_box(const Node& node, const Point3& p);
  const Point3& corner(std::size_t triangle, std::size_t i) const {
    return points_[static_cast<std::size_t>(triangles_[triangle][i])];
  }

  const std::vector<Point3>& points_;
  const std::vector<Triangle>& triangles_;
  std::vector<std::size_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace isopatch
