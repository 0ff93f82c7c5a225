// SPDX-License-Identifier: Apache-2.0
//
// The derivatives of a pair's wrench, as differences of the wrench.
#pragma once

#include "host/reference/contact/pair_result.h"

namespace isopatch::reference {

/// Minus the derivatives of the wrench on a about its origin: at rest by the poses of a and b, and by their velocities.
struct PairDerivatives {
  using Matrix6 = Eigen::Matrix<Real, 6, 6>;

  Matrix6 stiffness_a, stiffness_b, damping_a, damping_b;

  static PairDerivatives zero() { return {Matrix6::Zero(), Matrix6::Zero(), Matrix6::Zero(), Matrix6::Zero()}; }
};

/// Of a pair in one model, by central differences in extended precision.
PairDerivatives derivatives_of(const PairInput& input, EvaluatePair evaluate);

}  // namespace isopatch::reference
