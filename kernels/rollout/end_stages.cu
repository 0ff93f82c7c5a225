// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment whose stage is solved, or four small ones, and moves its bodies on.
#include "kernels/rollout/environment_stage.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 2;
constexpr int kBlock = kWarps * CudaWarp::kSize;
constexpr int kBlocks = 8;  // of a processor: by teams, 8448 environments are at hand at once on a device of 132

template <bool has_plates, class Warp>
__device__ __forceinline__ void end_own_stage(const StepCall& call) {
  Warp warp;
  const std::int64_t e = std::int64_t{blockIdx.x} * (kBlock / Warp::kSize) + threadIdx.x / Warp::kSize;
  if (e >= call.step.state.num_environments) return;
  const bool continues = end_environment_stage<has_plates>(warp, call, e);
  if (!continues || !call.is_last_search() || warp.lane() != 0) return;
  call.arrays.continuing[atomicAdd(&call.evaluation.counters->continuing, 1)] = static_cast<std::int32_t>(e);
}

template <bool has_plates, class Warp>
__global__ void __launch_bounds__(kBlock, kBlocks) end_stages_kernel(const __grid_constant__ StepCall call) {
  end_own_stage<has_plates, Warp>(call);
}

__global__ void __launch_bounds__(kBlock, kBlocks) end_stages_by_teams_kernel(const __grid_constant__ StepCall call) {
  end_own_stage<false, OwnTeam>(call);
}

}  // namespace

template <SolvedBy by>
constexpr auto kernel_of() {
  if constexpr (by == SolvedBy::kWarpsWithTrees) {
    return end_stages_kernel<true, CudaTreeWarp>;
  } else if constexpr (by == SolvedBy::kTeams) {
    return end_stages_by_teams_kernel;
  } else {
    return end_stages_kernel<by == SolvedBy::kWarpsWithPlates, CudaWarp>;
  }
}

template <SolvedBy by>
void load_end_stages() {
  resident_blocks(kernel_of<by>(), kBlock);
}

template <SolvedBy by>
void end_stages(const StepCall& call, cudaStream_t stream) {
  const std::int64_t environments = call.step.state.num_environments;
  if (environments == 0) return;
  constexpr int kOfBlock = kBlock / (by == SolvedBy::kTeams ? OwnTeam::kSize : CudaWarp::kSize);
  const auto blocks = static_cast<unsigned>((environments + kOfBlock - 1) / kOfBlock);
  const auto kernel = kernel_of<by>();
  kernel<<<blocks, kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

template void load_end_stages<SolvedBy::kWarps>();
template void load_end_stages<SolvedBy::kTeams>();
template void load_end_stages<SolvedBy::kWarpsWithPlates>();
template void load_end_stages<SolvedBy::kWarpsWithTrees>();
template void end_stages<SolvedBy::kWarps>(const StepCall&, cudaStream_t);
template void end_stages<SolvedBy::kTeams>(const StepCall&, cudaStream_t);
template void end_stages<SolvedBy::kWarpsWithPlates>(const StepCall&, cudaStream_t);
template void end_stages<SolvedBy::kWarpsWithTrees>(const StepCall&, cudaStream_t);

}  // namespace isopatch::detail
