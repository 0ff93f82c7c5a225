// SPDX-License-Identifier: Apache-2.0
//
// Warps and blocks put rows in the order of their keys, whatever their number.
#include "kernels/algorithms/sort_rows.cuh"

#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <random>
#include <vector>

#include "isopatch/evaluator.h"
#include "kernels/algorithms/register_sort.cuh"
#include "kernels/memory/cuda_check.h"

namespace isopatch::test {
namespace {

using namespace detail;

constexpr int kWarps = 4, kBlock = kWarps * CudaWarp::kSize;

struct Row {
  std::uint64_t key;
  std::int32_t at;
};

__device__ Row last() { return {~std::uint64_t{0}, 0}; }

template <int items>
__global__ void __launch_bounds__(kBlock) warp_kernel(const Row* rows, int count, Row* sorted) {
  using Sort = SharedSort<Row, CudaWarp, items>;
  __shared__ typename Sort::Memory memories[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  Sort::sort(CudaWarp(), memories[warp], rows + warp * count, count, last(), sorted + warp * count);
}

template <int items>
__global__ void __launch_bounds__(kBlock) register_kernel(const Row* rows, int count, Row* sorted) {
  using Sort = RegisterSort<Row, items>;
  __shared__ typename Sort::Memory memories[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  Row* const own = sorted + warp * count;
  for (int i = CudaWarp().lane(); i < count; i += CudaWarp::kSize) own[i] = rows[warp * count + i];
  __syncwarp();
  Sort(memories[warp]).sort(own, count);
}

template <int items>
__global__ void __launch_bounds__(kBlock) block_kernel(const Row* rows, int count, Row* sorted) {
  using Sort = SharedSort<Row, CudaBlock<kBlock>, items>;
  __shared__ typename Sort::Memory memory;
  Sort::sort(CudaBlock<kBlock>(), memory, rows, count, last(), sorted);
}

template <class Kernel>
void expect_sorted(Kernel kernel, int count, int lists) {
  SCOPED_TRACE(count);
  std::mt19937_64 random(static_cast<unsigned>(count));
  std::vector<Row> rows;
  for (int i = 0; i < lists * count; ++i) rows.push_back({random() >> (i % 2 == 0 ? 0 : 40), i});
  const thrust::device_vector<Row> from = rows;
  thrust::device_vector<Row> to(rows.size());
  kernel<<<1, kBlock>>>(thrust::raw_pointer_cast(from.data()), count, thrust::raw_pointer_cast(to.data()));
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
  std::vector<Row> found(rows.size());
  thrust::copy(to.begin(), to.end(), found.begin());
  for (int list = 0; list < lists; ++list) {
    const auto begin = rows.begin() + list * count;
    std::sort(begin, begin + count, [](const Row& x, const Row& y) { return x.key < y.key; });
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(found[i].key, rows[i].key) << i;
    ASSERT_EQ(found[i].at, rows[i].at) << i;
  }
}

struct GpuSort : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(GpuSort, OfAWarpIsInOrder) {
  for (const int count : {1, 2, 30, 31}) expect_sorted(warp_kernel<1>, count, kWarps);
  for (const int count : {1, 2, 31, 32, 33, 126, 127}) expect_sorted(warp_kernel<4>, count, kWarps);
  for (const int count : {1, 127, 128, 254, 255}) expect_sorted(warp_kernel<8>, count, kWarps);
}

TEST_F(GpuSort, InRegistersIsInOrder) {
  for (const int count : {1, 2, 3, 5, 16, 31, 32}) expect_sorted(register_kernel<1>, count, kWarps);
  for (const int count : {1, 2, 33, 255, 256, 257, 397, 511, 512}) expect_sorted(register_kernel<16>, count, kWarps);
}

TEST_F(GpuSort, OfABlockIsInOrder) {
  for (const int count : {1, 2, 33, 127}) expect_sorted(block_kernel<1>, count, 1);
  for (const int count : {1, 127, 128, 129, 257, 510, 511}) expect_sorted(block_kernel<4>, count, 1);
}

}  // namespace
}  // namespace isopatch::test
