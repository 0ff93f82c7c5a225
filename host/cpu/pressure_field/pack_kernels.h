// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of one pair in packs, compiled once for each instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/pressure_field/wrench_sums.h"
#include "isopatch/evaluator.h"

namespace isopatch {

/// The nodes of a wide node as detail::TransformedBox: a row for each of its numbers in turn, one for the sizes, and
/// one for the bits of the children.
struct alignas(64) TransformedWideNode {
  static constexpr int kSize = 26, kChild = 27;
  float row[kChild + 1][detail::kWide];
};

/// What a pack traversal works in, per thread; for packs of up to kMaxLanes.
struct PackWorkspace {
  static constexpr int kMaxLanes = 16;  // of floats

  /// The wide nodes that a pair has opened so far, in that order. opener[i] is twice the number of transformed[i], plus
  /// one where it is one of M; index_of[opener[i]] is i, and any number for those that have not been opened.
  std::unique_ptr<TransformedWideNode[]> transformed;
  std::unique_ptr<std::int32_t[]> opener, index_of;

  /// For hierarchies of up to so many wide nodes.
  explicit PackWorkspace(std::int32_t wide_nodes);

  /// The wide node opened[i] / 2, of M where that number is odd, is to be tested against one node of the other body,
  /// whose first number is kept[i] among those of all in `transformed`, or a half space. Up to kBatch on top are
  /// replaced by at most kWide each, one level further down, the lower ones' first. So levels rise towards the top,
  /// there are at most kBatch kWide of each, and the two bodies have at most kMaxDepth levels each. The stores that
  /// fill it go kWide further.
  static constexpr int kBatch = 8;
  static constexpr int kStack = kBatch * detail::kWide * (2 * detail::kMaxDepth + 1) + detail::kWide;
  std::int32_t opened[kStack], kept[kStack];

  /// Pairs of cells that wait for a full pack: fewer than that, what one round adds, and as much as a store goes too
  /// far.
  static constexpr int kQueue = kMaxLanes + kBatch * detail::kWide + detail::kWide;
  struct Candidates {
    std::int32_t m[kQueue], s[kQueue];
  };
  struct Accepted {
    std::int32_t m[kQueue], s[kQueue];
    std::int32_t positive[kQueue];  // detail::PolygonBounds, member by member
    float x[kQueue], y[kQueue], z[kQueue], radius[kQueue];
  };
  Candidates candidates;
  Accepted accepted = {};  // a lane without work reads what was there
};

/// Adds the contributions of all polygons of a pair to `sums`.
template <class T, bool with_patch>
using SumPair = void (*)(const detail::PairContext&, PackWorkspace&, detail::WrenchSums<T, with_patch>&);

/// One for each scalar, without and with the sums of the patch; std::get by type.
using PackKernels =
    std::tuple<SumPair<float, false>, SumPair<float, true>, SumPair<double, false>, SumPair<double, true>>;

/// Null where the build is for a machine without vectors of doubles or without fma.
const PackKernels* baseline_pack_kernels();

/// Null where the build has none; may be called only where the machine has AVX-512 (F, BW, CD, DQ, VL).
const PackKernels* avx512_pack_kernels();

/// The ones to use; null for plain arithmetic. Throws Error for a width this machine or build does not have.
const PackKernels* select_pack_kernels(Vectors vectors);

}  // namespace isopatch
