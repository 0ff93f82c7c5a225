// SPDX-License-Identifier: Apache-2.0
//
// First stage: a warp, or a thread where there are only a few bodies, validates one environment and lists its near
// pairs. Later stages only add bits to the status word, from any warp.
#include "kernels/evaluation_call.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;  // 4 tables of bounds of 6 KB; a few loads and tests each, so any size does
constexpr int kBlock = kWarps * CudaWarp::kSize;
constexpr int kFewBodies = 4;
constexpr int kFewPairs = 6;  // of four bodies

__device__ PairList near_pairs(const EvaluationCall& call) {
  const std::int64_t all = call.state.num_environments * call.scene.num_pairs;  // below 2^31: see CudaBackend
  return {call.list, &call.counters->listed, static_cast<std::int32_t>(all)};
}

__global__ void __launch_bounds__(kBlock) begin_environments_kernel(EvaluationCall call) {
  __shared__ BodyBounds bounds[kWarps][kMaxBodies];
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const std::int64_t environment = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp_in_block;
  begin_environment(warp, warp, bounds[warp_in_block], call.scene, call.state, call.results, environment,
                    near_pairs(call));
}

/// The lanes of a warp append together what each found in an environment of its own.
__global__ void __launch_bounds__(kBlock) begin_small_environments_kernel(EvaluationCall call) {
  BodyBounds bounds[kFewBodies];
  CudaWarp warp;
  CudaThread thread;
  const std::int64_t environment = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  begin_environment(thread, warp, bounds, call.scene, call.state, call.results, environment, near_pairs(call));
}

}  // namespace

void load_begin_environments() {
  resident_blocks(begin_environments_kernel, kBlock);
  resident_blocks(begin_small_environments_kernel, kBlock);
}

void begin_environments(const EvaluationCall& call, cudaStream_t stream) {
  if (call.state.num_environments == 0) return;
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.counters, 0, sizeof(CallCounters), stream));
  const bool small = call.scene.num_bodies <= kFewBodies && call.scene.num_pairs <= kFewPairs;
  const std::int64_t in_a_block = small ? kBlock : kWarps;
  const auto blocks = static_cast<unsigned>((call.state.num_environments + in_a_block - 1) / in_a_block);
  const auto kernel = small ? begin_small_environments_kernel : begin_environments_kernel;
  kernel<<<blocks, kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
