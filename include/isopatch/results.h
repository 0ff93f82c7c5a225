// SPDX-License-Identifier: Apache-2.0
//
// The arrays that an evaluation writes. All memory belongs to the caller; a null array is not computed.
#pragma once

#include <type_traits>

#include "isopatch/results/contact_state.h"
#include "isopatch/results/derivatives.h"
#include "isopatch/results/energy.h"
#include "isopatch/results/packed_rows.h"
#include "isopatch/results/patch.h"
#include "isopatch/results/patch_contacts.h"
#include "isopatch/results/polygons.h"
#include "isopatch/results/polytopes.h"
#include "isopatch/results/single_contact.h"
#include "isopatch/results/wrench.h"

namespace isopatch {

/// The arrays of all groups.
template <class Kind>
struct OutputGroups : WrenchOutputs<Kind>,
                      PatchOutputs<Kind>,
                      EnergyOutputs<Kind>,
                      PolygonOutputs<Kind>,
                      PackedRowOutputs<Kind>,
                      PatchContactOutputs<Kind>,
                      ContactStateOutputs<Kind>,
                      SingleContactOutputs<Kind>,
                      PolytopeOutputs<Kind>,
                      DerivativeOutputs<Kind> {};

/// Results of N environments. What takes one group takes any Results.
struct Results : OutputGroups<OutputViews> {};

static_assert(std::is_trivially_copyable_v<Results>, "kernels take it by value");

/// Calls visit(info, array) for every output; given several objects with members of these names, calls visit(info,
/// array of the first, array of the second, ...).
template <class Visit, class... AnyResults>
constexpr void for_each_output(const Visit& visit, AnyResults&... r) {
  for_each_wrench_output(visit, r...);
  for_each_patch_output(visit, r...);
  for_each_energy_output(visit, r...);
  for_each_polygon_output(visit, r...);
  for_each_packed_row_output(visit, r...);
  for_each_patch_contact_output(visit, r...);
  for_each_contact_state_output(visit, r...);
  for_each_single_contact_output(visit, r...);
  for_each_polytope_output(visit, r...);
  for_each_derivative_output(visit, r...);
}

/// Whether any output of the group is asked for.
inline bool is_wanted(const Results& results, OutputGroup group) {
  bool wanted = false;
  for_each_output([&](const ArrayInfo& info,
                      const auto& array) { wanted = wanted || (info.group == group && array.data != nullptr); },
                  results);
  return wanted;
}

}  // namespace isopatch
