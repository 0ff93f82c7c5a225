// SPDX-License-Identifier: Apache-2.0
//
// The elastic energy of each pair.
#pragma once

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"

namespace isopatch {

/// The energies of N environments with P pairs.
template <class Kind>
struct EnergyOutputs {
  /// N x P J, elastic energy: integral of min(p_A, p_B) over the overlap (PFC eq. 1). Continuous in the pose; it has a
  /// kink, at which the wrench jumps, where the two pressures are equal throughout a volume.
  ArrayOf<Kind, AnyReal> energy;
};

/// Calls visit(info, array) for every array of EnergyOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_energy_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"energy", "real", Per::kPair, 1, "J", OutputGroup::kEnergy}, o.energy...);
}

}  // namespace isopatch
