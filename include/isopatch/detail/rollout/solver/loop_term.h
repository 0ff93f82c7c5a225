// SPDX-License-Identifier: Apache-2.0
//
// A loop in the problem: a quadratic term of the velocity of one body relative to the other. loops.h says more.
#pragma once

#include "isopatch/detail/rollout/solver/point_sums.h"

namespace isopatch::detail {

struct LoopTerm {
  Vec3d linear, angular;         // the velocities that are asked for, u*; before, the gap
  RelativeTwist<double> change;  // d; before, u where the step begins if it is the first sub-step
  bool is_first;
  Vec3d axis;  // about which the bodies may turn; 0: about none
  double stiffness, turning_stiffness;

  /// Of the part that is held.
  ISOPATCH_HD Vec3d held(Vec3d angular_velocity) const {
    return fma(-dot(axis, angular_velocity), axis, angular_velocity);
  }
  /// G w
  ISOPATCH_HD RelativeTwist<double> times(const RelativeTwist<double>& w) const {
    return {stiffness * w.linear, turning_stiffness * held(w.angular)};
  }
  /// Adds the impulse on A, and its moment, at a twist to sums of ImpulseSums.
  ISOPATCH_HD void add_impulse(const RelativeTwist<double>& twist, double* sums) const {
    const RelativeTwist<double> g = times({twist.linear - linear, twist.angular - angular});
    add_to(sums + ImpulseSums::kForce, -g.linear);
    add_to(sums + ImpulseSums::kMoment, -g.angular);
  }
  /// J
  ISOPATCH_HD double potential(const RelativeTwist<double>& twist) const {
    const RelativeTwist<double> w = {twist.linear - linear, twist.angular - angular}, g = times(w);
    return 0.5 * (dot(w.linear, g.linear) + dot(w.angular, g.angular));
  }
  /// Adds the slope of the potential and its slope in turn, as the twist changes by `along` for each unit.
  ISOPATCH_HD void add_slopes(const RelativeTwist<double>& twist, const RelativeTwist<double>& along,
                              double (&sums)[2]) const {
    const RelativeTwist<double> g = times(along);
    sums[0] += dot(twist.linear - linear, g.linear) + dot(twist.angular - angular, g.angular);
    sums[1] += dot(along.linear, g.linear) + dot(along.angular, g.angular);
  }
  /// Adds G to sums of MatrixSums.
  ISOPATCH_HD void add_matrix(double* sums) const {
    const double n[3] = {axis.x, axis.y, axis.z};
    ISOPATCH_UNROLL
    for (int row = 0; row < 3; ++row) {
      sums[MatrixSums::at(row, row)] += stiffness;
      ISOPATCH_UNROLL
      for (int column = 0; column <= row; ++column) {
        const double identity = row == column ? 1.0 : 0.0;
        sums[MatrixSums::at(row + 3, column + 3)] += turning_stiffness * fma(-n[row], n[column], identity);
      }
    }
  }
};

}  // namespace isopatch::detail
