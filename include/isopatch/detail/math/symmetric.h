// SPDX-License-Identifier: Apache-2.0
//
// Symmetric matrices of three rows, as inertia tensors are.
#pragma once

#include "isopatch/detail/math/transform.h"

namespace isopatch::detail {

struct Symmetric3 {
  double xx, yy, zz, xy, xz, yz;

  /// Column >= row.
  ISOPATCH_HD double& at(int row, int column) {
    if (row == column) return row == 0 ? xx : row == 1 ? yy : zz;
    return row == 1 ? yz : column == 1 ? xy : xz;
  }
};

ISOPATCH_HD Vec3d operator*(const Symmetric3& a, Vec3d x) {
  return {fma(a.xx, x.x, fma(a.xy, x.y, a.xz * x.z)), fma(a.xy, x.x, fma(a.yy, x.y, a.yz * x.z)),
          fma(a.xz, x.x, fma(a.yz, x.y, a.zz * x.z))};
}

ISOPATCH_HD Symmetric3 operator*(double s, const Symmetric3& a) {
  return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}

/// Of a matrix that is not singular.
ISOPATCH_HD Symmetric3 inverse(const Symmetric3& a) {
  const Vec3d r0 = {a.xx, a.xy, a.xz}, r1 = {a.xy, a.yy, a.yz}, r2 = {a.xz, a.yz, a.zz};
  const Vec3d c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
  const double scale = 1 / dot(r0, c0);
  return scale * Symmetric3{c0.x, c1.y, c2.z, c0.y, c0.z, c1.z};
}

/// R a R^T with the rotation of X.
ISOPATCH_HD Symmetric3 rotated(const Transform<double>& X, const Symmetric3& a) {
  const Vec3d a0 = a * X.row[0], a1 = a * X.row[1], a2 = a * X.row[2];
  return {dot(X.row[0], a0), dot(X.row[1], a1), dot(X.row[2], a2),
          dot(X.row[0], a1), dot(X.row[0], a2), dot(X.row[1], a2)};
}

}  // namespace isopatch::detail
