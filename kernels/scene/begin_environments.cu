// SPDX-License-Identifier: Apache-2.0
//
// First stage: a warp validates one environment and lists its near pairs. Later stages only add bits to the status
// word, from any warp.
#include "kernels/evaluation_call.h"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;  // 4 tables of bounds of 6 KB; a few loads and tests each, so any size does
constexpr int kBlock = kWarps * CudaWarp::kSize;

__global__ void __launch_bounds__(kBlock) begin_environments_kernel(EvaluationCall call) {
  __shared__ BodyBounds bounds[kWarps][kMaxBodies];
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const std::int64_t environment = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp_in_block;
  if (environment >= call.state.num_environments) return;
  begin_environment(warp, bounds[warp_in_block], call.scene, call.state, call.results, environment,
                    {call.list, &call.counters->listed});
}

}  // namespace

void begin_environments(const EvaluationCall& call, cudaStream_t stream) {
  if (call.state.num_environments == 0) return;
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.counters, 0, sizeof(CallCounters), stream));
  const std::int64_t blocks = (call.state.num_environments + kWarps - 1) / kWarps;
  begin_environments_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
