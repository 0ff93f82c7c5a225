// SPDX-License-Identifier: Apache-2.0
//
// The teams of a warp add up terms to the bits of one thread, each as many as it has.
#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <bit>
#include <vector>

#include "isopatch/evaluator.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/rollout/cuda_team.cuh"

namespace isopatch::test {
namespace {

using namespace detail;

constexpr int kMost = CudaTeam::kMaxSums;

/// Adds terms whose sums depend on their order.
template <int size>
__host__ __device__ void add_terms(int i, double (&sums)[size]) {
  for (int k = 0; k < size; ++k) {
    sums[k] = fma(((i + k) & 3) == 0 ? -1.0 : 1.0 + 0.37 * i, 1.0 / (1 << ((i * 7 + k) & 15)), sums[k]);
  }
}

template <int size>
__global__ void __launch_bounds__(CudaWarp::kSize) sums_kernel(int count, double* sums) {
  __shared__ double memory[CudaTeam::kTeams][CudaTeam::kDoubles];
  CudaTeam team(memory[CudaTeam::index()]);
  double found[size];
  lane_sums(
      team, count + 5 * CudaTeam::index(), [](int i, double(&add)[size]) { add_terms(i, add); }, found);
  if (team.lane() != team.kSize - 1) return;
  for (int k = 0; k < size; ++k) sums[CudaTeam::index() * kMost + k] = found[k];
}

template <int size>
void expect_sums_of_one_thread() {
  thrust::device_vector<double> on_device(CudaTeam::kTeams * kMost);
  for (int count = 0; count < 75; ++count) {
    sums_kernel<size><<<1, CudaWarp::kSize>>>(count, thrust::raw_pointer_cast(on_device.data()));
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
    std::vector<double> found(on_device.size());
    thrust::copy(on_device.begin(), on_device.end(), found.begin());
    for (int team = 0; team < CudaTeam::kTeams; ++team) {
      SerialWarp alone;
      double expected[size];
      lane_sums(
          alone, count + 5 * team, [](int i, double(&add)[size]) { add_terms(i, add); }, expected);
      for (int k = 0; k < size; ++k) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(found[static_cast<std::size_t>(team * kMost + k)]),
                  std::bit_cast<std::uint64_t>(expected[k]))
            << count << " terms, team " << team << ", sum " << k;
      }
    }
  }
}

TEST(GpuTeams, GpuSmallSumsHaveTheBitsOfOneThread) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  expect_sums_of_one_thread<1>();
  expect_sums_of_one_thread<8>();
  expect_sums_of_one_thread<kMost>();
}

}  // namespace
}  // namespace isopatch::test
