// SPDX-License-Identifier: Apache-2.0
//
// Three points in place of a polygon, of a third of its area each: they have its area, centroid and second moments. So
// force, moment and stiffness of an affine pressure are those of the polygon, also against rocking, which one point at
// the centroid does not resist.
//
// With C the covariance of the polygon, its integral of (x - c)(x - c)^T over the area, the points are
//
//   c + sqrt(2) C^(1/2) e,   e = (1, 0), (-1/2, sqrt(3)/2), (-1/2, -sqrt(3)/2)
//
// They are on the ellipse with the polygon's moments, which a convex polygon contains.
#pragma once

#include "isopatch/detail/polygon/clip.h"

namespace isopatch::detail {

/// The directions e of the three points.
struct PointDirections {
  static constexpr int kPoints = 3;

  ISOPATCH_HD static double x(int point) { return point == 0 ? 1.0 : -0.5; }
  ISOPATCH_HD static double y(int point) { return point == 0 ? 0.0 : point == 1 ? kHalfRoot3 : -kHalfRoot3; }

 private:
  static constexpr double kHalfRoot3 = 0.86602540378443865;
};

/// Two columns of a symmetric matrix of two rows, in the axes of a plane.
template <class T>
struct PlaneArms {
  T xx, xy, yy;
};

/// sqrt(2) C^(1/2) of a polygon with these moments about any point; by the closed form of the root of a symmetric
/// matrix, (C + r 1) / sqrt(tr C + 2 r) with r = sqrt(det C). False for a polygon that is not wider than rounding in
/// any direction.
template <class T>
ISOPATCH_HD MaskOf<T> matched_arms(const AreaMoments<T>& m, PlaneArms<T>& arms) {
  const T x = m.x / m.one, y = m.y / m.one;
  const T xx = fma(-x, x, m.xx / m.one), xy = fma(-x, y, m.xy / m.one), yy = fma(-y, y, m.yy / m.one);
  const T determinant = fma(xx, yy, -(xy * xy));
  const T root = select(determinant > T(0), sqrt(determinant), T(0));
  const T square = xx + yy + T(2) * root;
  const T factor = sqrt(T(2) / square);
  arms = {factor * (xx + root), factor * xy, factor * (yy + root)};
  return square > T(0);
}

}  // namespace isopatch::detail
