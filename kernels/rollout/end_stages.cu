// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment whose stage is solved: moves its bodies on, and begins its next stage, sub-step or step.
#include "kernels/rollout/stage_memory.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 2;
constexpr int kBlock = kWarps * CudaWarp::kSize;

template <bool has_plates>
__device__ __forceinline__ void end_environment(CudaWarp& warp, const StepCall& call, std::int64_t e) {
  const StepView& step = call.step;
  const std::uint32_t before = step.state.status[e];
  warp.sync();  // before it changes
  if ((before & kFrozen) != 0) return;
  const PendingStage& stage = call.arrays.stages[e];
  std::uint32_t status = stage.status;
  const StepProgress memory = call.arrays.of(step, e);
  bool searches = false;  // for contact of its next stage
  if (stage.is_solved) {
    status |= end_stage<has_plates>(warp, step, call.evaluation.state, e, stage.begun, stage.solution,
                                    kept_memory(call, e), memory);
    if (!call.ends_step() && (status & kFrozen) == 0) {
      if (memory.plan->is_done()) {
        set_aside(warp, step, memory);
      } else {
        searches = true;
        if (warp.lane() == 0) atomicAdd(call.arrays.num_continuing + call.search, 1);
      }
    }
  }
  if (call.ends_step() && !call.is_last && (status & kFrozen) == 0) {
    const std::uint32_t faults = begin_step(warp, step, call.evaluation.state, e, memory);
    status |= faults;
    searches = faults == kOk;
  }
  if (searches) place_for_search(warp, step, e, memory);
  if (warp.lane() == 0) step.state.status[e] = status;
}

template <bool has_plates>
__global__ void __launch_bounds__(kBlock) end_stages_kernel(const __grid_constant__ StepCall call) {
  if (call.ends_step()) {
    call.forget_searches();
  } else if (call.evaluation.is_empty()) {
    return;
  }
  CudaWarp warp;
  const std::int64_t e = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / CudaWarp::kSize;
  if (e < call.step.state.num_environments) end_environment<has_plates>(warp, call, e);
}

}  // namespace

template <bool has_plates>
void load_end_stages() {
  resident_blocks(end_stages_kernel<has_plates>, kBlock);
}

template <bool has_plates>
void end_stages(const StepCall& call, cudaStream_t stream) {
  const std::int64_t environments = call.step.state.num_environments;
  if (environments == 0) return;
  const auto blocks = static_cast<unsigned>((environments + kWarps - 1) / kWarps);
  end_stages_kernel<has_plates><<<blocks, kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

template void load_end_stages<false>();
template void load_end_stages<true>();
template void end_stages<false>(const StepCall&, cudaStream_t);
template void end_stages<true>(const StepCall&, cudaStream_t);

}  // namespace isopatch::detail
