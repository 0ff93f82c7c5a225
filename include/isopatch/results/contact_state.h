// SPDX-License-Identifier: Apache-2.0
//
// What the contact models carry from one step to the next.
#pragma once

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The contact states of N environments with Q part pairs.
template <class Kind>
struct ContactStateOutputs {
  ArrayOf<Kind, AnyReal>
      contact_state;  ///< N x Q x S, S = Scene::contact_state_size(); may be the array State::contact_state
};

/// Calls visit(info, array) for every array of ContactStateOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_contact_state_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"contact_state", "real", Per::kPartPair, 0, "", OutputGroup::kContactState}, o.contact_state...);
}

}  // namespace isopatch
