// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment: puts its polygons in order, and writes the problem of its stage.
#include "isopatch/detail/simt/merge_sort.h"
#include "kernels/rollout/stage_memory.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;
constexpr int kBlock = kWarps * CudaWarp::kSize;

/// Whether an environment goes on, and with which status.
__device__ __forceinline__ void take_environment(CudaWarp& warp, const StepCall& call, std::int64_t e,
                                                 PendingStage& stage) {
  const StepView& step = call.step;
  const StepArrays& arrays = call.arrays;
  std::uint32_t status = step.state.status[e];
  const int found = arrays.contacts.found[e];
  warp.sync();  // before they change
  if (warp.lane() == 0) arrays.contacts.found[e] = 0;
  bool is_solved = false;
  const StepProgress memory = arrays.of(step, e);
  if ((status & kFrozen) == 0) {
    if (memory.plan->is_done()) {
      if (call.ends_step()) bring_back(warp, step, memory);
    } else {
      status |= arrays.contacts.status[e];
      if (found > arrays.contacts.capacity) status |= kStepCapacity;
      if (warp.lane() == 0) memory.counts->polygons_needed = max(memory.counts->polygons_needed, found);
      is_solved = (status & (kFaults | kStepCapacity)) == 0;
      if (!is_solved) {
        status |= kFrozen;
        exclude_environment(warp, step, memory);
      }
    }
  }
  if (warp.lane() == 0) {
    stage.status = status;
    stage.begun.contacts = found;
    stage.is_solved = is_solved;
  }
  warp.sync();
}

/// Puts the polygons of an environment in order, where they are; `other` is memory of the warp.
__device__ __forceinline__ void sort_contacts(CudaWarp& warp, ContactEntry* rows, ContactEntry* other, int count) {
  if (sort_rows(warp, rows, other, count) == rows) return;
  for (int i = warp.lane(); i < count; i += CudaWarp::kSize) rows[i] = other[i];
  warp.sync();
}

__global__ void __launch_bounds__(kBlock) begin_stages_kernel(const __grid_constant__ StepCall call) {
  if (!call.ends_step() && call.evaluation.is_empty()) return;
  CudaWarp warp;
  const StepArrays& arrays = call.arrays;
  const std::int64_t warps = std::int64_t{gridDim.x} * kWarps;
  const std::int64_t own = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / CudaWarp::kSize;
  for (std::int64_t e = own; e < call.step.state.num_environments; e += warps) {
    PendingStage& stage = arrays.stages[e];
    take_environment(warp, call, e, stage);
    if (!stage.is_solved) continue;
    const int found = stage.begun.contacts;
    const std::int64_t capacity = arrays.contacts.capacity;
    sort_contacts(warp, arrays.contacts.entries + e * capacity, arrays.sorting + own * capacity, found);
    const StageProblem begun = begin_stage(warp, call.step, call.evaluation.state, e, sorted_contacts(call, e, found),
                                           kept_memory(call, e), arrays.of(call.step, e));
    if (warp.lane() == 0) stage.begun = begun;
    warp.sync();
  }
}

}  // namespace

std::int64_t load_begin_stages() {
  return static_cast<std::int64_t>(resident_blocks(begin_stages_kernel, kBlock)) * kWarps;
}

void begin_stages(const StepCall& call, cudaStream_t stream) {
  const std::int64_t useful = std::min<std::int64_t>(call.step.state.num_environments, call.begin_warps);
  if (useful == 0) return;
  begin_stages_kernel<<<static_cast<unsigned>((useful + kWarps - 1) / kWarps), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
