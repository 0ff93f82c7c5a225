// SPDX-License-Identifier: Apache-2.0
//
// Optional stage: a warp integrates the elastic energy of one (environment, pair), in double.
#include "isopatch/detail/energy.h"
#include "kernels/cuda_check.h"
#include "kernels/cuda_warp.cuh"
#include "kernels/stages.h"

namespace isopatch {

namespace {

constexpr int kWarps = 4;  // as evaluate_pairs
constexpr int kBlock = kWarps * CudaWarp::kSize;

__global__ void __launch_bounds__(kBlock) evaluate_energies_kernel(Step step) {
  using namespace detail;
  __shared__ Workspace<CudaWarp::kSize> workspaces[kWarps];
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp_in_block;
  const std::int64_t environment = item / step.scene.num_pairs;
  const int pair = static_cast<int>(item % step.scene.num_pairs);
  if (environment >= step.state.num_environments) return;

  const bool sound = environment_status(warp, step.scene, step.state, environment) == kOk;
  if (sound && is_enabled(step.scene, step.state, environment, pair)) {
    evaluate_energy(warp, workspaces[warp_in_block], step.scene, step.state, step.results, environment, pair);
  } else if (warp.lane() == 0) {
    write(step.results.energy, environment, pair, 0.0);
  }
}

}  // namespace

void evaluate_energies(const Step& step, cudaStream_t stream) {
  const std::int64_t items = step.state.num_environments * step.scene.num_pairs;
  if (items == 0 || step.results.energy.data == nullptr) return;
  const std::int64_t blocks = (items + kWarps - 1) / kWarps;
  evaluate_energies_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(step);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch
