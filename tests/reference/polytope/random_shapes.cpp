// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/polytope/random_shapes.h"

#include <cmath>
#include <numbers>

#include "isopatch/error.h"

namespace isopatch::reference::polytope {

Real RandomShapes::uniform(Real from, Real to) {
  return from + (to - from) * std::uniform_real_distribution<double>(0, 1)(random_);
}

int RandomShapes::integer(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

Vector3 RandomShapes::normal_point(bool is_planar) {
  const Real x = normal_(random_), y = normal_(random_), z = normal_(random_);
  return {x, y, is_planar ? 0 : z};
}

Vector3 RandomShapes::direction(bool is_planar) { return normal_point(is_planar).normalized(); }

Matrix3 RandomShapes::rotation(bool is_planar) {
  const Real angle = uniform(0, 2 * std::numbers::pi_v<Real>);
  return Eigen::AngleAxis<Real>(angle, is_planar ? Vector3(Vector3::UnitZ()) : direction(false)).toRotationMatrix();
}

ConvexShape RandomShapes::hull(int points, bool is_planar) {
  std::vector<Vector3> all;
  for (int k = 0; k < points; ++k) all.push_back(normal_point(is_planar));
  return is_planar ? convex_polygon(all) : convex_hull(all);
}

ConvexShape RandomShapes::stretched_hull(bool is_planar, Real aspect) {
  // a hull of n points in general position on a sphere has 2 n - 4 faces
  const int most = integer(0, 9) == 0 ? 34 : 12;
  const int count = integer(is_planar ? 3 : 4, most);
  const Real stretch = std::pow(aspect, uniform(0, 1));
  std::vector<Vector3> points;
  for (int k = 0; k < count; ++k) {
    Vector3 point = direction(is_planar);
    point.x() *= stretch;
    points.push_back(point);
  }
  try {
    const ConvexShape hull = is_planar ? convex_polygon(points) : convex_hull(points);
    return moved(hull, {rotation(is_planar), Vector3::Zero()});
  } catch (const Error&) {
    return stretched_hull(is_planar, aspect);  // as good as flat
  }
}

ConvexShape RandomShapes::at_distance(const ConvexShape& a, const ConvexShape& b, Real gap) {
  const Real apart = 2 * (size_of(a) + size_of(b));
  const ConvexShape away = shifted(a, middle_of(b) - middle_of(a) + apart * direction(a.is_planar));
  const HullDistance distance = hull_distance(away, b);
  return shifted(away, (gap - distance.at_most) * distance.normal);
}

ConvexShape RandomShapes::approached(const ConvexShape& a, const ConvexShape& b, Real gap) {
  const Vector3 line = direction(a.is_planar);
  const ConvexShape start = shifted(a, inner_point(b) - inner_point(a));
  Real far = 2 * (size_of(a) + size_of(b)) + gap, near = 0;  // along the line, on which the distance only grows
  constexpr int kHalvings = 20;
  for (int k = 0; k < kHalvings; ++k) {
    const Real middle = (far + near) / 2;
    (hull_distance(shifted(start, middle * line), b).at_most > gap ? far : near) = middle;
  }
  const HullDistance distance = hull_distance(shifted(start, far * line), b);
  return shifted(start, far * line + (gap - distance.at_most) * distance.normal);
}

Vector3 RandomShapes::inner_point(const ConvexShape& shape) {
  Vector3 sum = Vector3::Zero();
  Real weights = 0;
  for (const Vector3& x : shape.vertices) {
    const Real weight = -std::log(uniform(1e-9L, 1));
    sum += weight * x;
    weights += weight;
  }
  return sum / weights;
}

}  // namespace isopatch::reference::polytope
