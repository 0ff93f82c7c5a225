// SPDX-License-Identifier: Apache-2.0
//
// The lists of arrays as constants.
#pragma once

#include <array>
#include <cstddef>

#include "isopatch/arrays.h"
#include "isopatch/results.h"

namespace isopatch::detail {

/// How many arrays a list of them visits.
template <class ForEach>
consteval std::size_t count_arrays(const ForEach& for_each) {
  std::size_t count = 0;
  for_each([&](const ArrayInfo&) { ++count; });
  return count;
}

/// The arrays that a function without captures visits.
template <class ForEach>
consteval auto listed_arrays(ForEach) {
  std::array<ArrayInfo, count_arrays(ForEach{})> arrays{};
  std::size_t i = 0;
  ForEach{}([&](const ArrayInfo& info) { arrays[i++] = info; });
  return arrays;
}

inline constexpr auto kOutputs = listed_arrays([](const auto& visit) { for_each_output(visit); });

/// The first output that fits; the number of outputs if there is none.
template <class Fits>
constexpr std::size_t first_output(const Fits& fits) {
  std::size_t i = 0;
  while (i < kOutputs.size() && !fits(kOutputs[i])) ++i;
  return i;
}

/// The buffer among the arrays with this number of rows.
constexpr std::size_t buffer_of(Per per) {
  return first_output([&](const ArrayInfo& info) { return info.per == per; });
}

/// Which output each of them cannot be without: a buffer the counts of its records, or where they begin; what has a row
/// for each record the records. The number of outputs if it needs none. (A sum over pairs needs these too, if there are
/// pairs.)
inline constexpr auto kNeeded = [] {
  std::array<std::size_t, kOutputs.size()> needed{};
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const ArrayInfo& own = kOutputs[i];
    const std::size_t buffer = own.has_capacity() ? buffer_of(own.per) : needed.size();
    needed[i] = buffer != i ? buffer : first_output([&](const ArrayInfo& info) {
      return info.group == own.group && info.per == (own.is_packed() ? Per::kOffset : Per::kEnvironment);
    });
  }
  return needed;
}();

/// Whether the energy is wanted and no other output, so that nothing has to be integrated over contact surfaces but it.
inline bool wants_only_energy(const Results& results) {
  if (results.energy.data == nullptr) return false;
  bool others = false;
  for_each_output(
      [&](const ArrayInfo& info, const auto& array) {
        others = others || (info.group != OutputGroup::kEnergy && array.data != nullptr);
      },
      results);
  return !others;
}

}  // namespace isopatch::detail
