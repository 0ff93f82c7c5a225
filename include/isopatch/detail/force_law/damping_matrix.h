// SPDX-License-Identifier: Apache-2.0
//
// How the force and torque of a single contact fall with velocity: for integrators that are implicit in it.
#pragma once

#include "isopatch/detail/force_law/evaluate_law.h"

namespace isopatch::detail {

/// Row by row, the rows being force and torque on A about the patch's point, the columns the relative velocity there
/// and the relative angular velocity.
struct DampingMatrix {
  double entry[36];

  ISOPATCH_HD void add(int row, int column, Vec3d left, Vec3d right) {
    const double a[3] = {left.x, left.y, left.z}, b[3] = {right.x, right.y, right.z};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) entry[6 * (3 * row + i) + 3 * column + j] += a[i] * b[j];
    }
  }
  ISOPATCH_HD void add(int block, const Symmetric3& m) {
    const double rows[3][3] = {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) entry[6 * (3 * block + i) + 3 * block + j] += rows[i][j];
    }
  }
};

/// s (I - n n^T) - m
ISOPATCH_HD Symmetric3 plane_minus(double s, Vec3d n, const Symmetric3& m) {
  return {fma(s, fma(-n.x, n.x, 1.0), -m.xx), fma(s, fma(-n.y, n.y, 1.0), -m.yy), fma(s, fma(-n.z, n.z, 1.0), -m.zz),
          fma(-s * n.x, n.y, -m.xy),          fma(-s * n.x, n.z, -m.xz),          fma(-s * n.y, n.z, -m.yz)};
}

/// The derivative with the sticking share, the dwell and the bound of rolling held; what is left out for the first of
/// them is negative. Friction is symmetric; friction that follows the damped normal force is not.
ISOPATCH_HD DampingMatrix damping_matrix(const LawStep& step, const LawForces& forces, const RelativeMotion& motion) {
  const Vec3d n = step.patch.normal;
  const double r = step.spin_radius;
  DampingMatrix d = {};
  const FrictionSlope slope = friction_slope(step.friction, slip_at(step, motion));
  d.add(0, plane_minus(forces.normal * slope.identity, n, {}));
  d.add(1, 1, (forces.normal * r * r * slope.identity) * n, n);
  const auto add_dyad = [&](double scale, Slip a) {
    const Vec3d spin = (r * a.spin) * n;
    d.add(0, 0, scale * a.along, a.along);
    d.add(0, 1, scale * a.along, spin);
    d.add(1, 0, scale * spin, a.along);
    d.add(1, 1, scale * spin, spin);
  };
  add_dyad(forces.normal * slope.of_slip, slope.slip);
  add_dyad(forces.normal * slope.of_load, slope.load);

  const double radius = step.patch.radius;
  d.add(1, forces.rolling * plane_minus(radius * radius, n, step.patch.spread));
  if (forces.normal > 0) {
    const double damping = step.normal.elastic * step.normal.damping;
    d.add(0, 0, damping * (n - forces.friction.total.along), n);
    d.add(1, 0, (-damping * r * forces.friction.total.spin) * n, n);
  }
  return d;
}

}  // namespace isopatch::detail
