// SPDX-License-Identifier: Apache-2.0
//
// Rigid motions: coordinates of one frame in another.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// Rotation and translation that take coordinates in one frame to another: x_A = R x_B + t. Rows of R.
template <class T>
struct Transform {
  Vec3<T> row[3];
  Vec3<T> translation;
};

ISOPATCH_HD Transform<float> float_copy(const Transform<double>& X) {
  return {{cast<float>(X.row[0]), cast<float>(X.row[1]), cast<float>(X.row[2])}, cast<float>(X.translation)};
}

// A transform is the same for all lanes: S is a plain number, T that or a SIMD vector.

/// R x
template <class S, class T>
ISOPATCH_HD Vec3<T> rotate(const Transform<S>& X, Vec3<T> x) {
  return {dot(cast<T>(X.row[0]), x), dot(cast<T>(X.row[1]), x), dot(cast<T>(X.row[2]), x)};
}

/// R^T x
template <class S, class T>
ISOPATCH_HD Vec3<T> rotate_back(const Transform<S>& X, Vec3<T> x) {
  const Vec3<T> r0 = cast<T>(X.row[0]), r1 = cast<T>(X.row[1]), r2 = cast<T>(X.row[2]);
  return fma(x.x, r0, fma(x.y, r1, x.z * r2));
}

/// R x + y
ISOPATCH_HD Vec3f rotate_and_add(const Transform<float>& X, Vec3f x, Vec3f y) {
  const auto component = [&](Vec3f row, float to) { return fma(row.x, x.x, fma(row.y, x.y, fma(row.z, x.z, to))); };
  return {component(X.row[0], y.x), component(X.row[1], y.y), component(X.row[2], y.z)};
}

/// R^T x + y
ISOPATCH_HD Vec3f rotate_back_and_add(const Transform<float>& X, Vec3f x, Vec3f y) {
  return fma(x.x, X.row[0], fma(x.y, X.row[1], fma(x.z, X.row[2], y)));
}

/// R x + t
template <class S, class T>
ISOPATCH_HD Vec3<T> apply(const Transform<S>& X, Vec3<T> x) {
  return rotate(X, x) + cast<T>(X.translation);
}

/// R^T (x - t)
template <class S, class T>
ISOPATCH_HD Vec3<T> apply_back(const Transform<S>& X, Vec3<T> x) {
  return rotate_back(X, x - cast<T>(X.translation));
}

/// A B: coordinates in B's frame to those that A leads to.
ISOPATCH_HD Transform<double> product(const Transform<double>& A, const Transform<double>& B) {
  const Vec3d column[3] = {
      {B.row[0].x, B.row[1].x, B.row[2].x}, {B.row[0].y, B.row[1].y, B.row[2].y}, {B.row[0].z, B.row[1].z, B.row[2].z}};
  Transform<double> X;
  for (int i = 0; i < 3; ++i) X.row[i] = {dot(A.row[i], column[0]), dot(A.row[i], column[1]), dot(A.row[i], column[2])};
  X.translation = apply(A, B.translation);
  return X;
}

/// The rotation of a unit quaternion, with no translation.
ISOPATCH_HD Transform<double> rotation_of(double w, double x, double y, double z) {
  Transform<double> X;
  X.row[0] = {1 - 2 * std::fma(y, y, z * z), 2 * std::fma(x, y, -(z * w)), 2 * std::fma(x, z, y * w)};
  X.row[1] = {2 * std::fma(x, y, z * w), 1 - 2 * std::fma(x, x, z * z), 2 * std::fma(y, z, -(x * w))};
  X.row[2] = {2 * std::fma(x, z, -(y * w)), 2 * std::fma(y, z, x * w), 1 - 2 * std::fma(x, x, y * y)};
  X.translation = {0, 0, 0};
  return X;
}

/// A^-1 B: coordinates in B's frame to A's, both given relative to a common frame.
ISOPATCH_HD Transform<double> relative(const Transform<double>& A, const Transform<double>& B) {
  Transform<double> X;
  // columns of R_A are the rows of R_A^T
  const Vec3d column[3] = {
      {A.row[0].x, A.row[1].x, A.row[2].x}, {A.row[0].y, A.row[1].y, A.row[2].y}, {A.row[0].z, A.row[1].z, A.row[2].z}};
  for (int i = 0; i < 3; ++i) X.row[i] = rotate_back(B, column[i]);
  X.translation = apply_back(A, B.translation);
  return X;
}

}  // namespace isopatch::detail
