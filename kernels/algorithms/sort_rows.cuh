// SPDX-License-Identifier: Apache-2.0
//
// A warp's or a block's rows in the order of their keys, by CUB in shared memory. What does not fit there is merged in
// global memory, by sort_rows() of isopatch/detail/simt/merge_sort.h. No two rows have the same key.
#pragma once

#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <type_traits>

#include "isopatch/detail/simt/merge_sort.h"
#include "kernels/runtime/cuda_block.cuh"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

struct KeyOrder {
  template <class Row>
  __device__ bool operator()(const Row& x, const Row& y) const {
    return x.key < y.key;
  }
};

/// How CUB sorts the rows of a group, `items` of each thread. One row less fits than there are items, since CUB reads
/// one more.
template <class Row, class Group, int items>
struct SharedSort {
  static constexpr int kMax = items * Group::kSize - 1;

  using Sort = std::conditional_t<std::is_same_v<Group, CudaWarp>, cub::WarpMergeSort<Row, items>,
                                  cub::BlockMergeSort<Row, Group::kSize, items>>;
  using Memory = typename Sort::TempStorage;

  /// Writes the rows to `sorted`, an iterator. Their keys are below the key of `last`. Called by all threads, with the
  /// same count, at most kMax. The memory may be used again after a sync().
  template <class Sorted>
  __device__ static void sort(const Group& group, Memory& memory, const Row* rows, int count, const Row& last,
                              const Sorted& sorted) {
    Row own[items];
    cub::LoadDirectBlocked(group.lane(), rows, own, count, last);
    Sort(memory).Sort(own, KeyOrder(), count, last);
    cub::StoreDirectBlocked(group.lane(), sorted, own, count);
  }
};

}  // namespace isopatch::detail
