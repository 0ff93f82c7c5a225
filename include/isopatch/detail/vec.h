// SPDX-License-Identifier: Apache-2.0
//
// Small fixed-size algebra. Every sum of products is an explicit fma and contraction is off in both compilers, so the
// results have the same bits on the CPU and on the GPU.
#pragma once

#include <cmath>

#include "isopatch/detail/macros.h"

namespace isopatch::detail {

/// As one comparison: a single instruction, and unlike fmin the same for signed zeros and NaN on every machine.
template <class T>
ISOPATCH_HD T min(T a, T b) {
  return a < b ? a : b;
}

template <class T>
ISOPATCH_HD T max(T a, T b) {
  return a > b ? a : b;
}

template <class T>
struct Vec3 {
  T x, y, z;
};

using Vec3d = Vec3<double>;
using Vec3f = Vec3<float>;

template <class T>
ISOPATCH_HD T fused(T a, T b, T c) {
  return std::fma(a, b, c);
}

template <class T>
ISOPATCH_HD Vec3<T> operator+(Vec3<T> a, Vec3<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
ISOPATCH_HD Vec3<T> operator-(Vec3<T> a, Vec3<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
ISOPATCH_HD Vec3<T> operator-(Vec3<T> a) {
  return {-a.x, -a.y, -a.z};
}

template <class T>
ISOPATCH_HD Vec3<T> operator*(T s, Vec3<T> a) {
  return {s * a.x, s * a.y, s * a.z};
}

template <class T>
ISOPATCH_HD T dot(Vec3<T> a, Vec3<T> b) {
  return fused(a.x, b.x, fused(a.y, b.y, a.z * b.z));
}

template <class T>
ISOPATCH_HD Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {fused(a.y, b.z, -(a.z * b.y)), fused(a.z, b.x, -(a.x * b.z)), fused(a.x, b.y, -(a.y * b.x))};
}

/// s a + b
template <class T>
ISOPATCH_HD Vec3<T> fused(T s, Vec3<T> a, Vec3<T> b) {
  return {fused(s, a.x, b.x), fused(s, a.y, b.y), fused(s, a.z, b.z)};
}

template <class T>
ISOPATCH_HD T norm(Vec3<T> a) {
  return std::sqrt(dot(a, a));
}

template <class T>
ISOPATCH_HD Vec3<T> min(Vec3<T> a, Vec3<T> b) {
  return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
}

template <class T>
ISOPATCH_HD Vec3<T> max(Vec3<T> a, Vec3<T> b) {
  return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
}

template <class T, class S>
ISOPATCH_HD Vec3<T> cast(Vec3<S> a) {
  return {static_cast<T>(a.x), static_cast<T>(a.y), static_cast<T>(a.z)};
}

/// Rotation and translation that take coordinates in one frame to another: x_A = R x_B + t. Rows of R.
template <class T>
struct Transform {
  Vec3<T> row[3];
  Vec3<T> translation;
};

ISOPATCH_HD Transform<float> float_copy(const Transform<double>& X) {
  return {{cast<float>(X.row[0]), cast<float>(X.row[1]), cast<float>(X.row[2])}, cast<float>(X.translation)};
}

/// R x
template <class T>
ISOPATCH_HD Vec3<T> rotate(const Transform<T>& X, Vec3<T> x) {
  return {dot(X.row[0], x), dot(X.row[1], x), dot(X.row[2], x)};
}

/// R^T x
template <class T>
ISOPATCH_HD Vec3<T> rotate_back(const Transform<T>& X, Vec3<T> x) {
  return {fused(X.row[0].x, x.x, fused(X.row[1].x, x.y, X.row[2].x * x.z)),
          fused(X.row[0].y, x.x, fused(X.row[1].y, x.y, X.row[2].y * x.z)),
          fused(X.row[0].z, x.x, fused(X.row[1].z, x.y, X.row[2].z * x.z))};
}

/// R x + t
template <class T>
ISOPATCH_HD Vec3<T> apply(const Transform<T>& X, Vec3<T> x) {
  return rotate(X, x) + X.translation;
}

/// R^T (x - t)
template <class T>
ISOPATCH_HD Vec3<T> apply_back(const Transform<T>& X, Vec3<T> x) {
  return rotate_back(X, x - X.translation);
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

template <class T>
struct Basis {
  Vec3<T> u, v;  // u x v = n
};

/// Two unit vectors normal to the unit vector n, without a branch (Duff et al., "Building an Orthonormal Basis,
/// Revisited", JCGT 2017).
template <class T>
ISOPATCH_HD Basis<T> make_basis(Vec3<T> n) {
  const T sign = n.z < T(0) ? T(-1) : T(1);
  const T a = T(-1) / (sign + n.z);
  const T b = n.x * n.y * a;
  return {{fused(sign * n.x * n.x, a, T(1)), sign * b, -(sign * n.x)}, {b, fused(n.y * n.y, a, sign), -n.y}};
}

}  // namespace isopatch::detail
