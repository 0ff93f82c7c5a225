// SPDX-License-Identifier: Apache-2.0
//
// The arrays of calls as constants, made of the lists in isopatch/arrays.h and isopatch/rollout_state.h: how many there
// are and what they are called follows from these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "host/evaluation/array_check.h"
#include "host/python/arrays/array_rules.h"
#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"

namespace isopatch::python {

/// The arrays that a function without captures visits.
template <class ForEach>
consteval auto listed_arrays(ForEach) {
  std::array<ArrayInfo, isopatch::detail::count_arrays(ForEach{})> arrays{};
  std::size_t i = 0;
  ForEach{}([&](const ArrayInfo& info) { arrays[i++] = info; });
  return arrays;
}

inline constexpr auto kInputs = listed_arrays([](const auto& visit) { for_each_input(visit); });
inline constexpr auto kOutputs = listed_arrays([](const auto& visit) { for_each_output(visit); });
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
