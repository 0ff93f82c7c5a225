// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment: puts its polygons in order, solves the stage, and begins the next stage, sub-step or
// step. Where there are many small ones it takes four, and solves their stages together, with a team of lanes for each.
// The memory of a solve belongs to the warp. Scenes without contacts with state have kernels without their code.
#pragma once

#include "isopatch/detail/simt/merge_sort.h"
#include "kernels/rollout/cuda_team.cuh"
#include "kernels/rollout/step_call.h"
#include "kernels/rollout/step_kernels.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kSolveWarps = 2;
constexpr int kSolveBlock = kSolveWarps * CudaWarp::kSize;

/// An environment at hand.
struct CurrentStage {
  std::int64_t environment;
  StageProblem begun;
  StageSolution solution;
  std::uint32_t status;
  std::int32_t found;
  bool is_solved;
};

/// Of a way to solve.
template <SolvedBy by>
struct Solving {
  static constexpr bool kHasPlates = by == SolvedBy::kWarpsWithPlates;
  static constexpr int kProblemsPerWarp = by == SolvedBy::kTeams ? CudaTeam::kTeams : 1;  // environments of a warp

  /// What the lanes of a warp share. Of one environment, each lane has all of it in registers.
  struct Workspace {
    CurrentStage current[kProblemsPerWarp];
    double sums[kProblemsPerWarp > 1 ? kProblemsPerWarp* CudaTeam::kDoubles : 1];
  };
  __device__ static bool writes(const CudaWarp& warp) { return kProblemsPerWarp == 1 || warp.lane() == 0; }

  /// The memory for one of the environments of a warp.
  __device__ static SolverMemory memory(const StepCall& call, double* of_warp, int index) {
    const SolverSize size = {call.step.scene.num_bodies,    call.step.rollout.num_joints,
                             call.step.rollout.num_dofs,    call.step.scene.num_pairs,
                             call.arrays.contacts.capacity, num_state_rows(call.step.scene)};
    return size.in(of_warp + index * (call.solver_words / kProblemsPerWarp));
  }
};

/// Whether an environment goes on, and with which status.
template <SolvedBy by>
__device__ __forceinline__ void take_current(CudaWarp& warp, const StepCall& call, std::int64_t e,
                                             CurrentStage& current) {
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
  if (Solving<by>::writes(warp)) {
    current.environment = e;
    current.status = status;
    current.found = found;
    current.is_solved = is_solved;
  }
  warp.sync();
}

/// Writes the problem of an environment, whose polygons it puts in order.
template <SolvedBy by>
__device__ __forceinline__ void begin_current(CudaWarp& warp, const StepCall& call, ContactEntry* sorting,
                                              const SolverMemory& solver, CurrentStage& current) {
  const StepArrays& arrays = call.arrays;
  const std::int64_t e = current.environment, first = e * arrays.contacts.capacity;
  const int found = current.found;
  const ContactEntry* const sorted = sort_rows(warp, arrays.contacts.entries + first, sorting, found);
  const SolverContact<float>* const in_float = arrays.contacts.float_contacts;
  const SolverContact<double>* const in_double = arrays.contacts.double_contacts;
  const auto contacts = ordered_contacts(
      found, [&](int i) { return sorted[i].key; },
      [&](int i, const PolygonColumns& columns, int k) {
        const std::int64_t at = first + sorted[i].at;
        in_float != nullptr ? columns.write(k, in_float[at]) : columns.write(k, in_double[at]);
      });
  const StageProblem begun = begin_stage(warp, WarpPointSums<CudaWarp, Solving<by>::kHasPlates>{warp}, call.step,
                                         call.evaluation.state, e, contacts, solver, arrays.of(call.step, e));
  if (Solving<by>::writes(warp)) current.begun = begun;
  warp.sync();
}

/// Gives the team of an environment that does not go on the problem of another one, without contact: the teams of a
/// warp take the same way, also one that has nothing to find.
template <class Workspace>
__device__ __forceinline__ void stand_in(CudaWarp& warp, Workspace& work, int index, int solved) {
  warp.sync();  // before it changes
  if (warp.lane() == 0) {
    work.current[index].environment = work.current[solved].environment;
    work.current[index].found = 0;
    work.current[index].is_solved = false;
  }
  warp.sync();
}

/// Solves the stages at hand, with a team for each.
template <SolvedBy by>
__device__ __forceinline__ void solve_current(CudaWarp& warp, const StepCall& call, double* memory,
                                              typename Solving<by>::Workspace& work) {
  if constexpr (by == SolvedBy::kTeams) {
    int most_pairs = 0;
#pragma unroll
    for (const CurrentStage& current : work.current) most_pairs = max(most_pairs, current.begun.problem.num_pairs);
    const int index = CudaTeam::index();
    CudaTeam team(work.sums + index * CudaTeam::kDoubles);
    CurrentStage& current = work.current[index];
    const SolverMemory solver = Solving<by>::memory(call, memory, index);
    StageProblem begun = current.begun;
    for (int i = begun.problem.num_pairs + team.lane(); i < most_pairs; i += CudaTeam::kSize) {
      solver.pairs[i].set_empty();
    }
    begun.problem.num_pairs = most_pairs;
    warp.sync();
    const StageSolution solution =
        solve_problem(team, WarpPointSums<CudaTeam, false>{team}, call.step, call.evaluation.state, current.environment,
                      begun, solver, current.is_solved);
    if (team.lane() == 0) current.solution = solution;
  } else {
    CurrentStage& current = work.current[0];
    current.solution =
        solve_problem(warp, WarpPointSums<CudaWarp, Solving<by>::kHasPlates>{warp}, call.step, call.evaluation.state,
                      current.environment, current.begun, Solving<by>::memory(call, memory, 0), true);
  }
  warp.sync();
}

