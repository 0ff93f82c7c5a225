// SPDX-License-Identifier: Apache-2.0
//
// Convex shapes at random poses, for comparisons of the reference with itself and of others with it.
#pragma once

#include <random>

#include "host/reference/polytope/convex_hull.h"
#include "host/reference/polytope/distances.h"

namespace isopatch::reference::polytope {

class RandomShapes {
 public:
  explicit RandomShapes(unsigned seed) : random_(seed) {}

  Real uniform(Real from, Real to);
  int integer(int from, int to);  // both included
  Vector3 normal_point(bool is_planar);
  Vector3 direction(bool is_planar);
  Matrix3 rotation(bool is_planar);

  /// The hull of as many normal points.
  ConvexShape hull(int points, bool is_planar);

  /// A hull of up to 64 faces, stretched along its x axis by up to the aspect, turned.
  ConvexShape stretched_hull(bool is_planar, Real aspect);

  /// A shape shifted until its distance from another is the gap.
  ConvexShape at_distance(const ConvexShape& a, const ConvexShape& b, Real gap);

  /// A shape that comes along a line towards another until their distance is the gap. A random point of it would meet
  /// a random point of the other.
  ConvexShape approached(const ConvexShape& a, const ConvexShape& b, Real gap);

  /// A point in a shape.
  Vector3 inner_point(const ConvexShape& shape);

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

inline ConvexShape shifted(const ConvexShape& shape, const Vector3& shift) {
  return moved(shape, {Matrix3::Identity(), shift});
}

/// About an axis through the origin.
inline ConvexShape turned(const ConvexShape& shape, Real angle, const Vector3& axis) {
  return moved(shape, {Eigen::AngleAxis<Real>(angle, axis).toRotationMatrix(), Vector3::Zero()});
}

}  // namespace isopatch::reference::polytope
