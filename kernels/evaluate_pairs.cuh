// SPDX-License-Identifier: Apache-2.0
//
// Second stage: a warp takes one (environment, pair) from traversal to wrench. Nothing between the two touches global
// memory but the meshes, which all environments share.
#pragma once

#include "isopatch/detail/evaluate_pair.h"
#include "kernels/cuda_check.h"
#include "kernels/cuda_warp.cuh"
#include "kernels/stages.h"

namespace isopatch {

constexpr int kPairWarps = 4;  // 4 workspaces of about 4 KB: far below the limit of shared memory a block
constexpr int kPairBlock = kPairWarps * CudaWarp::kSize;

template <class T, detail::Outputs outputs>
__global__ void __launch_bounds__(kPairBlock) evaluate_pairs_kernel(Step step) {
  using namespace detail;
  __shared__ Workspace<CudaWarp::kSize> workspaces[kPairWarps];
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kPairWarps + warp_in_block;
  const std::int64_t environment = item / step.scene.num_pairs;
  const int pair = static_cast<int>(item % step.scene.num_pairs);
  if (environment >= step.state.num_environments) return;

  const bool sound = environment_status(warp, step.scene, step.state, environment) == kOk;
  if (sound && is_enabled(step.scene, step.state, environment, pair)) {
    evaluate_pair<T, outputs>(warp, workspaces[warp_in_block], step.scene, step.state, step.results, environment, pair);
  } else if (warp.lane() == 0) {
    write_pair<T, outputs != Outputs::kWrench>(step.results, environment, pair, step.scene.num_pairs, nullptr, nullptr);
  }
}

template <class T, detail::Outputs outputs>
void launch_pairs(const Step& step, cudaStream_t stream) {
  const std::int64_t items = step.state.num_environments * step.scene.num_pairs;
  if (items == 0) return;
  const std::int64_t blocks = (items + kPairWarps - 1) / kPairWarps;
  evaluate_pairs_kernel<T, outputs><<<static_cast<unsigned>(blocks), kPairBlock, 0, stream>>>(step);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

template <class T>
void evaluate_pairs(const Step& step, cudaStream_t stream) {
  switch (detail::needed_outputs(step.results)) {
    case detail::Outputs::kWrench:
      return launch_pairs<T, detail::Outputs::kWrench>(step, stream);
    case detail::Outputs::kPatch:
      return launch_pairs<T, detail::Outputs::kPatch>(step, stream);
    case detail::Outputs::kPolygons:
      return launch_pairs<T, detail::Outputs::kPolygons>(step, stream);
  }
}

}  // namespace isopatch
