// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment: puts its polygons in order, solves the stage, and begins the next stage, sub-step or
// step. The memory of a solve belongs to the warp. Scenes without contacts with memory have a kernel without their
// code.
#pragma once

#include "isopatch/detail/simt/merge_sort.h"
#include "kernels/rollout/step_call.h"
#include "kernels/rollout/step_kernels.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kSolveWarps = 2;
constexpr int kSolveBlock = kSolveWarps * CudaWarp::kSize;

/// One stage of one environment, which is not frozen. Returns its status. The solver is in double whatever the
/// precision in which contacts were found.
template <bool has_terms>
__device__ __forceinline__ std::uint32_t finish_stage(CudaWarp& warp, const StepCall& call, std::int64_t environment,
                                                      int found, ContactEntry* sorting, double* solver) {
  const StepArraysView& arrays = call.arrays;
  ContactEntry* const listed = arrays.contacts.entries + environment * arrays.contacts.capacity;
  const ContactEntry* const sorted = sort_rows(warp, listed, sorting, found);
  const SolverContact<float>* const in_float = arrays.contacts.float_contacts;
  const SolverContact<double>* const in_double = arrays.contacts.double_contacts;
  const std::int64_t first = environment * arrays.contacts.capacity;
  const SolverSize size = {call.step.scene.num_bodies, call.step.rollout.num_joints, call.step.rollout.num_dofs,
                           call.step.scene.num_pairs,  arrays.contacts.capacity,     num_memory_rows(call.step.scene)};
  return finish_stage(
      warp, WarpPointSums<CudaWarp, has_terms>{warp}, call.step, call.evaluation.state, environment, found,
      [&](int i) { return sorted[i].key; },
      [&](int i, const PolygonColumns& columns, int k) {
        const std::int64_t at = first + sorted[i].at;
        in_float != nullptr ? columns.write(k, in_float[at]) : columns.write(k, in_double[at]);
      },
      size.in(solver), arrays.of(call.step, environment));
}

#if !defined(ISOPATCH_SOLVE_BLOCKS)
#define ISOPATCH_SOLVE_BLOCKS 4
#endif

// Four blocks on a processor, for which the compiler spills 126 bytes. More were slower where a solve takes long, and
// faster where it is short: see bench/NOTES.md.
template <bool has_terms>
__global__ void __launch_bounds__(kSolveBlock, ISOPATCH_SOLVE_BLOCKS)
    finish_stages_kernel(const __grid_constant__ StepCall call) {
  CudaWarp warp;
  const StepView& step = call.step;
  const StepArraysView& arrays = call.arrays;
  const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * kSolveWarps + threadIdx.x / CudaWarp::kSize;
  ContactEntry* const sorting = arrays.sorting + own * arrays.contacts.capacity;
  double* const solver = arrays.solver + own * arrays.solver_words;
  const bool ends_step = call.search + 1 == max_searches(step.rollout);
  if (ends_step) {
    call.forget_searches();
  } else if (call.evaluation.is_empty()) {
    return;
  }
  for (std::int32_t e; take_item(warp, &call.evaluation.counters->next_step, step.state.num_environments, e);) {
    std::uint32_t status = step.state.status[e];
    const int found = arrays.contacts.found[e];
    warp.sync();
    if (warp.lane() == 0) arrays.contacts.found[e] = 0;
    if ((status & kFrozen) != 0) continue;
    const StepProgress memory = arrays.of(step, e);
    if (memory.plan->is_done()) {
      if (ends_step) bring_back(warp, step, memory);
    } else {
      status |= arrays.contacts.status[e];
      if (found > arrays.contacts.capacity) status |= kStepCapacity;
      if (warp.lane() == 0) memory.counts->polygons_needed = max(memory.counts->polygons_needed, found);
      if ((status & (kFaults | kStepCapacity)) != 0) {
        status |= kFrozen;
        exclude_environment(warp, step, memory);
      } else {
        status |= finish_stage<has_terms>(warp, call, e, found, sorting, solver);
        if (!ends_step && (status & kFrozen) == 0) {
          if (memory.plan->is_done()) {
            set_aside(warp, step, memory);
          } else if (warp.lane() == 0) {
            atomicAdd(arrays.going_on + call.search, 1);
          }
        }
      }
    }
    if (ends_step && !call.is_last && (status & kFrozen) == 0)
      status |= begin_step(warp, step, call.evaluation.state, e, memory);
    if (warp.lane() == 0) step.state.status[e] = status;
  }
}

}  // namespace

template <bool has_terms>
std::int64_t load_finish_stages() {
  return static_cast<std::int64_t>(resident_blocks(finish_stages_kernel<has_terms>, kSolveBlock)) * kSolveWarps;
}

template <bool has_terms>
void finish_stages(const StepCall& call, cudaStream_t stream) {
  const std::int64_t count = call.step.state.num_environments;
  if (count == 0) return;
  const std::int64_t useful = (std::min<std::int64_t>(count, call.arrays.warps) + kSolveWarps - 1) / kSolveWarps;
  finish_stages_kernel<has_terms><<<static_cast<unsigned>(useful), kSolveBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
