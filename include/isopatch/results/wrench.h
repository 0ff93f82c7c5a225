// SPDX-License-Identifier: Apache-2.0
//
// The wrenches of pairs, part pairs and bodies, and the status.
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The wrenches of N environments with P pairs, Q part pairs and B bodies. Force in N, torque in N m, world frame.
template <class Kind>
struct WrenchOutputs {
  ArrayOf<Kind, AnyReal> pair_wrench;       ///< N x P x 6   force on body a, then torque on a about a's body origin
  ArrayOf<Kind, AnyReal> part_pair_wrench;  ///< N x Q x 6   the part of pair_wrench from each of Scene::part_pairs(),
                                            ///< about the same point
  ArrayOf<Kind, AnyReal>
      body_wrench;  ///< N x B x 6   sum over the body's pairs, torque about its own origin; needs pair_wrench
  ArrayOf<Kind, std::uint32_t> status;  ///< N   bits of Status
};

/// Calls visit(info, array) for every array of WrenchOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_wrench_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"pair_wrench", "real", Per::kPair, 6, "N; N m"}, o.pair_wrench...);
  visit(ArrayInfo{"part_pair_wrench", "real", Per::kPartPair, 6, "N; N m", OutputGroup::kPartPair},
        o.part_pair_wrench...);
  visit(ArrayInfo{"body_wrench", "real", Per::kBody, 6, "N; N m"}, o.body_wrench...);
  visit(ArrayInfo{"status", "uint32", Per::kEnvironment, 1, "bits of Status"}, o.status...);
}

}  // namespace isopatch
