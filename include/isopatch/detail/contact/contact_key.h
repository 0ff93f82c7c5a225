// SPDX-License-Identifier: Apache-2.0
//
// What orders the contact polygons of an environment, however they were found: part pair, cell of M, cell of S.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

/// Bits of a key that are for a cell; the part pair has the rest.
inline constexpr int kCellBits = 24;

/// How many part pairs a scene can have, layers of half spaces counted one by one.
inline constexpr std::size_t kMaxPartPairs = std::size_t{1} << (63 - 2 * kCellBits);

ISOPATCH_HD std::uint64_t polygon_key(int part_pair, std::int32_t m, std::int32_t s) {
  const auto cell = [](std::int32_t index) { return static_cast<std::uint64_t>(index < 0 ? 0 : index); };
  return static_cast<std::uint64_t>(part_pair) << 2 * kCellBits | cell(m) << kCellBits | cell(s);
}

/// The same of one of the points of a polygon, which leaves fewer bits for cells.
inline constexpr int kPointBits = 6, kPointCellBits = kCellBits - kPointBits / 2;

ISOPATCH_HD std::uint64_t point_key(int part_pair, std::int32_t m, std::int32_t s, int point) {
  const auto cell = [](std::int32_t index) { return static_cast<std::uint64_t>(index < 0 ? 0 : index); };
  return static_cast<std::uint64_t>(part_pair) << 2 * kCellBits | cell(m) << (kPointCellBits + kPointBits) |
         cell(s) << kPointBits | static_cast<std::uint64_t>(point);
}

ISOPATCH_HD int part_pair_of(std::uint64_t key) { return static_cast<int>(key >> 2 * kCellBits); }

}  // namespace isopatch::detail
