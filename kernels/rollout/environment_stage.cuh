// SPDX-License-Identifier: Apache-2.0
//
// A stage of an environment as a warp begins, solves and ends it: in kernels of their own one after another, or for a
// sub-step in one kernel.
#pragma once

#include <type_traits>

#include "isopatch/detail/simt/merge_sort.h"
#include "kernels/rollout/cuda_team.cuh"
#include "kernels/rollout/step_call.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

__device__ inline SolverSize solver_size(const StepCall& call) {
  return {call.step.scene.num_bodies,  call.step.rollout.num_joints,  call.step.rollout.num_dofs,
          call.step.scene.num_pairs,   call.arrays.contacts.capacity, num_state_rows(call.step.scene),
          call.step.rollout.max_chain, call.step.rollout.num_loops};
}

/// What an environment keeps, with its trees, and with this memory for finding its velocities; null: none.
__device__ inline SolverMemory environment_memory(const StepCall& call, std::int64_t environment, double* finding) {
  SolverMemory memory = solver_size(call).in(call.arrays.kept + environment * call.kept_words, finding);
  memory.trees = call.arrays.trees_of(call.step, environment);
  memory.tree_views = call.step.rollout.trees;
  return memory;
}

/// The environment's own memory, without what only finding the velocities needs.
__device__ inline SolverMemory kept_memory(const StepCall& call, std::int64_t environment) {
  return environment_memory(call, environment, nullptr);
}

/// The contacts of an environment, in order.
__device__ inline auto sorted_contacts(const StepCall& call, std::int64_t environment, int count) {
  const StepArrays& arrays = call.arrays;
  const std::int64_t first = environment * arrays.contacts.capacity;
  const ContactEntry* const sorted = arrays.contacts.entries + first;
  const SolverContact<float>* const in_float = arrays.contacts.float_contacts;
  const SolverContact<double>* const in_double = arrays.contacts.double_contacts;
  return ordered_contacts(
      count, [=](int i) { return sorted[i].key; },
      [=](int i, const auto& columns, int k) {
        const std::int64_t at = first + sorted[i].at;
        if constexpr (!std::is_same_v<decltype(columns), const PolygonColumns&>) {
          columns.write(k, in_float[at]);
        } else {
          in_float != nullptr ? columns.write(k, in_float[at]) : columns.write(k, in_double[at]);
        }
      });
}

/// Whether an environment goes on, and with which status.
template <class Warp>
__device__ __forceinline__ void take_environment(Warp& warp, const StepCall& call, std::int64_t e,
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
    status |= arrays.contacts.status[e];
    if (found > arrays.contacts.capacity) status |= kStepCapacity;
    if (warp.lane() == 0) memory.counts->polygons_needed = max(memory.counts->polygons_needed, found);
    is_solved = (status & (kFaults | kStepCapacity)) == 0;
    if (!is_solved) {
      status |= kFrozen;
      exclude_environment(warp, step, memory);
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

/// Begins the stage of an environment that goes on and whose contacts are in order.
template <class Warp>
__device__ __forceinline__ void begin_sorted_stage(Warp& warp, const StepCall& call, std::int64_t e,
                                                   PendingStage& stage) {
  const auto contacts = sorted_contacts(call, e, stage.begun.contacts);
  const StageProblem begun = begin_stage(warp, call.step, call.evaluation.state, e, contacts, kept_memory(call, e),
                                         call.arrays.of(call.step, e));
  if (warp.lane() == 0) stage.begun = begun;
  warp.sync();
}

/// Begins the stage of an environment at hand from the contacts that were found, which sort(entries, count) puts in
/// order.
template <class Warp, class Sort>
__device__ __forceinline__ void begin_environment_stage(Warp& warp, const StepCall& call, std::int64_t e,
                                                        const Sort& sort) {
  const StepArrays& arrays = call.arrays;
  PendingStage& stage = arrays.stages[e];
  take_environment(warp, call, e, stage);
  if (!stage.is_solved) return;
  sort(arrays.contacts.entries + e * arrays.contacts.capacity, stage.begun.contacts);
  begin_sorted_stage(warp, call, e, stage);
}

/// Solves the stage of an environment, by all lanes.
template <bool has_plates, class Columns = PolygonColumns, class Warp = SummingWarp>
__device__ __forceinline__ void solve_environment_stage(const StepCall& call, std::int64_t e,
                                                        const SolverMemory& solver, double* sums) {
  PendingStage& stage = call.arrays.stages[e];
  if (!stage.is_solved) return;
  Warp warp(sums);
  const WarpPointSums<Warp, has_plates, Columns> points{warp};
  StageProblem begun = stage.begun;
  write_contacts(warp, points, call.step, call.evaluation.state, e, sorted_contacts(call, e, begun.contacts), solver,
                 call.arrays.of(call.step, e), begun);
  const StageSolution solution = solve_problem(warp, points, call.step, call.evaluation.state, e, begun, solver, true);
  warp.sync();
  if (warp.lane() == 0) stage.solution = solution;
}

/// Moves the bodies of an environment on whose stage is solved. Returns whether another stage of the step follows.
template <bool has_plates, class Warp>
__device__ __forceinline__ bool end_environment_stage(Warp& warp, const StepCall& call, std::int64_t e) {
  const StepView& step = call.step;
  const std::uint32_t before = step.state.status[e];
  warp.sync();  // before it changes
  if ((before & kFrozen) != 0) return false;
  const PendingStage& stage = call.arrays.stages[e];
  std::uint32_t status = stage.status;
  const StepProgress memory = call.arrays.of(step, e);
  if (stage.is_solved) {
    status |= end_stage<has_plates>(warp, step, call.evaluation.state, e, stage.begun, stage.solution,
                                    kept_memory(call, e), memory);
  }
  if (warp.lane() == 0) step.state.status[e] = status;
  return (status & kFrozen) == 0 && !memory.plan->is_done();
}

}  // namespace isopatch::detail
