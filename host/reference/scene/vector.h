// SPDX-License-Identifier: Apache-2.0
//
// The reference computes in extended precision if the machine has it, so that its rounding stays far below the rounding
// of the double backends it is compared with. It shares no arithmetic with them.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <array>
#include <cstddef>
#include <limits>

namespace isopatch::reference {

using Real = long double;
using Vector3 = Eigen::Matrix<Real, 3, 1>;
using Matrix3 = Eigen::Matrix<Real, 3, 3>;
using VectorX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatrixX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// A rigid motion: x_A = rotation * x_B + translation.
struct Transform {
  Matrix3 rotation = Matrix3::Identity();
  Vector3 translation = Vector3::Zero();

  Vector3 operator*(const Vector3& x) const { return rotation * x + translation; }
  Transform inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
  Transform operator*(const Transform& other) const {
    return {rotation * other.rotation, rotation * other.translation + translation};
  }
};

/// An axis-aligned box that grows by points.
struct Box {
  Vector3 lower = Vector3::Constant(std::numeric_limits<Real>::infinity());
  Vector3 upper = Vector3::Constant(-std::numeric_limits<Real>::infinity());

  void add(const Vector3& x) {
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  bool overlaps(const Box& other, Real margin) const {
    return (lower.array() <= other.upper.array() + margin).all() &&
           (other.lower.array() <= upper.array() + margin).all();
  }
  Real diagonal() const { return (upper - lower).norm(); }
};

/// An affine function of position: a pressure, a distance or a barycentric coordinate.
struct Affine {
  Vector3 gradient = Vector3::Zero();
  Vector3 point = Vector3::Zero();  // where the function has `value`
  Real value = 0;

  Real at(const Vector3& x) const { return value + gradient.dot(x - point); }
};

/// A tetrahedron with the pressure at its vertices and the affine function through them.
struct PressureTet {
  std::array<Vector3, 4> vertices;
  std::array<Real, 4> pressures;
  Affine pressure;

  /// Of the pressure at the vertices: means over the tets that meet there, weighted by volume.
  std::array<Vector3, 4> smoothed_gradients = {Vector3::Zero(), Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};
};

using SurfaceTriangle = std::array<Vector3, 3>;

/// The affine function that is 1 at vertex i of a tet and 0 on the opposite face.
inline Affine barycentric(const std::array<Vector3, 4>& vertices, std::size_t i) {
  const Vector3& p = vertices[(i + 1) % 4];
  const Vector3 normal = (vertices[(i + 2) % 4] - p).cross(vertices[(i + 3) % 4] - p);
  return {normal / normal.dot(vertices[i] - p), p, 0};
}

}  // namespace isopatch::reference
