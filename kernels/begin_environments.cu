// SPDX-License-Identifier: Apache-2.0
//
// First stage: a warp judges one environment. Later stages only add bits to the status word, from any warp.
#include "isopatch/detail/evaluate_pair.h"
#include "kernels/cuda_check.h"
#include "kernels/cuda_warp.cuh"
#include "kernels/stages.h"

namespace isopatch {

namespace {

constexpr int kBlock = 128;  // 4 warps; a few loads each, so any size does

__global__ void __launch_bounds__(kBlock) begin_environments_kernel(Step step) {
  CudaWarp warp;
  const std::int64_t environment = (static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x) / CudaWarp::kSize;
  if (environment >= step.state.num_environments) return;

  const std::uint32_t status = detail::environment_status(warp, step.scene, step.state, environment);
  if (warp.lane() != 0) return;
  if (step.results.status != nullptr) step.results.status[environment] = status;
  if (step.results.polygons_needed != nullptr) step.results.polygons_needed[environment] = 0;
}

}  // namespace

void begin_environments(const Step& step, cudaStream_t stream) {
  if (step.state.num_environments == 0) return;
  const std::int64_t blocks = (step.state.num_environments * CudaWarp::kSize + kBlock - 1) / kBlock;
  begin_environments_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(step);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch
