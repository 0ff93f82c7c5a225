// SPDX-License-Identifier: Apache-2.0
//
// The arrays of calls as constants, made of the lists in isopatch/arrays.h and isopatch/rollout_state.h: how many there
// are and what they are called follows from these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "host/evaluation/output_table.h"
#include "host/evaluation/strides.h"
#include "host/python/arrays/array_rules.h"
#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"

namespace isopatch::python {

using isopatch::detail::kNeeded, isopatch::detail::kOutputs, isopatch::detail::listed_arrays;

inline constexpr auto kInputs = listed_arrays([](const auto& visit) { for_each_input(visit); });
/// Whether an array of a state may be None, or left out, where it has no elements.
constexpr bool may_be_left_out(const ArrayInfo& info) {
  const std::string_view name = info.name;
  return name == "contact_state" || name == "joint_rates";
}

inline constexpr auto kState = listed_arrays([](const auto& visit) { for_each_rollout_state(visit); });
inline constexpr auto kStepInputs = listed_arrays([](const auto& visit) { for_each_rollout_input(visit); });
inline constexpr auto kStepOutputs = listed_arrays([](const auto& visit) { for_each_rollout_output(visit); });

inline constexpr std::size_t kNumInputs = kInputs.size();
inline constexpr std::size_t kNumOutputs = kOutputs.size();
inline constexpr std::size_t kNumStateArrays = kState.size();
inline constexpr std::size_t kNumStepInputs = kStepInputs.size();
inline constexpr std::size_t kNumStepOutputs = kStepOutputs.size();

/// The outputs with a capacity, in the order of Per.
inline constexpr auto kBuffers = [] {
  std::array<std::size_t, kNumPers - static_cast<std::size_t>(kFirstCapacity)> buffers{};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = isopatch::detail::buffer_of(static_cast<Per>(static_cast<std::size_t>(kFirstCapacity) + i));
  }
  return buffers;
}();

/// Arguments that are still read: each is the capacity of one or two outputs.
struct OldCapacity {
  const char* name;
  Per pers[2];
};
inline constexpr OldCapacity kOldCapacities[] = {
    {"polygon_capacity", {Per::kPolygonCapacity, Per::kPackedPolygonCapacity}},
    {"contact_capacity", {Per::kContactCapacity, Per::kPackedContactCapacity}},
    {"potential_contact_capacity", {Per::kPotentialContactCapacity, Per::kPotentialContactCapacity}},
    {"relation_capacity", {Per::kRelationCapacity, Per::kRelationCapacity}},
    {"member_capacity", {Per::kMemberCapacity, Per::kMemberCapacity}}};

/// Sets the sizes of the results that the counts have.
inline void set_sizes(Results& results, const ArrayCounts& counts) {
  results.max_clusters = static_cast<std::int32_t>(counts.clusters);
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        if constexpr (isopatch::detail::HasCapacity<decltype(array)>) {
          array.capacity = static_cast<decltype(array.capacity)>(counts[info.per]);
        }
      },
      results);
}

static_assert(std::max({kNumInputs, kNumOutputs, kNumStepInputs, kNumStepOutputs}) < 64,
              "chosen arrays are the bits of an integer, which XLA has as int64");

/// Whether a view has room for the axes of each array, and for one more of the words of a record.
template <std::size_t kCount>
consteval bool have_room(const std::array<ArrayInfo, kCount>& arrays) {
  return std::all_of(arrays.begin(), arrays.end(),
                     [](const ArrayInfo& info) { return num_dimensions(info) < ArrayView::kMaxDimensions; });
}
static_assert(have_room(kInputs) && have_room(kOutputs) && have_room(kState) && have_room(kStepInputs) &&
                  have_room(kStepOutputs),
              "ArrayView::kMaxDimensions is too small");

}  // namespace isopatch::python
