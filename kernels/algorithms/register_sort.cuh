// SPDX-License-Identifier: Apache-2.0
//
// A warp's rows in the order of their keys: each lane has some of them in registers, which it sorts by exchanging
// neighbors, and lanes merge theirs by bitonic networks. It takes little code, and waits little.
#pragma once

#include <cstdint>

#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

/// Row has a key of 64 bits, which no two have in common, and an index `at` of 32 bits. Lane l has `items` rows from
/// l * items on.
template <class Row, int items>
class RegisterSort {
 public:
  static constexpr int kMax = items * CudaWarp::kSize;

  /// By which lanes exchange rows: shared memory of the warp.
  struct Memory {
    std::uint64_t keys[kMax];
    std::int32_t at[kMax];
  };

  __device__ explicit RegisterSort(Memory& memory) : memory_(memory), lane_(CudaWarp().lane()) {}

  /// Puts `count` rows in order, at most kMax. Called by all lanes.
  __device__ void sort(Row* rows, int count) {
    const int first = lane_ * items;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const bool has = first + i < count;
      own_[i] = {has ? rows[first + i].key : ~std::uint64_t{0},
                 has ? static_cast<std::int32_t>(rows[first + i].at) : 0};
    }
    sort_own();
#pragma unroll 1
    for (int size = 2; size <= CudaWarp::kSize; size *= 2) {
      const bool rises = (lane_ & size) == 0;
#pragma unroll 1
      for (int apart = size / 2; apart > 0; apart /= 2) exchange(apart, ((lane_ & apart) == 0) == rises);
      merge_own(rises);
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (first + i < count) rows[first + i] = {own_[i].key, own_[i].at};
    }
    __syncwarp();
  }

 private:
  struct Item {
    std::uint64_t key;
    std::int32_t at;
  };

  /// So that odd lanes have the greatest row first, by exchanging neighbors.
  __device__ void sort_own() {
    const bool rises = lane_ % 2 == 0;
#pragma unroll 1
    for (int round = 0; round < items / 2; ++round) {
#pragma unroll
      for (int begin = 0; begin < 2; ++begin) {
#pragma unroll
        for (int i = begin; i + 1 < items; i += 2) order(own_[i], own_[i + 1], rises);
      }
    }
  }
  __device__ void merge_own(bool rises) {
#pragma unroll
    for (int apart = items / 2; apart > 0; apart /= 2) {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        if ((i & apart) == 0) order(own_[i], own_[i + apart], rises);
      }
    }
  }
  /// With the lane `apart` lanes away: one of the two takes the lesser rows.
  __device__ void exchange(int apart, bool takes_lesser) {
    __syncwarp();  // all have read the last ones
#pragma unroll
    for (int i = 0; i < items; ++i) {
      memory_.keys[i * CudaWarp::kSize + lane_] = own_[i].key;
      memory_.at[i * CudaWarp::kSize + lane_] = own_[i].at;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const int from = i * CudaWarp::kSize + (lane_ ^ apart);
      const Item other = {memory_.keys[from], memory_.at[from]};
      own_[i] = chosen((other.key < own_[i].key) == takes_lesser, other, own_[i]);
    }
  }
  __device__ static void order(Item& x, Item& y, bool rises) {
    const bool turns = (y.key < x.key) == rises;
    const Item first = chosen(turns, y, x), second = chosen(turns, x, y);
    x = first, y = second;
  }
  __device__ static Item chosen(bool first, const Item& a, const Item& b) {
    return {first ? a.key : b.key, first ? a.at : b.at};
  }

  Memory& memory_;
  const int lane_;
  Item own_[items];
};

}  // namespace isopatch::detail
