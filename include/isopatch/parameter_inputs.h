// SPDX-License-Identifier: Apache-2.0
//
// What may differ between environments besides the motion: the materials and geometries of parts, and the pairs. An
// evaluation and a rollout take the same.
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The parameters of N environments with C parts, in the order of the bodies, and P pairs. Where an array is null, or
/// empty, the scene's value holds in every environment.
template <class Kind>
struct ParameterInputs {
  ArrayOf<Kind, AnyReal> modulus;      ///< N x C   Pa, > 0
  ArrayOf<Kind, AnyReal> dissipation;  ///< N x C   s/m or s, >= 0; overrides pair values too
  ArrayOf<Kind, AnyReal> friction;     ///< N x C   >= 0; overrides pair values too

  ArrayOf<Kind, std::int32_t> geometry_index;  ///< N x C   index into the scene's geometries; of a part with an
                                               ///< offset, its own or one of its alternatives. In a rollout
                                               ///< masses follow, as body_mass() finds them
  ArrayOf<Kind, std::uint8_t> pair_mask;       ///< N x P   0 leaves the pair out: its results are zero; an array
                                               ///< of bool does too, whose elements are bytes of 0 and 1
};

/// Calls visit(info, array) for every parameter; given several objects with members of these names, calls visit(info,
/// array of the first, array of the second, ...).
template <class Visit, class... Inputs>
constexpr void for_each_parameter_input(const Visit& visit, Inputs&... i) {
  visit(ArrayInfo{"modulus", "real", Per::kPart, 1, "Pa"}, i.modulus...);
  visit(ArrayInfo{"dissipation", "real", Per::kPart, 1, "s/m or s"}, i.dissipation...);
  visit(ArrayInfo{"friction", "real", Per::kPart, 1, "1"}, i.friction...);
  visit(ArrayInfo{"geometry_index", "int32", Per::kPart, 1, "index"}, i.geometry_index...);
  visit(ArrayInfo{"pair_mask", "uint8", Per::kPair, 1, "0 or 1"}, i.pair_mask...);
}

}  // namespace isopatch
