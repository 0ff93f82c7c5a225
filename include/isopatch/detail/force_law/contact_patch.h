// SPDX-License-Identifier: Apache-2.0
//
// The flat plate in place of a patch: where it is, which way it faces, and how far it spreads.
#pragma once

#include "isopatch/detail/math/symmetric.h"

namespace isopatch::detail {

/// Eigenvalues and eigenvectors of a symmetric matrix.
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

/// By Jacobi's method. The number of sweeps is fixed, and after four of them the rest is rounding: each squares it.
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

/// What two bodies have in common; world frame.
struct OverlapMoments {
  double volume;      // V, m^3
  Vec3d centroid;     // p, m
  Symmetric3 second;  // C, the integral of (x - p) (x - p)^T, m^5
  Vec3d area;         // a, the integral of the normal of B's surface inside A, m^2: from B into A
};

struct ContactPatch {
  double metric;      // what the force grows with: volume, m^3, or depth, m; no contact unless > 0
  Vec3d point;        // where the force acts, m
  Vec3d normal;       // unit, from B into A
  double radius;      // of gyration about the normal, m
  Symmetric3 spread;  // C_t, mean square distances in the plane, m^2
};

/// m in the plane of the unit normal n: T m T, T = I - n n^T.
ISOPATCH_HD Symmetric3 in_plane(const Symmetric3& m, Vec3d n) {
  const Vec3d mn = m * n;
  const double nmn = dot(n, mn);
  const auto entry = [&](double mij, double ni, double nj, double mni, double mnj) {
    return fma(nmn * ni, nj, mij - fma(ni, mnj, nj * mni));
  };
  return {entry(m.xx, n.x, n.x, mn.x, mn.x), entry(m.yy, n.y, n.y, mn.y, mn.y), entry(m.zz, n.z, n.z, mn.z, mn.z),
          entry(m.xy, n.x, n.y, mn.x, mn.y), entry(m.xz, n.x, n.z, mn.x, mn.z), entry(m.yz, n.y, n.z, mn.y, mn.z)};
}

/// The principal axis of `shape`, of trace 1, that is nearest to n0; those within some 1e-3 of its eigenvalue count by
/// their share in n0, so that a cluster of axes gives n0 itself.
ISOPATCH_HD Vec3d axis_nearest_to(Vec3d n0, const Symmetric3& shape) {
  constexpr double kCluster = 1e-6;
  const PrincipalAxes axes = principal_axes(shape);
  double nearest = -1, value = 0;
  for (int k = 0; k < 3; ++k) {
    const double cosine = abs(dot(axes.axis[k], n0));
    if (!(cosine > nearest)) continue;
    nearest = cosine;
    value = axes.value[k];
  }
  Vec3d sum = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    const double apart = axes.value[k] - value, root = kCluster / fma(apart, apart, kCluster);
    sum = fma(root * root * dot(axes.axis[k], n0), axes.axis[k], sum);
  }
  return (1 / norm(sum)) * sum;
}

/// The plate of an overlap. Its normal is a principal axis while the overlap is flat, and the direction of the vector
/// area from where it is as thick as wide: there the axis may turn by a right angle. With `by_area` it is that
/// direction always.
ISOPATCH_HD ContactPatch contact_patch(const OverlapMoments& overlap, bool by_area) {
  const double area = norm(overlap.area), trace = overlap.second.xx + overlap.second.yy + overlap.second.zz;
  if (!(overlap.volume > 0) || !(area > 0)) return {0, overlap.centroid, {0, 0, 0}, 0, {}};
  const Vec3d n0 = (1 / area) * overlap.area;
  ContactPatch patch = {overlap.volume, overlap.centroid, n0, 0, {}};
  if (!(trace > 0)) return patch;
  if (!by_area) {
    const Vec3d n1 = axis_nearest_to(n0, (1 / trace) * overlap.second);
    const double across = (trace - dot(n1, overlap.second * n1)) / overlap.volume;
    const double thickness = across > 0 ? overlap.volume / area / sqrt(across) : 1;
    const double q = min(max(fma(2.0, thickness, -1.0), 0.0), 1.0), share = q * q * fma(-2.0, q, 3.0);
    const Vec3d blend = fma(share, n0 - n1, n1);
    patch.normal = (1 / norm(blend)) * blend;
  }
  patch.spread = (1 / overlap.volume) * in_plane(overlap.second, patch.normal);
  patch.radius = sqrt(max(patch.spread.xx + patch.spread.yy + patch.spread.zz, 0.0));
  return patch;
}

/// A contact in a point, `depth` m deep.
ISOPATCH_HD ContactPatch point_patch(double depth, Vec3d point, Vec3d normal) { return {depth, point, normal, 0, {}}; }

/// What a ball of `radius` has below a plane with unit normal n, out of the half space, its lowest point `depth` m
/// deep, up to the whole ball; `center` is the ball's. Without an overlap the volume is 0.
ISOPATCH_HD OverlapMoments ball_overlap(Vec3d center, double radius, Vec3d n, double depth) {
  constexpr double kPi = 3.1415926535897931;
  if (!(depth > 0)) return {0, center, {}, {0, 0, 0}};
  const double r = radius, h = min(depth, 2 * radius), third = fma(-1.0 / 3, h, r), square = h * h;
  const double across = kPi * square * h * fma(20.0, r * r, h * fma(3.0, h, -(15 * r))) / 60;
  const double along = kPi * square * square * fma(r, r / 18, h * fma(1.0 / 240, h, -(r / 30))) / third;
  const double more = along - across;
  // the plane is depth - radius above the centre, and the centroid below the plane
  const double below = h * fma(4.0, r, -h) / (4 * fma(3.0, r, -h)) + (depth > h ? depth - h : 0);
  return {kPi * square * third,
          fma(depth - r - below, n, center),
          {fma(more * n.x, n.x, across), fma(more * n.y, n.y, across), fma(more * n.z, n.z, across), more * n.x * n.y,
           more * n.x * n.z, more * n.y * n.z},
          (kPi * h * fma(2.0, r, -h)) * n};
}

}  // namespace isopatch::detail
