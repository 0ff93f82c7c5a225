// SPDX-License-Identifier: Apache-2.0
//
// What pairs of rigid polytopes have: no wrench, which takes a step, but how far they are apart.
#pragma once

#include <vector>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The rigid polytopes of N environments with P pairs; 0 of pairs that have none, that are masked, or in an environment
/// with a fault.
struct PolytopeOutputs {
  OutputArray separation;  ///< N x P   m, how far the nearest two parts are apart: the largest gap over all directions
                           ///< that separate them, at most their distance; negative: the depth of the overlap, the
                           ///< shortest way that brings the deepest two parts apart
  OutputArray overlap;     ///< N x P   m^3, that both bodies have in common, summed over their parts
};

/// Calls visit(info, array) for every array of PolytopeOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_polytope_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"separation", "real", Per::kPair, 1, "m", OutputGroup::kPolytopes}, o.separation...);
  visit(ArrayInfo{"overlap", "real", Per::kPair, 1, "m^3", OutputGroup::kPolytopes}, o.overlap...);
}

/// Their owners in host memory.
struct PolytopeArrays {
  std::vector<double> separation;  ///< N x P   m
  std::vector<double> overlap;     ///< N x P   m^3
};

}  // namespace isopatch
