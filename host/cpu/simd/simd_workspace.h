// SPDX-License-Identifier: Apache-2.0
//
// The memory of a traversal with SIMD of up to kMaxLanes. One for each thread.
#pragma once

#include <cstdint>
#include <memory>

#include "host/threads/work_counter.h"
#include "isopatch/detail/bvh/node.h"

namespace isopatch::detail {

/// The nodes of a wide node in the frames of both bodies: rows of numbers whose meaning the contact model's node test
/// defines, then a row of sizes and one of children, as bits.
struct alignas(64) TransformedWideNode {
  static constexpr int kSize = 26, kChild = 27;
  float row[kChild + 1][kWide];
};

/// Pairs of cells by their indices, s being -1 for a half space.
struct SimdTraversalMemory {
  static constexpr int kMaxLanes = 16;  // of floats

  /// The wide nodes that a pair has opened so far, in that order. `opener` has for each twice the index of its wide
  /// node, plus one if that is of M. `index_of` maps back to the index in `transformed`; its value is arbitrary for
  /// wide nodes that have not been opened.
  ///
  ///   opener:       2 i or 2 i + 1 of ...  [first]  [second]  [third] ...
  ///   transformed:                         [first]  [second]  [third] ...
  ///   index_of[opener[k]] == k
  std::unique_ptr<TransformedWideNode[]> transformed;
  std::unique_ptr<std::int32_t[]> opener, index_of;

  /// For hierarchies of at most this many wide nodes.
  explicit SimdTraversalMemory(std::int32_t wide_nodes);

  /// The stack. An entry is a wide node to be opened, as in `opener`, and the one node of the other body that it is
  /// tested against: the index of that node's first number in `transformed`, taken as one array. Up to kBatch entries
  /// on top are replaced by at most kWide each, one level further down, those of lower entries first. So levels rise
  /// towards the top, there are at most kBatch kWide entries of each level, and the two bodies have at most kMaxDepth
  /// levels each. The stores that fill the stack write up to kWide entries too many.
  static constexpr int kBatch = 8;
  static constexpr int kStack = kBatch * kWide * (2 * kMaxDepth + 1) + 2 * kWide;  // whole cache lines
  alignas(64) std::int32_t opened[kStack], kept[kStack];

  /// Pairs of cells that wait for their test: what may wait, plus what one round adds, and what a store writes too
  /// many.
  static constexpr int kMaxWaiting = 512;
  static constexpr int kQueue = kMaxWaiting + kBatch * kWide + kWide;
  struct alignas(64) Candidates {
    std::int32_t m[kQueue], s[kQueue];
  };
  Candidates candidates;

  WorkCounter counter;  // of all traversals
};

}  // namespace isopatch::detail
