// SPDX-License-Identifier: Apache-2.0
//
// What orders the contacts of an environment, however they were found: two parts, then the cells of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "isopatch/detail/math/macros.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

/// No two contacts of an environment have the same key. Cells are numbered as in their mesh, since hierarchies do not
/// change the order of cells.
struct ContactKey {
  std::int32_t parts;   // which two, in the order of pair, part of body a, part of body b
  std::int32_t cell_M;  // 0 for a contact of two parts as a whole
  std::int32_t cell_S;  // likewise; of a row 1 more, and 0 or its layer for a half space

  /// Of a row of results: all layers of a half space have the same parts.
  ISOPATCH_HD static ContactKey of_row(int pair, std::int32_t part_a, std::int32_t part_b, std::int32_t layer,
                                       std::int32_t m, std::int32_t s) {
    return {(pair * limits::kMaxParts + part_a) * limits::kMaxParts + part_b, m, s < 0 ? layer : s + 1};
  }

  /// Of a contact of the solver: each layer of a half space is a part pair.
  ISOPATCH_HD static ContactKey of_part_pair(std::int32_t part_pair, std::int32_t m = 0, std::int32_t s = 0) {
    return {part_pair, m < 0 ? 0 : m, s < 0 ? 0 : s};
  }

  // A solver sorts contacts by one word: 15 bits of the part pair, 24 of each cell, or 21 of each and 6 of a point of
  // the polygon. So a simulator takes meshes of at most 2^24 cells.
  static constexpr int kCellBits = 24, kPointBits = 6, kPointCellBits = kCellBits - kPointBits / 2;

  ISOPATCH_HD std::uint64_t word() const {
    return static_cast<std::uint64_t>(parts) << 2 * kCellBits | static_cast<std::uint64_t>(cell_M) << kCellBits |
           static_cast<std::uint64_t>(cell_S);
  }
  ISOPATCH_HD std::uint64_t word_of_point(int point) const {
    return static_cast<std::uint64_t>(parts) << 2 * kCellBits |
           static_cast<std::uint64_t>(cell_M) << (kPointCellBits + kPointBits) |
           static_cast<std::uint64_t>(cell_S) << kPointBits | static_cast<std::uint64_t>(point);
  }

  friend ISOPATCH_HD bool operator<(const ContactKey& x, const ContactKey& y) {
    if (x.parts != y.parts) return x.parts < y.parts;
    return x.cell_M != y.cell_M ? x.cell_M < y.cell_M : x.cell_S < y.cell_S;
  }
  friend ISOPATCH_HD bool operator==(const ContactKey& x, const ContactKey& y) {
    return x.parts == y.parts && x.cell_M == y.cell_M && x.cell_S == y.cell_S;
  }
};

static_assert(std::int64_t{limits::kMaxPairs} * limits::kMaxParts * limits::kMaxParts <=
                  std::numeric_limits<std::int32_t>::max(),
              "the pair and both parts fit 32 bits");
static_assert(limits::kMaxPartPairs <= std::size_t{1} << (63 - 2 * ContactKey::kCellBits),
              "the part pair fits what cells leave of the word");

}  // namespace isopatch::detail
