// SPDX-License-Identifier: Apache-2.0
//
// The derivatives of a pair's wrench, whatever the contact model, from sums about one point to results.
//
// W is the wrench on a about a fixed point P and J its derivative by the pose of a, which moves by a twist at P. Of the
// static wrench of a pressure field J = sum over polygons of the integral of b a^T / |grad p_a - grad p_b|, with the
// gradients a = (grad p_a, r x grad p_a) and b likewise, r = x - P: no edge of a polygon counts, as both sides of an
// inner edge agree and the pressure is 0 on the rim. Since the closed integral of p dl is 0 on the rim, the
// antisymmetric part of J is known from W = (F, T):
//
//   J - J^T = -[0 [F]x; [F]x [T]x]
//
// so that only K, minus the symmetric part, is summed: the second derivative of the elastic energy.
#pragma once

#include "isopatch/arrays.h"
#include "isopatch/detail/math/matrix6.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// About a point, world axes.
struct PairDerivatives {
  Matrix6 stiffness;    // K, symmetric
  Matrix6 damping;      // minus the derivative of the wrench by the velocity of a relative to b
  Matrix6 secant;       // the same with friction's direction and limit held, symmetric
  Vec3d force, torque;  // on a, at rest
};

ISOPATCH_HD void write_matrix(const OutputArray& array, std::int64_t environment, int pair, const Matrix6& m) {
  int at = 36 * pair;
  m.for_each([&](double number) { write(array, environment, at++, number); });
}

/// `to_a` and `to_b` lead from the origins of the bodies to the point.
ISOPATCH_HD void write_pair_derivatives(const Results& results, std::int64_t environment, int pair,
                                        const PairDerivatives& d, Vec3d to_a, Vec3d to_b) {
  const Matrix3 half_force = 0.5 * cross_matrix(d.force);
  // about a's origin: its torque turns with the body's translation too, which leaves [T]x / 2 as all that is not
  // symmetric
  const Matrix3 half_torque = 0.5 * cross_matrix(d.torque + cross(to_a, d.force));
  Matrix6 k = with_twist_at(to_a, with_torque_about(to_a, d.stiffness));
  k.torque[0] = transposed(k.force[1] = k.force[1] + half_force);
  k.torque[1] = 0.5 * (k.torque[1] + transposed(k.torque[1])) + half_torque;
  write_matrix(results.pair_stiffness, environment, pair, k);

  Matrix6 k_b = d.stiffness;
  k_b.force[0] = -1.0 * k_b.force[0];
  k_b.force[1] = -1.0 * k_b.force[1] + half_force;
  k_b.torque[0] = -1.0 * k_b.torque[0] + half_force;
  k_b.torque[1] = -1.0 * k_b.torque[1] + 0.5 * cross_matrix(d.torque);
  write_matrix(results.pair_stiffness_b, environment, pair, with_twist_at(to_b, with_torque_about(to_a, k_b)));

  const Matrix6 damping = with_torque_about(to_a, d.damping);
  write_matrix(results.pair_damping, environment, pair, with_twist_at(to_a, damping));
  Matrix6 damping_b = with_twist_at(to_b, damping);
  for (Matrix3* block : {&damping_b.force[0], &damping_b.force[1], &damping_b.torque[0], &damping_b.torque[1]}) {
    *block = -1.0 * *block;
  }
  write_matrix(results.pair_damping_b, environment, pair, damping_b);
  Matrix6 secant = with_twist_at(to_a, with_torque_about(to_a, d.secant));
  secant.torque[0] = transposed(secant.force[1]);
  secant.torque[1] = 0.5 * (secant.torque[1] + transposed(secant.torque[1]));
  write_matrix(results.pair_damping_secant, environment, pair, secant);
}

}  // namespace isopatch::detail
