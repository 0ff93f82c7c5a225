// SPDX-License-Identifier: Apache-2.0
//
// Features of a shape as bits of words. nvcc 13 compiles std::countr_zero() to a constant, so it is not used here.
#pragma once

#include <cstdint>

#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// Faces of a shape, which has at most 64.
using FaceBits = std::uint64_t;

/// The bits of so many features, in words.
ISOPATCH_HD constexpr int bit_words(int count) { return (count + 31) / 32; }

/// The index of the lowest bit of a word that is not 0: as many bits are below it.
ISOPATCH_HD int lowest_bit(std::uint32_t word) { return count_bits((word & (0u - word)) - 1u); }

ISOPATCH_HD int lowest_face(FaceBits faces) {
  const auto low = static_cast<std::uint32_t>(faces), high = static_cast<std::uint32_t>(faces >> 32);
  return low != 0u ? lowest_bit(low) : 32 + lowest_bit(high);
}

ISOPATCH_HD bool has_face(FaceBits faces, std::int32_t face) {
  return (static_cast<std::uint32_t>(faces >> face) & 1u) != 0u;
}

}  // namespace isopatch::detail
