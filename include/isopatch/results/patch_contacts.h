// SPDX-License-Identifier: Apache-2.0
//
// Each patch as a few point contacts (INTERFACE.md).
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The patches of N environments with P pairs as point contacts: K = max_clusters groups of four for each pair.
template <class Kind>
struct PatchContactOutputs {
  ArrayOf<Kind, AnyReal> patch_point;      ///< N x P x K x 4 x 3   m, world
  ArrayOf<Kind, AnyReal> patch_normal;     ///< N x P x K x 3       unit, from b into a; of all four points
  ArrayOf<Kind, AnyReal> patch_stiffness;  ///< N x P x K x 4       N/m
  ArrayOf<Kind, AnyReal>
      patch_distance;  ///< N x P x K x 4       m; the normal force of a point is stiffness * -distance
  ArrayOf<Kind, AnyReal> patch_residual;  ///< N x P x 6   N, N m on a about its body origin: the wrench of the pressure
                                          ///< alone, without damping and friction, less the points' wrench
  ArrayOf<Kind, std::int32_t> patch_count;  ///< N x P   clusters that have points; those behind them are 0
  std::int32_t max_clusters = 1;            ///< K, the most clusters of normals of a pair, from 1 to 16
};

/// Calls visit(info, array) for every array of PatchContactOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_patch_contact_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"patch_point", "real", Per::kCluster, 12, "m", OutputGroup::kPatchContacts}, o.patch_point...);
  visit(ArrayInfo{"patch_normal", "real", Per::kCluster, 3, "1", OutputGroup::kPatchContacts}, o.patch_normal...);
  visit(ArrayInfo{"patch_stiffness", "real", Per::kCluster, 4, "N/m", OutputGroup::kPatchContacts},
        o.patch_stiffness...);
  visit(ArrayInfo{"patch_distance", "real", Per::kCluster, 4, "m", OutputGroup::kPatchContacts}, o.patch_distance...);
  visit(ArrayInfo{"patch_residual", "real", Per::kPair, 6, "N; N m", OutputGroup::kPatchContacts}, o.patch_residual...);
  visit(ArrayInfo{"patch_count", "int32", Per::kPair, 1, "1", OutputGroup::kPatchContacts}, o.patch_count...);
}

}  // namespace isopatch
