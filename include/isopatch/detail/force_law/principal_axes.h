// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's method.
#pragma once

#include "isopatch/detail/math/symmetric.h"

namespace isopatch::detail {

struct PrincipalAxes {
  double value[3];
  Vec3d axis[3];  // unit, of either sign
};

/// One rotation in the plane of axes p and q, which makes the entry pq zero; r is the third axis.
ISOPATCH_HD void rotate_axes(double& pp, double& qq, double& pq, double& pr, double& qr, Vec3d& p, Vec3d& q) {
  const double half = 0.5 * (qq - pp), root = sqrt(fma(half, half, pq * pq));
  if (!(root > 0)) return;
  const double tangent = pq / (half < 0 ? half - root : half + root);
  const double cosine = 1 / sqrt(fma(tangent, tangent, 1.0)), sine = tangent * cosine;
  pp = fma(-tangent, pq, pp);
  qq = fma(tangent, pq, qq);
  pq = 0;
  const double old_pr = pr;
  pr = fma(cosine, pr, -(sine * qr));
  qr = fma(sine, old_pr, cosine * qr);
  const Vec3d old_p = p;
  p = fma(cosine, p, -(sine * q));
  q = fma(sine, old_p, cosine * q);
}

/// The number of sweeps is fixed, and after four of them the rest is rounding: each squares it.
ISOPATCH_HD PrincipalAxes principal_axes(Symmetric3 a) {
  Vec3d x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  ISOPATCH_NO_UNROLL
  for (int sweep = 0; sweep < 6; ++sweep) {
    rotate_axes(a.xx, a.yy, a.xy, a.xz, a.yz, x, y);
    rotate_axes(a.xx, a.zz, a.xz, a.xy, a.yz, x, z);
    rotate_axes(a.yy, a.zz, a.yz, a.xy, a.xz, y, z);
  }
  return {{a.xx, a.yy, a.zz}, {x, y, z}};
}

}  // namespace isopatch::detail