/// Moves on with an environment, and begins its next step if it is time.
template <SolvedBy by>
__device__ __forceinline__ void end_current(CudaWarp& warp, const StepCall& call, std::int64_t e,
                                            const SolverMemory& solver, const CurrentStage& current) {
  const StepView& step = call.step;
  const std::uint32_t before = step.state.status[e];
  warp.sync();  // before it changes
  if ((before & kFrozen) != 0) return;
  std::uint32_t status = current.status;
  const StepProgress memory = call.arrays.of(step, e);
  bool searches = false;  // for contact of its next stage
  if (current.is_solved) {
    status |= end_stage<Solving<by>::kHasPlates>(warp, step, call.evaluation.state, e, current.begun, current.solution,
                                                 solver, memory);
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

/// Solves a stage of the environments that the warp takes.
template <SolvedBy by>
__device__ __forceinline__ void finish_stages(const StepCall& call, typename Solving<by>::Workspace& work) {
  constexpr int kProblemsPerWarp = Solving<by>::kProblemsPerWarp;
  CudaWarp warp;
  const StepArrays& arrays = call.arrays;
  const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * kSolveWarps + threadIdx.x / CudaWarp::kSize;
  ContactEntry* const sorting = arrays.sorting + own * arrays.contacts.capacity;
  double* const memory = arrays.solver + own * call.solver_words;
  const std::int64_t count = call.step.state.num_environments,
                     items = (count + kProblemsPerWarp - 1) / kProblemsPerWarp;
  for (std::int32_t item; take_item(warp, &call.evaluation.counters->next_step, items, item);) {
    const std::int64_t first = std::int64_t{item} * kProblemsPerWarp;
    int solved = -1;  // one that goes on
#pragma unroll 1
    for (int k = 0; k < kProblemsPerWarp && first + k < count; ++k) {
      take_current<by>(warp, call, first + k, work.current[k]);
      if (work.current[k].is_solved) solved = k;
    }
    if (solved >= 0) {
#pragma unroll 1
      for (int k = 0; k < kProblemsPerWarp; ++k) {
        if (kProblemsPerWarp > 1 && (first + k >= count || !work.current[k].is_solved)) stand_in(warp, work, k, solved);
        begin_current<by>(warp, call, sorting, Solving<by>::memory(call, memory, k), work.current[k]);
      }
      solve_current<by>(warp, call, memory, work);
    }
#pragma unroll 1
    for (int k = 0; k < kProblemsPerWarp && first + k < count; ++k) {
      end_current<by>(warp, call, first + k, Solving<by>::memory(call, memory, k), work.current[k]);
    }
    warp.sync();  // before others are at hand
  }
}

#if !defined(ISOPATCH_SOLVE_BLOCKS)
#define ISOPATCH_SOLVE_BLOCKS 4
#endif

// Four blocks on a processor, for which the compiler spills some bytes. More were slower where a solve takes long, and
// faster where it is short: see bench/NOTES.md.
template <SolvedBy by>
__global__ void __launch_bounds__(kSolveBlock, ISOPATCH_SOLVE_BLOCKS)
    finish_stages_kernel(const __grid_constant__ StepCall call) {
  if (call.ends_step()) {
    call.forget_searches();
  } else if (call.evaluation.is_empty()) {
    return;
  }
  if constexpr (Solving<by>::kProblemsPerWarp > 1) {
    __shared__ typename Solving<by>::Workspace workspaces[kSolveWarps];
    finish_stages<by>(call, workspaces[threadIdx.x / CudaWarp::kSize]);
  } else {
    typename Solving<by>::Workspace work;
    finish_stages<by>(call, work);
  }
}

}  // namespace

template <SolvedBy by>
std::int64_t load_finish_stages() {
  return static_cast<std::int64_t>(resident_blocks(finish_stages_kernel<by>, kSolveBlock)) * kSolveWarps;
}

template <SolvedBy by>
void finish_stages(const StepCall& call, cudaStream_t stream) {
  constexpr int kProblemsPerWarp = Solving<by>::kProblemsPerWarp;
  const std::int64_t items = (call.step.state.num_environments + kProblemsPerWarp - 1) / kProblemsPerWarp;
  if (items == 0) return;
  const std::int64_t useful = (std::min<std::int64_t>(items, call.warps) + kSolveWarps - 1) / kSolveWarps;
  finish_stages_kernel<by><<<static_cast<unsigned>(useful), kSolveBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
