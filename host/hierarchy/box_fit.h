// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {

/// Where the points of some cells lie at each extent: of every coordinate x, and of -x, the upper convex hull of the
/// points (extent, x). A cell is the convex hull of its vertices, with the extent as a fourth coordinate, so a line
/// over those of the vertices is over all of it.
class BoxFit {
 public:
  BoxFit() = default;
  explicit BoxFit(const Cell& cell);

  /// Of the cells of both.
  BoxFit(const BoxFit& a, const BoxFit& b);

  /// Fills in the box and the extents of a node: along each axis the two lines that leave the least between them at one
  /// of the extents. `reach` is the largest coordinate of the mesh: a line that would leave twice that before the
  /// extent is 0 gives way to a level one, so that the tests can be in float.
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
