// SPDX-License-Identifier: Apache-2.0
//
// Last stage: a thread sums one body's pair wrenches in the order of the pairs.
#include "isopatch/detail/scene/body_wrench.h"
#include "kernels/runtime/work_loop.cuh"
#include "kernels/scene/call.h"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;  // memory-bound; any multiple of a warp would do

__global__ void __launch_bounds__(kBlock) sum_body_wrenches_kernel(BatchCall call) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const std::int64_t environment = item / call.scene.num_bodies;
  const int body = static_cast<int>(item % call.scene.num_bodies);
  if (environment >= call.state.num_environments) return;

  write_body_wrench(call.scene, call.state, call.results, environment, body);
}

}  // namespace

void load_sum_body_wrenches() { resident_blocks(sum_body_wrenches_kernel, kBlock); }

void sum_body_wrenches(const BatchCall& call, cudaStream_t stream) {
  const std::int64_t items = call.state.num_environments * call.scene.num_bodies;
  if (items == 0 || call.results.body_wrench.data == nullptr) return;
  const std::int64_t blocks = (items + kBlock - 1) / kBlock;
  sum_body_wrenches_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
