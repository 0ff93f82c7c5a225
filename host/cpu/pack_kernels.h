// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of one pair in packs, compiled once for each instruction set.
#pragma once

#include <tuple>

#include "isopatch/detail/wrench_sums.h"
#include "isopatch/evaluator.h"

namespace isopatch {

/// What a pack traversal works in, per thread; for packs of up to kMaxLanes.
struct PackWorkspace {
  static constexpr int kMaxLanes = 16;  // of floats

  /// The nodes below `opened` are to be tested against one node of the other body, which has the number `kept`.
  struct Entry {
    std::int32_t opened;  // a wide node of M, or of S
    std::int32_t kept;    // 8 * wide node + place
    bool opened_M;
  };

  /// One pair is replaced by at most kWide of the next level, and the two bodies have at most kMaxDepth levels each.
  static constexpr int kStack = (detail::kWide - 1) * (2 * detail::kMaxDepth + 1) + 2;
  Entry stack[kStack];

  /// Pairs of cells that wait for a full pack: fewer than that, and what one round adds.
  struct CellPairs {
    std::int32_t m[2 * kMaxLanes], s[2 * kMaxLanes];
  };
  CellPairs candidates, accepted;
};

/// Adds the contributions of all polygons of a pair to `sums`.
template <class T, bool with_patch>
using SumPair = void (*)(const detail::PairFrame&, PackWorkspace&, detail::WrenchSums<T, with_patch>&);

/// One for each scalar, without and with the sums of the patch; std::get by type.
using PackKernels =
    std::tuple<SumPair<float, false>, SumPair<float, true>, SumPair<double, false>, SumPair<double, true>>;

/// Null where the build is for a machine without vectors of doubles or without fma.
const PackKernels* build_pack_kernels();

/// Null where the build has none; may be called only where the machine has AVX-512 (F, BW, CD, DQ, VL).
const PackKernels* avx512_pack_kernels();

/// The ones to use; null for plain arithmetic. Throws Error for a width this machine or build does not have.
const PackKernels* select_pack_kernels(Vectors vectors);

}  // namespace isopatch
