// SPDX-License-Identifier: Apache-2.0
//
// Patch contacts of a batch, to be compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/support/scenes.h"

namespace isopatch::test {

/// Room for patch contacts, filled with what no evaluation writes, and with the status.
inline ResultArrays patch_results(const Scene& scene, std::int64_t environments, int max_clusters) {
  ResultArrays results(scene, environments, {.max_clusters = max_clusters});
  for_each_output(
      [](const ArrayInfo& info, auto& values) {
        if constexpr (std::is_arithmetic_v<typename std::remove_cvref_t<decltype(values)>::value_type>) {
          if (info.group == OutputGroup::kPatchContacts) std::fill(values.begin(), values.end(), 7);
        }
      },
      results);
  return results;
}

inline ResultArrays patch_results(const HostEvaluator& evaluator, const Batch& batch, int max_clusters) {
  ResultArrays results = patch_results(evaluator.scene(), batch.num_environments, max_clusters);
  evaluator.evaluate(batch.view(), results.view());
  return results;
}

/// Expects patch contacts and status with the same bits.
inline void expect_same_patches(const ResultArrays& found, const ResultArrays& expected) {
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(found.patch_count, expected.patch_count);
  for_each_output(
      [](const ArrayInfo& info, const auto& a, const auto& b) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(a)>, std::vector<double>>) {
          if (info.group != OutputGroup::kPatchContacts) return;
          ASSERT_EQ(a.size(), b.size()) << info.name;
          for (std::size_t i = 0; i < a.size(); ++i) {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
                << info.name << " at " << i << ": " << a[i] << " and " << b[i];
          }
        }
      },
      found, expected);
}

/// How many pairs have points.
inline std::int64_t num_patches(const ResultArrays& results) {
  return std::count_if(results.patch_count.begin(), results.patch_count.end(), [](int count) { return count > 0; });
}

}  // namespace isopatch::test
