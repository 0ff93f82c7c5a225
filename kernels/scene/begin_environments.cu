// SPDX-License-Identifier: Apache-2.0
//
// First stage: a warp judges one environment and lists its near pairs. Later stages only add bits to the status word,
// from any warp.
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/cuda_warp.cuh"
#include "kernels/stages.h"

namespace isopatch {

namespace {

constexpr int kWarps = 4;  // 4 tables of bounds of 6 KB; a few loads and tests each, so any size does
constexpr int kBlock = kWarps * CudaWarp::kSize;

__global__ void __launch_bounds__(kBlock) begin_environments_kernel(Step step) {
  __shared__ detail::BodyBounds bounds[kWarps][detail::kMaxBodies];
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const std::int64_t environment = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp_in_block;
  if (environment >= step.state.num_environments) return;
  detail::begin_environment(warp, bounds[warp_in_block], step.scene, step.state, step.results, environment,
                            {step.list, &step.counters->listed});
}

}  // namespace

void begin_environments(const Step& step, cudaStream_t stream) {
  if (step.state.num_environments == 0) return;
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(step.counters, 0, sizeof(StepCounters), stream));
  const std::int64_t blocks = (step.state.num_environments + kWarps - 1) / kWarps;
  begin_environments_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(step);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch
