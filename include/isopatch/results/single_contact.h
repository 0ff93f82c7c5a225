// SPDX-License-Identifier: Apache-2.0
//
// What single contacts have besides their wrench.
#pragma once

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The single contacts of N environments with Q part pairs, world frame; 0 without contact, and of pressure fields.
template <class Kind>
struct SingleContactOutputs {
  ArrayOf<Kind, AnyReal> volume;  ///< N x Q       m^3, of what both parts have in common; 0 of a point contact
  ArrayOf<Kind, AnyReal>
      second_moments;  ///< N x Q x 6   m^5, xx yy zz xy xz yz of the integral of (x - p)(x - p)^T over it
  ArrayOf<Kind, AnyReal> damping_matrix;  ///< N x Q x 36  SingleContact::damping_matrix
};

/// Calls visit(info, array) for every array of SingleContactOutputs, or of several objects at once as
/// for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_single_contact_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"volume", "real", Per::kPartPair, 1, "m^3", OutputGroup::kSingleContact}, o.volume...);
  visit(ArrayInfo{"second_moments", "real", Per::kPartPair, 6, "m^5", OutputGroup::kSingleContact},
        o.second_moments...);
  visit(ArrayInfo{"damping_matrix", "real", Per::kPartPair, 36, "N s/m; N s; N m s", OutputGroup::kSingleContact},
        o.damping_matrix...);
}

}  // namespace isopatch
