// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the wrench of a pair: its stiffness and its damping.
#pragma once

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The derivatives of the wrench on body a about a's origin, N environments with P pairs, in the world frame: matrices
/// of 6 x 6, row by row. A row is a component of force or torque, a column one of translation or rotation: of a motion
/// that moves a body's origin by the first three and turns the body about it, from the left, by the last three. 0
/// without contact. See Status::kNoDerivative for pairs that have none.
template <class Kind>
struct DerivativeOutputs {
  ArrayOf<Kind, AnyReal> pair_stiffness;       ///< N x P x 36   -dW/d(pose of a), W the wrench of the pressure at rest
  ArrayOf<Kind, AnyReal> pair_stiffness_b;     ///< N x P x 36   -dW/d(pose of b) of the same W, about a's origin
  ArrayOf<Kind, AnyReal> pair_damping;         ///< N x P x 36   -dW/d(velocity of a), W with damping and friction
  ArrayOf<Kind, AnyReal> pair_damping_b;       ///< N x P x 36   -dW/d(velocity of b) of the same W, about a's origin
  ArrayOf<Kind, AnyReal> pair_damping_secant;  ///< N x P x 36   pair_damping of friction at its present speed:
                                               ///< symmetric, with no negative eigenvalue, for implicit steps
};

/// Calls visit(info, array) for every array of DerivativeOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_derivative_output(const Visit& visit, Outputs&... o) {
  constexpr const char *stiffness = "N/m; N; N m", *damping = "N s/m; N s; N m s";
  const auto info = [](const char* name, const char* unit) {
    return ArrayInfo{name, "real", Per::kPair, 36, unit, OutputGroup::kDerivatives};
  };
  visit(info("pair_stiffness", stiffness), o.pair_stiffness...);
  visit(info("pair_stiffness_b", stiffness), o.pair_stiffness_b...);
  visit(info("pair_damping", damping), o.pair_damping...);
  visit(info("pair_damping_b", damping), o.pair_damping_b...);
  visit(info("pair_damping_secant", damping), o.pair_damping_secant...);
}

/// Whether one of them is wanted. For kernels too.
constexpr bool wants_derivatives(const DerivativeOutputs<OutputViews>& o) {
  bool wanted = false;
  for_each_derivative_output(
      [&](const ArrayInfo&, const OutputArray& array) { wanted = wanted || array.data != nullptr; }, o);
  return wanted;
}

}  // namespace isopatch
