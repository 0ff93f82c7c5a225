// SPDX-License-Identifier: Apache-2.0
//
// Sums over the patch of each pair.
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// Sums over the patches of N environments with P pairs, world frame.
template <class Kind>
struct PatchOutputs {
  ArrayOf<Kind, AnyReal> area;  ///< N x P       m^2
  ArrayOf<Kind, AnyReal>
      center_of_pressure;              ///< N x P x 3   m, world: integral of x p / integral of p; 0 without contact
  ArrayOf<Kind, AnyReal> mean_normal;  ///< N x P x 3   integral of n dS over the area, from b into a; 0 without contact
  ArrayOf<Kind, AnyReal> max_pressure;        ///< N x P       Pa, at a polygon vertex
  ArrayOf<Kind, AnyReal> friction_force;      ///< N x P x 3   N, the tangential part of the force on a
  ArrayOf<Kind, std::int32_t> polygon_count;  ///< N x P   polygons of non-zero area
};

/// Calls visit(info, array) for every array of PatchOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_patch_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"area", "real", Per::kPair, 1, "m^2"}, o.area...);
  visit(ArrayInfo{"center_of_pressure", "real", Per::kPair, 3, "m", OutputGroup::kPatch}, o.center_of_pressure...);
  visit(ArrayInfo{"mean_normal", "real", Per::kPair, 3, "1", OutputGroup::kPatch}, o.mean_normal...);
  visit(ArrayInfo{"max_pressure", "real", Per::kPair, 1, "Pa", OutputGroup::kPatch}, o.max_pressure...);
  visit(ArrayInfo{"friction_force", "real", Per::kPair, 3, "N", OutputGroup::kPatch}, o.friction_force...);
  visit(ArrayInfo{"polygon_count", "int32", Per::kPair, 1, "1"}, o.polygon_count...);
}

}  // namespace isopatch
