// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/pair/stored_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"
#include "tests/support/fiber_warp.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr int kLanes = 32, kTargets = 5;

/// Sums of any values in each lane, for targets that change `often` from lane to lane.
template <class T, bool with_patch>
void compare(Random& random, int often) {
  using Sums = detail::WrenchSums<T, with_patch>;
  std::array<Sums, kLanes> sums;
  std::array<std::int32_t, kLanes> target = {};
  std::vector<detail::StoredWrenchSums> stored(kTargets), expected(kTargets);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    target[i] = lane > 0 && random.below(often) != 0 ? target[i - 1] : random.below(kTargets + 1) - 1;
    sums[i].for_each_word(
        [&](std::int64_t& word) { word = static_cast<std::int64_t>(random.uniform(-1, 1) * 0x1p62); });
    sums[i].for_each_peak([&](T& peak) { peak = static_cast<T>(random.uniform(0, 1)); });
    if (target[i] < 0) continue;
    std::int64_t* to = expected[static_cast<std::size_t>(target[i])].word;
    sums[i].for_each_word([&](const std::int64_t& word) {
      *to = detail::wrapping_sum(*to, word);
      ++to;
    });
    sums[i].for_each_peak([&](const T& peak) { *to = std::max(*to, detail::ordered_bits(peak)); });
  }
  detail::LaneWords<Sums, kLanes> memory;
  FiberGroup<kLanes> group;
  group.run([&](FiberWarp<kLanes>& warp) {
    const auto lane = static_cast<std::size_t>(warp.lane());
    if constexpr (detail::LaneWords<Sums, kLanes>::kPays) {
      detail::add_lanes_to(warp, target[lane], sums[lane], memory, stored.data());
    } else {
      for (int k = 0; k < kTargets; ++k) {
        detail::add_lanes_to(warp, target[lane] == k, sums[lane], stored[static_cast<std::size_t>(k)]);
      }
    }
  });
  for (std::size_t k = 0; k < kTargets; ++k) {
    for (int word = 0; word < detail::kWrenchWords; ++word) {
      EXPECT_EQ(stored[k].word[word], expected[k].word[word]) << "target " << k << ", word " << word;
    }
  }
}

TEST(StoredSums, GetTheSumsOfTheLanesThatNameThem) {
  Random random(41);
  for (const int often : {1, 3, 40}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      compare<float, false>(random, often);
      compare<float, true>(random, often);
      compare<double, false>(random, often);
      compare<double, true>(random, often);
    }
  }
}

}  // namespace
}  // namespace isopatch::test
