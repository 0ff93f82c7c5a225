// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/distance.h"

#include <Eigen/QR>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace isopatch::reference::polytope {
namespace {

using Points = std::vector<Vector3>;
using Sides = Eigen::Matrix<Real, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 3>;

constexpr Real kTouching = 1e-17L;   // of the size
constexpr Real kDependent = 1e-15L;  // of the sides of a simplex
constexpr int kMaxTurns = 1000;

/// The point nearest to the origin of the flat through some points, if it lies between them.
std::optional<Vector3> nearest_in_flat(const Points& points) {
  const auto count = static_cast<Eigen::Index>(points.size()) - 1;
  if (count == 0) return points[0];
  Sides sides(3, count);
  for (Eigen::Index k = 0; k < count; ++k) sides.col(k) = points[static_cast<std::size_t>(k) + 1] - points[0];
  Eigen::ColPivHouseholderQR<Sides> qr(sides);
  qr.setThreshold(kDependent);
  if (qr.rank() < count) return {};
  const Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1> weights = qr.solve(-points[0]);
  if (weights.minCoeff() < 0 || weights.sum() > 1) return {};
  const Vector3 nearest = points[0] + sides * weights;
  return nearest - sides * qr.solve(nearest);  // normal to the flat, however near that is
}

/// The point nearest to the origin of a simplex, which keeps only the corners between which it lies. The last corner is
/// one of them: without it, the nearest point is known.
Vector3 nearest_in_simplex(Points& simplex) {
  Points best;
  Vector3 nearest = Vector3::Zero();
  for (unsigned others = 0; others < 1u << (simplex.size() - 1); ++others) {
    Points points = {simplex.back()};
    for (std::size_t k = 0; k + 1 < simplex.size(); ++k) {
      if ((others >> k & 1u) != 0) points.push_back(simplex[k]);
    }
    const std::optional<Vector3> candidate = nearest_in_flat(points);
    if (candidate && (best.empty() || candidate->norm() < nearest.norm())) {
      nearest = *candidate;
      best = points;
    }
  }
  simplex = best;
  return nearest;
}

/// The vertex that is farthest in a direction.
Vector3 farthest(const ConvexShape& shape, const Vector3& direction) {
  return *std::max_element(shape.vertices.begin(), shape.vertices.end(),
                           [&](const Vector3& x, const Vector3& y) { return direction.dot(x) < direction.dot(y); });
}

}  // namespace

HullDistance hull_distance(const ConvexShape& a, const ConvexShape& b) {
  const Real size = size_of(a) + size_of(b);
  Points simplex = {a.vertices[0] - b.vertices[0]};
  Vector3 x = simplex[0];
  HullDistance distance;
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    distance.at_most = x.norm();
    if (distance.at_most <= kTouching * size) return distance;
    distance.normal = x.normalized();
    const Vector3 next = farthest(a, -distance.normal) - farthest(b, distance.normal);
    distance.at_least = std::max(distance.at_least, distance.normal.dot(next));
    simplex.push_back(next);
    const Vector3 nearer = nearest_in_simplex(simplex);
    if (nearer.norm() >= x.norm()) return distance;
    x = nearer;
  }
  return distance;
}

}  // namespace isopatch::reference::polytope
