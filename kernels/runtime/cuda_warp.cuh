// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/atomic>
#include <cuda/functional>

#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// The 32 lanes of a hardware warp, all of them always taking part. See include/isopatch/detail/simt/warp.h.
struct CudaWarp {
  static constexpr int kSize = 32;
  static constexpr bool kCompactLines = false;
  static constexpr bool kTakesTrees = false;  // see kTakesTrees of a Warp
  static constexpr unsigned kAll = 0xFFFFFFFFu;

  __device__ int lane() const { return static_cast<int>(threadIdx.x & 31u); }
  __device__ std::uint32_t ballot(bool value) const { return __ballot_sync(kAll, value); }
  __device__ int from_first(int value) const { return __shfl_sync(kAll, value, 0); }
  __device__ int from_lane(int value, int lane) const { return __shfl_sync(kAll, value, lane); }
  __device__ double from_lane(double value, int lane) const { return __shfl_sync(kAll, value, lane); }
  __device__ void sync() const { __syncwarp(); }

  /// In parts of 27, 27 and 10 bits, whose sums over 32 lanes fit 32 bits: three instructions, whereas cub::WarpReduce
  /// takes ten shuffles and five sums of 64 bits.
  __device__ std::int64_t sum(std::int64_t value) const {
    constexpr std::uint64_t kPart = (1u << 27) - 1u;
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t low = __reduce_add_sync(kAll, static_cast<unsigned>(bits & kPart));
    const std::uint64_t middle = __reduce_add_sync(kAll, static_cast<unsigned>(bits >> 27 & kPart));
    const std::uint64_t high = __reduce_add_sync(kAll, static_cast<unsigned>(bits >> 54));
    return static_cast<std::int64_t>(low + (middle << 27) + (high << 54));
  }
  template <class T>
  __device__ T max(T value) const {
    using Reduce = cub::WarpReduce<T>;
    typename Reduce::TempStorage none;  // a whole warp needs no memory
    return Reduce(none).Reduce(value, cuda::maximum<T>());
  }

  /// In the order of lane_sums.h: lane l and l + 16, then l + 8, ...; cub::WarpReduce adds neighbors first.
  __device__ double tree_sum(double value) const {
    for (int half = kSize / 2; half > 0; half /= 2) value += __shfl_xor_sync(kAll, value, half);
    return value;
  }

  /// A line of 128 bytes for each lane and round.
  __device__ void prefetch(const void* begin, int bytes) const {
    constexpr int kLine = 128;
    for (int at = lane() * kLine; at < bytes; at += kSize * kLine) {
      asm volatile("prefetch.global.L1 [%0];" ::"l"(static_cast<const char*>(begin) + at));
    }
  }

  __device__ int reserve(std::int32_t* counter, int count) const { return atomicAdd(counter, count); }
  /// This and take() need a counter in global memory, also if its address was loaded from shared memory: for such an
  /// address, of which it does not know the kind, the compiler adds a test and a loop for shared memory. They are not
  /// told by __builtin_assume(): where that is wrong, the atomic is left out without a word.
  __device__ std::int64_t reserve(std::int64_t* counter, std::int64_t count) const {
    std::int64_t before = 0;
    asm volatile("atom.global.add.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(__cvta_generic_to_global(counter)), "l"(count)
                 : "memory");
    return before;
  }
  __device__ void set_bits(std::uint32_t* word, std::uint32_t bits) const { atomicOr(word, bits); }
  __device__ void add(std::int64_t* word, std::int64_t value) const {
    atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
  }
  __device__ void raise(std::int64_t* word, std::int64_t value) const {
    atomicMax(reinterpret_cast<long long*>(word), static_cast<long long>(value));
  }
  __device__ int arrive(std::int32_t* counter) const {
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    const int before = atomicAdd(counter, 1);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    return before;
  }
  __device__ std::int64_t take(std::int64_t* word) const {
    std::int64_t value = 0;
    asm volatile("atom.global.exch.b64 %0, [%1], %2;"
                 : "=l"(value)
                 : "l"(__cvta_generic_to_global(word)), "l"(std::int64_t{0})
                 : "memory");
    return value;
  }
};

/// A thread that works alone, beside others.
struct CudaThread : SerialWarp {
  __device__ int reserve(std::int32_t* counter, int count) const { return CudaWarp().reserve(counter, count); }
  __device__ void set_bits(std::uint32_t* word, std::uint32_t bits) const { CudaWarp().set_bits(word, bits); }
};

}  // namespace isopatch::detail
