// SPDX-License-Identifier: Apache-2.0
//
// The sub-steps after the first, of the environments that have more: a warp takes an environment and does all of each,
// the search for contact by all models too. It is defined for a list of models, and compiled where that list stands.
#pragma once

#include <type_traits>

#include "kernels/contact/device_models.cuh"
#include "kernels/rollout/environment_stage.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kSubstepWarps = 2;
constexpr int kSubstepBlock = kSubstepWarps * CudaWarp::kSize;
constexpr int kSubstepBlocks = 4;  // of a processor, as of solve_stages_kernel()

template <class Models>
struct SubstepMemory {
  typename Models::Memory models;
  std::int32_t near[kMaxContactModels];
  double sums[SummingWarp::kDoubles];
};

template <class Models, class T, bool has_plates>
__global__ void __launch_bounds__(kSubstepBlock, kSubstepBlocks)
    take_substeps_kernel(const __grid_constant__ StepCall call) {
  const std::int32_t count = call.evaluation.counters->continuing;
  if (count == 0) return;
  __shared__ SubstepMemory<Models> memories[kSubstepWarps];
  using Warp = std::conditional_t<has_plates, CudaTreeWarp, CudaWarp>;
  Warp warp;
  SubstepMemory<Models>& memory = memories[threadIdx.x / CudaWarp::kSize];
  const StepArrays& arrays = call.arrays;
  const std::int64_t own = std::int64_t{blockIdx.x} * kSubstepWarps + threadIdx.x / CudaWarp::kSize;
  ContactEntry* const sorting = arrays.sorting + own * arrays.contacts.capacity;
  for (std::int32_t at; take_item(warp, &call.evaluation.counters->next_continuing, count, at);) {
    const std::int64_t e = arrays.continuing[at];
    const SolverMemory solver = environment_memory(call, e, arrays.solver + own * call.solver_words);
    do {
      warp.sync();  // what the stage before wrote
      place_for_search(warp, call.step, e, arrays.of(call.step, e));
      Models::template find_contacts<T, has_plates>(warp, memory.models, memory.near, call.evaluation, e,
                                                    call.step.rollout.points, arrays.contacts);
      warp.sync();
      begin_environment_stage(warp, call, e,
                              [&](ContactEntry* rows, int found) { sort_contacts(warp, rows, sorting, found); });
      solve_environment_stage<has_plates, PolygonColumns, std::conditional_t<has_plates, SummingTreeWarp, SummingWarp>>(
          call, e, solver, memory.sums);
      warp.sync();
    } while (end_environment_stage<has_plates>(warp, call, e));
  }
}

template <class Models, class Use>
void with_substep_kernel(Precision precision, bool has_plates, const Use& use) {
  if (precision == Precision::kFloat) {
    has_plates ? use(take_substeps_kernel<Models, float, true>) : use(take_substeps_kernel<Models, float, false>);
  } else {
    has_plates ? use(take_substeps_kernel<Models, double, true>) : use(take_substeps_kernel<Models, double, false>);
  }
}

}  // namespace

template <class Models>
std::int64_t load_substeps(Precision precision, bool has_plates) {
  std::int64_t warps = 0;
  with_substep_kernel<Models>(precision, has_plates, [&](auto kernel) {
    warps = std::int64_t{kSubstepWarps} * resident_blocks(kernel, kSubstepBlock);
  });
  return warps;
}

template <class Models>
void take_substeps(const StepCall& call, Precision precision, bool has_plates, cudaStream_t stream) {
  const std::int64_t useful = std::min<std::int64_t>(call.step.state.num_environments, call.substep_warps);
  if (useful == 0) return;
  with_substep_kernel<Models>(precision, has_plates, [&](auto kernel) {
    kernel<<<static_cast<unsigned>((useful + kSubstepWarps - 1) / kSubstepWarps), kSubstepBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

}  // namespace isopatch::detail
