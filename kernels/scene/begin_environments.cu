// SPDX-License-Identifier: Apache-2.0
//
// First stage: a warp, or a thread where there are only a few bodies, validates one environment and lists its near
// pairs. Later stages only add bits to the status word, from any warp.
#include "kernels/scene/begin_environments.cuh"

namespace isopatch::detail {

namespace {

__global__ void __launch_bounds__(kBeginBlock) begin_environments_kernel(BatchCall call) {
  __shared__ BodyBounds bounds[kBeginWarps][limits::kMaxBodies];
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const std::int64_t environment = static_cast<std::int64_t>(blockIdx.x) * kBeginWarps + warp_in_block;
  zero_counters_of_one_block(call);
  begin_environment(warp, warp, bounds[warp_in_block], call.scene, call.state, call.results, environment,
                    call.near_pairs());
}

__global__ void __launch_bounds__(kBeginBlock) begin_small_environments_kernel(BatchCall call) {
  zero_counters_of_one_block(call);
  BodyBounds bounds[kFewBodies];
  begin_small_environments(call, call.results, bounds, [](bool, std::int32_t, std::int64_t, int) {});
}

}  // namespace

void load_begin_environments() {
  resident_blocks(begin_environments_kernel, kBeginBlock);
  resident_blocks(begin_small_environments_kernel, kBeginBlock);
}

void begin_environments(const BatchCall& call, cudaStream_t stream) {
  if (call.state.num_environments == 0) return;
  if (has_few_bodies(call.scene)) {
    launch_begin(begin_small_environments_kernel, call, kBeginBlock, stream);
  } else {
    launch_begin(begin_environments_kernel, call, kBeginWarps, stream);
  }
}

}  // namespace isopatch::detail
