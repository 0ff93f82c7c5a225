// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {

/// The largest float not above x. Exact values stay as they are: the float below 0 is subnormal, which is slow on some
/// processors.
float below(double x);

/// The smallest float not below x.
float above(double x);

/// Bounds the points of some cells at each extent: for every coordinate x, and for -x, the upper convex hull of the
/// points (extent, x) of all vertices. With the extent as a fourth coordinate a cell is the convex hull of its
/// vertices, so a line above all vertices is above all of the cell.
class BoxFit {
 public:
  BoxFit() = default;
  explicit BoxFit(const Cell& cell);

  /// Bounds the cells of both.
  BoxFit(const BoxFit& a, const BoxFit& b);

  /// Fills in the box and the extents of a node: along each axis, the two lines that are nearest to each other at one
  /// of the extents. `reach` is the largest coordinate of the mesh: a line that would exceed twice that before extent 0
  /// is replaced by a horizontal one, so that the tests can be in float.
  void write(Node& node, double reach) const;

 private:
  struct Point {
    double extent, x;
  };
  using Hull = std::span<const Point>;  // extents ascend

  struct Line {
    double start, slope;  // x = start + slope * extent
  };

  Hull hull(std::size_t i) const { return Hull(points_).subspan(begin_[i], begin_[i + 1] - begin_[i]); }
  void add(std::size_t begin, const Point& p);
  static Line line_over(Hull hull, double at, double steepest);

  std::vector<Point> points_;  // of the hulls of x, -x, y, -y, z and -z, one after the other
  std::array<std::size_t, 7> begin_ = {};
};

}  // namespace isopatch::detail
