// SPDX-License-Identifier: Apache-2.0
//
// The sums of a pair in memory, and how the sums of lanes get there. For any contact model: its sums have
//
//   void for_each_word(visit)   calls visit(word) for everything that is added up, a std::int64_t each
//   void for_each_peak(visit)   calls visit(number) for each number of which the largest counts; none is negative
//
// and have as many words and peaks together as the memory.
#pragma once

#include <bit>
#include <cstdint>

#include "isopatch/detail/math/reproducible_sum.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// Sums of three numbers.
template <class Number>
struct SumVec3 {
  ReproducibleSum<Number> x, y, z;

  ISOPATCH_HD void add(MaskOf<Number> taken, const Vec3<Number>& quanta) {
    const Vec3<Number> none = {Number(0), Number(0), Number(0)};
    const Vec3<Number> term = select(taken, quanta, none);
    x.add(term.x);
    y.add(term.y);
    z.add(term.z);
  }
  template <class T>
  ISOPATCH_HD Vec3d value(const FixedPointScale<T>& scale) const {
    return {x.value(scale), y.value(scale), z.value(scale)};
  }
};

/// Sums in memory; zero while they are not in use.
template <int words>
struct StoredSums {
  static constexpr int kWords = words;
  std::int64_t word[kWords];
};

/// What the warps that share a pair add up in the frame of body a and in the frame of body b. Zero between calls.
template <int words>
struct SharedSums {
  StoredSums<words> of_frame[2];
  std::int32_t arrived;
};

template <int words>
ISOPATCH_HD void clear(StoredSums<words>& sums) {
  for (std::int64_t& word : sums.word) word = 0;
}

/// The bits of a number that is not negative, in the order of its values.
template <class Number>
ISOPATCH_HD std::int64_t ordered_bits(Number x) {
  return std::bit_cast<std::int64_t>(static_cast<double>(x));
}

/// Adds up the sums of all lanes; lane 0 ends with the total.
template <class Warp, class Sums>
ISOPATCH_HD void reduce_lanes(Warp& warp, Sums& sums) {
  sums.for_each_word([&](std::int64_t& word) { word = warp.sum(word); });
  sums.for_each_peak([&](auto& peak) { peak = warp.max(peak); });
}

/// Adds the sums of the lanes that have `mine` to stored ones: each lane adds up one word of all. Called by all lanes,
/// and by other warps at the same time.
template <class Warp, class Sums, int words>
ISOPATCH_HD void add_lanes_to(Warp& warp, bool mine, Sums& sums, StoredSums<words>& stored) {
  static_assert(Sums::kWords <= words);
  int index = 0;
  std::int64_t own = 0;
  sums.for_each_word([&](const std::int64_t& word) {
    const std::int64_t total = warp.sum(mine ? word : 0);
    if (warp.lane() == index % Warp::kSize) own = total;
    ++index;
    if (index % Warp::kSize == 0) warp.add(&stored.word[index - Warp::kSize + warp.lane()], own);
  });
  const int rest = index % Warp::kSize;
  if (warp.lane() < rest) warp.add(&stored.word[index - rest + warp.lane()], own);
  sums.for_each_peak([&](auto& peak) {
    const auto highest = warp.max(mine ? peak : decltype(peak + peak)(0));
    if (warp.lane() == 0) warp.raise(&stored.word[index], ordered_bits(highest));
    ++index;
  });
}

/// Where the lanes of a warp put the words of their sums, so that others add them up.
template <class Sums, int size>
struct LaneWords {
  static constexpr int kParts = size / Sums::kWords;  // of the lanes

  /// With fewer parts the sums of a warp are faster, as a lane would have too many words to add one after another.
  static constexpr bool kPays = kParts >= 3;

  std::int64_t word[kPays ? Sums::kWords : 1][size + 1];  // one more, as lanes read the same column
};

/// Adds the sums of each lane to stored[target]; of lanes whose target is below 0, to none. Each lane adds up one word
/// of a part of the lanes. For sums that LaneWords pays for and that have no peaks. Called by all lanes, and by other
/// warps at the same time.
template <class Warp, class Sums, int size, int words>
ISOPATCH_HD void add_lanes_to(Warp& warp, std::int32_t target, Sums& sums, LaneWords<Sums, size>& memory,
                              StoredSums<words>* stored) {
  static_assert(LaneWords<Sums, size>::kPays && Sums::kWords <= words);
  int index = 0;
  sums.for_each_word([&](const std::int64_t& word) { memory.word[index++][warp.lane()] = word; });
  warp.sync();

  constexpr int kRows = Sums::kWords, kParts = LaneWords<Sums, size>::kParts, kColumns = (size + kParts - 1) / kParts;
  int row = warp.lane(), first = 0;
  ISOPATCH_UNROLL
  for (int part = 1; part < kParts; ++part) {
    if (row < kRows) break;
    row -= kRows;
    first += kColumns;
  }
  for (std::uint32_t left = warp.ballot(target >= 0); left != 0u;) {
    const std::int32_t common = warp.from_lane(target, count_bits(~left & (left - 1u)));
    const std::uint32_t mine = warp.ballot(target == common);
    left &= ~mine;
    if (row >= kRows) continue;
    std::int64_t total = 0;
    ISOPATCH_UNROLL
    for (int k = 0; k < kColumns && first + k < size; ++k) {
      if ((mine >> (first + k) & 1u) != 0u) total = wrapping_sum(total, memory.word[row][first + k]);
    }
    warp.add(&stored[common].word[row], total);
  }
  warp.sync();  // the memory may be used again
}

/// Adds sums to stored ones. Called by one lane, and by other warps at the same time.
template <class Warp, class Sums, int words>
ISOPATCH_HD void add_to(Warp& warp, Sums& sums, StoredSums<words>& stored) {
  static_assert(Sums::kWords <= words);
  int index = 0;
  sums.for_each_word([&](std::int64_t& word) { warp.add(&stored.word[index++], word); });
  sums.for_each_peak([&](auto& peak) { warp.raise(&stored.word[index++], ordered_bits(peak)); });
}

/// Takes stored sums, and leaves zero there. Called by one lane.
template <class Warp, class Sums, int words>
ISOPATCH_HD void take_from(Warp& warp, Sums& sums, StoredSums<words>& stored) {
  static_assert(Sums::kWords <= words);
  int index = 0;
  sums.for_each_word([&](std::int64_t& word) { word = warp.take(&stored.word[index++]); });
  sums.for_each_peak([&](auto& peak) {
    using Number = decltype(peak + peak);
    peak = static_cast<Number>(std::bit_cast<double>(warp.take(&stored.word[index++])));
  });
}

}  // namespace isopatch::detail
