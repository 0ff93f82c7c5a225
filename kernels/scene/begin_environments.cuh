// SPDX-License-Identifier: Apache-2.0
//
// What the kernels that begin environments have in common.
#pragma once

#include "kernels/runtime/work_loop.cuh"
#include "kernels/scene/call.h"

namespace isopatch::detail {

constexpr int kBeginWarps = 2;  // so that 8192 environments of a thread each are on all processors
constexpr int kBeginBlock = kBeginWarps * CudaWarp::kSize;

/// A thread begins an environment of up to four bodies, and a warp a larger one.
constexpr int kFewBodies = 4;
constexpr int kFewPairs = 6;

inline bool has_few_bodies(const SceneView& scene) {
  return scene.num_bodies <= kFewBodies && scene.num_pairs <= kFewPairs;
}

/// The counters of a call start at zero. Where one block begins all environments it sees to that itself, as the first
/// thing; before a larger grid, they are zeroed on the stream.
__device__ inline void zero_counters_of_one_block(const BatchCall& call) {
  if (gridDim.x > 1) return;
  auto* const words = reinterpret_cast<std::int32_t*>(call.counters);
  for (unsigned i = threadIdx.x; i < sizeof(CallCounters) / sizeof(std::int32_t); i += blockDim.x) words[i] = 0;
  __syncthreads();
}

/// Launches `kernel` for all environments, `in_a_block` of them in each block.
template <class Kernel, class Call>
void launch_begin(Kernel kernel, const Call& call, std::int64_t in_a_block, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((call.state.num_environments + in_a_block - 1) / in_a_block);
  if (blocks > 1) ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.counters, 0, sizeof(CallCounters), stream));
  kernel<<<blocks, kBeginBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

/// The environment of a thread that begins one.
__device__ inline std::int64_t environment_of_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * kBeginBlock + threadIdx.x;
}

/// Begins an environment of few bodies for each thread, with `bounds` as begin_environment() takes them; `results` are
/// all of the call, or some. The lanes of a warp append together what each found in its environment, and call
/// listed(near, index in the list, environment, pair).
template <class Bounds, class Listed>
__device__ void begin_small_environments(const BatchCall& call, const Results& results, Bounds bounds,
                                         const Listed& listed) {
  CudaWarp warp;
  CudaThread thread;
  const std::int64_t environment = environment_of_thread();
  begin_environment(thread, warp, bounds, call.scene, call.state, results, environment, call.near_pairs(), false,
                    [&](bool near, std::int32_t index, int pair) { listed(near, index, environment, pair); });
}

}  // namespace isopatch::detail
