// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "host/reference/force_law/force_law.h"

namespace isopatch::reference {

ContactPatch contact_patch(const Depth& depth) {
  return {depth.depth, vector_of(depth.point), vector_of(depth.normal), Matrix3::Zero()};
}

ContactPatch contact_patch(const Overlap& overlap, OverlapNormal normal) {
  const Vector3 area = vector_of(overlap.area);
  if (!(overlap.volume > 0) || area.isZero(0)) return {};
  const auto& m = overlap.second_moments;
  Matrix3 second;
  second << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  const Vector3 straight = area.normalized();
  const Real volume = overlap.volume, trace = second.trace();
  if (!(trace > 0)) return {volume, vector_of(overlap.centroid), straight, Matrix3::Zero()};

  Vector3 n = straight;
  if (normal == OverlapNormal::kInertia) {
    const Eigen::SelfAdjointEigenSolver<Matrix3> solver(Matrix3(second / trace));
    const Vector3 cosines = solver.eigenvectors().transpose() * straight;
    Eigen::Index nearest = 0;
    cosines.cwiseAbs().maxCoeff(&nearest);
    Vector3 axis = Vector3::Zero();
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Real apart = solver.eigenvalues()[k] - solver.eigenvalues()[nearest];
      const Real eta = 1e-6L, weight = std::pow(eta / (apart * apart + eta), 2);
      axis += weight * cosines[k] * solver.eigenvectors().col(k);
    }
    axis.normalize();
    const Real flat = std::sqrt((trace - axis.dot(second * axis)) / volume);
    const Real q = std::clamp<Real>(2 * (volume / area.norm() / flat) - 1, 0, 1);
    const Real share = 3 * q * q - 2 * q * q * q;
    n = ((1 - share) * axis + share * straight).normalized();
  }
  const Matrix3 plane = Matrix3::Identity() - n * n.transpose();
  return {volume, vector_of(overlap.centroid), n, plane * second * plane / volume};
}

OverlapIntegrals ball_overlap(const Vector3& center, Real radius, const Vector3& n) {
  const Real height = n.dot(center), low = height - radius, high = std::min<Real>(0, height + radius);
  if (!(low < high)) return {};
  // Gauss's rule of five points, exact for the polynomials of degree 4 and 6 below
  const Real root = 2 * std::sqrt(10 / 7.0L);
  const Real nodes[] = {0, std::sqrt(5 - root) / 3, -std::sqrt(5 - root) / 3, std::sqrt(5 + root) / 3,
                        -std::sqrt(5 + root) / 3};
  const Real inner = (322 + 13 * std::sqrt(70.0L)) / 900, outer = (322 - 13 * std::sqrt(70.0L)) / 900;
  const Real weights[] = {128 / 225.0L, inner, inner, outer, outer};
  constexpr Real kPi = 3.14159265358979323846264338327950288L;

  Real volume = 0, first = 0, along = 0, across = 0;  // about the foot of the centre on the plane
  for (int i = 0; i < 5; ++i) {
    const Real z = (low + high) / 2 + nodes[i] * (high - low) / 2;
    const Real square = radius * radius - (z - height) * (z - height);
    const Real slice = weights[i] * (high - low) / 2 * kPi * square;
    volume += slice;
    first += slice * z;
    along += slice * z * z;
    across += slice * square / 4;
  }
  const Real z = first / volume;
  OverlapIntegrals overlap;
  overlap.volume = volume;
  overlap.centroid = center + (z - height) * n;
  overlap.area = kPi * std::max<Real>(0, radius * radius - height * height) * n;
  const Matrix3 normal = n * n.transpose();
  overlap.second = across * (Matrix3::Identity() - normal) + (along - volume * z * z) * normal;
  return overlap;
}

}  // namespace isopatch::reference
