// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace isopatch {

/// The 32 lanes of a hardware warp, all of them always taking part. See include/isopatch/detail/warp.h.
struct CudaWarp {
  static constexpr int kSize = 32;
  static constexpr bool kPacked = false;
  static constexpr unsigned kAll = 0xFFFFFFFFu;

  __device__ int lane() const { return static_cast<int>(threadIdx.x & 31u); }
  __device__ std::uint32_t ballot(bool value) const { return __ballot_sync(kAll, value); }
  __device__ void sync() const { __syncwarp(); }

  __device__ std::int64_t sum(std::int64_t value) const {
    auto total = static_cast<long long>(value);
    for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_xor_sync(kAll, total, offset);
    return total;
  }
  template <class T>
  __device__ T max(T value) const {
    for (int offset = 16; offset > 0; offset >>= 1) {
      const T other = __shfl_xor_sync(kAll, value, offset);
      value = other > value ? other : value;
    }
    return value;
  }

  __device__ int reserve(std::int32_t* counter, int count) const { return atomicAdd(counter, count); }
  __device__ void set_bits(std::uint32_t* word, std::uint32_t bits) const { atomicOr(word, bits); }
};

}  // namespace isopatch
