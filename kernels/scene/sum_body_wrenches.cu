// SPDX-License-Identifier: Apache-2.0
//
// Last stage: a thread sums one body's pair wrenches in the order of the pairs.
#include "isopatch/detail/scene/body_wrench.h"
#include "kernels/runtime/cuda_check.h"
#include "kernels/stages.h"

namespace isopatch {

namespace {

constexpr int kBlock = 128;  // memory-bound; any multiple of a warp does

__global__ void __launch_bounds__(kBlock) sum_body_wrenches_kernel(Step step) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const std::int64_t environment = item / step.scene.num_bodies;
  const int body = static_cast<int>(item % step.scene.num_bodies);
  if (environment >= step.state.num_environments) return;

  detail::write_body_wrench(step.scene, step.state, step.results, environment, body);
}

}  // namespace

void sum_body_wrenches(const Step& step, cudaStream_t stream) {
  const std::int64_t items = step.state.num_environments * step.scene.num_bodies;
  if (items == 0 || step.results.body_wrench.data == nullptr) return;
  const std::int64_t blocks = (items + kBlock - 1) / kBlock;
  sum_body_wrenches_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(step);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch
