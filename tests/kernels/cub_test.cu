// SPDX-License-Identifier: Apache-2.0
//
// The reductions and scans of CUB that a warp or a block does give what a loop gives, for full and partial blocks.
#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <vector>

#include "isopatch/evaluator.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::test {
namespace {

constexpr int kBlock = 128;

/// What the threads of a group found; each writes its own, whether all threads of the group know it or only the first.
template <class T>
struct Found {
  T exclusive_sum, inclusive_largest;
  T sum, largest;  // of the group; only its first thread's are defined
};

template <class T>
__device__ T element_of(const T* from, int count) {
  const int at = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  return at < count ? from[at] : T(0);
}

template <class T>
__device__ void store(const Found<T>& found, bool is_first, Found<T>* to, int count) {
  const int at = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  if (at >= count) return;
  to[at] = found;
  if (!is_first) to[at].sum = to[at].largest = T(0);
}

template <class T, int lanes>
__global__ void __launch_bounds__(kBlock) warp_kernel(const T* from, int count, Found<T>* to) {
  using Reduce = cub::WarpReduce<T, lanes>;
  using Scan = cub::WarpScan<T, lanes>;
  __shared__ typename Reduce::TempStorage reduce_memory[kBlock / lanes];
  __shared__ typename Scan::TempStorage scan_memory[kBlock / lanes];
  const int group = static_cast<int>(threadIdx.x) / lanes;
  const T own = element_of(from, count);
  Found<T> found;
  found.sum = Reduce(reduce_memory[group]).Sum(own);
  __syncwarp();
  found.largest = Reduce(reduce_memory[group]).Reduce(own, cuda::maximum<>());
  Scan(scan_memory[group]).ExclusiveSum(own, found.exclusive_sum);
  __syncwarp();
  Scan(scan_memory[group]).InclusiveScan(own, found.inclusive_largest, cuda::maximum<>());
  store(found, threadIdx.x % lanes == 0, to, count);
}

template <class T, cub::BlockReduceAlgorithm reduce, cub::BlockScanAlgorithm scan>
__global__ void __launch_bounds__(kBlock) block_kernel(const T* from, int count, Found<T>* to) {
  using Reduce = cub::BlockReduce<T, kBlock, reduce>;
  using Scan = cub::BlockScan<T, kBlock, scan>;
  __shared__ union {
    typename Reduce::TempStorage to_reduce;
    typename Scan::TempStorage to_scan;
  } memory;
  const T own = element_of(from, count);
  Found<T> found;
  found.sum = Reduce(memory.to_reduce).Sum(own);
  __syncthreads();
  found.largest = Reduce(memory.to_reduce).Reduce(own, cuda::maximum<>());
  __syncthreads();
  Scan(memory.to_scan).ExclusiveSum(own, found.exclusive_sum);
  __syncthreads();
  Scan(memory.to_scan).InclusiveScan(own, found.inclusive_largest, cuda::maximum<>());
  store(found, threadIdx.x == 0, to, count);
}

/// Numbers whose sums are exact in every type, and wrap in none.
template <class T>
std::vector<T> numbers(int count) {
  std::vector<T> values;
  std::uint32_t state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<T>(state >> 20));
  }
  return values;
}

template <class T, class Kernel>
void expect_loop_results(Kernel kernel, int group) {
  for (const int count : {1, 31, 33, kBlock, 3 * kBlock - 5, 6 * kBlock}) {
    SCOPED_TRACE(count);
    const std::vector<T> values = numbers<T>(count);
    const thrust::device_vector<T> from = values;
    thrust::device_vector<Found<T>> to(values.size());
    kernel<<<(count + kBlock - 1) / kBlock, kBlock>>>(thrust::raw_pointer_cast(from.data()), count,
                                                      thrust::raw_pointer_cast(to.data()));
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
    std::vector<Found<T>> found(values.size());
    thrust::copy(to.begin(), to.end(), found.begin());

    for (int first = 0; first < count; first += group) {
      T sum = 0, largest = 0;
      for (int i = first; i < std::min(first + group, count); ++i) {
        const T own = values[static_cast<std::size_t>(i)];
        largest = std::max(largest, own);
        EXPECT_EQ(found[static_cast<std::size_t>(i)].exclusive_sum, sum) << i;
        EXPECT_EQ(found[static_cast<std::size_t>(i)].inclusive_largest, largest) << i;
        sum += own;
      }
      EXPECT_EQ(found[static_cast<std::size_t>(first)].sum, sum) << first;
      EXPECT_EQ(found[static_cast<std::size_t>(first)].largest, largest) << first;
    }
  }
}

template <class T>
struct GpuCub : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

using Numbers = ::testing::Types<std::int32_t, std::uint32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(GpuCub, Numbers);

TYPED_TEST(GpuCub, WarpsReduceAndScan) { expect_loop_results<TypeParam>(warp_kernel<TypeParam, 32>, 32); }

TYPED_TEST(GpuCub, PartsOfAWarpReduceAndScan) { expect_loop_results<TypeParam>(warp_kernel<TypeParam, 8>, 8); }

TYPED_TEST(GpuCub, BlocksReduceAndScanByTheirWarps) {
  expect_loop_results<TypeParam>(block_kernel<TypeParam, cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::BLOCK_SCAN_WARP_SCANS>,
                                 kBlock);
}

TYPED_TEST(GpuCub, BlocksReduceAndScanByOneWarp) {
  expect_loop_results<TypeParam>(block_kernel<TypeParam, cub::BLOCK_REDUCE_RAKING, cub::BLOCK_SCAN_RAKING>, kBlock);
  expect_loop_results<TypeParam>(
      block_kernel<TypeParam, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, cub::BLOCK_SCAN_RAKING_MEMOIZE>, kBlock);
}

}  // namespace
}  // namespace isopatch::test
