// SPDX-License-Identifier: Apache-2.0
//
// Finds the velocities of stages: a warp takes an environment. Where there are many small ones it takes eight and
// solves all together, with a team of lanes for each. The memory that only this needs belongs to the warp. Scenes
// without contacts with state have kernels without their code.
#pragma once

#include <type_traits>

#include "kernels/rollout/environment_stage.cuh"
#include "kernels/rollout/shared_solver.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kSolveWarps = 2;
constexpr int kSolveBlock = kSolveWarps * CudaWarp::kSize;

template <SolvedBy by>
inline constexpr int kProblemsPerWarp = by == SolvedBy::kTeams ? CudaTeam::kTeams : 1;
static_assert(CudaTeam::kTeams == kTeamsPerWarp);

/// The memory for one of the problems of a warp.
template <SolvedBy by>
class WarpMemory {
 public:
  __device__ explicit WarpMemory(const StepCall& call) : call_(call) {
    const std::int64_t warp = std::int64_t{blockIdx.x} * kSolveWarps + threadIdx.x / CudaWarp::kSize;
    memory_ = call.arrays.solver + warp * call.solver_words;
  }

  /// Of an environment, whose stage has begun.
  __device__ SolverMemory of(std::int64_t environment, int index) const {
    return environment_memory(call_, environment, finding(index));
  }
  /// Of a team without an environment: it takes the way of the others, at the bodies of one of them, which only differ
  /// in what they touch. Its vectors are zeros.
  __device__ SolverMemory spare(std::int64_t environment, int index) const {
    const SolverMemory of_other = of(environment, index);
    SolverMemory memory = solver_size(call_).in(kept(index), finding(index));
    memory.bodies = of_other.bodies;
    memory.joints = of_other.joints;
    memory.joint_dofs = of_other.joint_dofs;
    memory.order = of_other.order;
    return memory;
  }

 private:
  __device__ double* finding(int index) const { return memory_ + index * (call_.solver_words / kProblemsPerWarp<by>); }
  __device__ double* kept(int index) const { return finding(index + 1) - call_.kept_words; }

  const StepCall& call_;
  double* memory_;
};

/// What the lanes of teams share.
struct TeamsMemory {
  double sums[CudaTeam::kTeams][CudaTeam::kDoubles];
  SolverMemory solvers[CudaTeam::kTeams];
  StageProblem problems[CudaTeam::kTeams];
  using Close = SharedSolver<64>;  // vectors of 12 degrees of freedom
  Close close[CudaTeam::kTeams];
};

/// What the lanes of a warp share.
struct OwnMemory {
  double sums[SummingWarp::kDoubles];
  SharedSolver<640> solver;  // a matrix of 21 rows with its vectors, or of 12 with 14 pairs
};

/// All but the plan, which a solve does not read. Member by member, as what is between them was never written.
__device__ inline void copy_for_solve(const StageProblem& from, StageProblem& to) {
  const auto [integrator, begin, end, duration, step, ahead, onward, drive_time, weight, last] = from.stage;
  to.stage = {integrator, begin, end, duration, step, ahead, onward, drive_time, weight, last};
  const auto [bodies, joints, dofs, pairs, terms, trees, loops, parameters] = from.problem;
  to.problem = {bodies, joints, dofs, pairs, terms, trees, loops, parameters};
  to.contacts = from.contacts;
}

/// Solves the stages of as many environments as a warp has teams, from the first one on.
template <class Columns, class Memory>
__device__ __forceinline__ void solve_by_teams(CudaWarp& warp, const StepCall& call, std::int64_t first,
                                               const Memory& memory, TeamsMemory& shared) {
  PendingStage* const stages = call.arrays.stages;
  const int index = CudaTeam::index();
  const bool own = first + index < call.step.state.num_environments && stages[first + index].is_solved;
  const std::uint32_t solved = warp.ballot(own);
  if (solved == 0u) return;
  const int some = count_bits(~solved & (solved - 1u)) / CudaTeam::kSize;  // team that has an environment
  CudaTeam team(shared.sums[index]);
  const WarpPointSums<CudaTeam, false, Columns> points{team};
  const std::int64_t e = first + (own ? index : some);
  SolverMemory& solver = shared.solvers[index];
  StageProblem& begun = shared.problems[index];
  if (team.lane() == 0) {
    solver = own ? memory.of(e, index) : memory.spare(e, index);
    copy_for_solve(stages[e].begun, begun);
    if (!own) begun.problem.num_pairs = 0;
  }
  team.sync();
  int most_pairs = 0;
  while (team.any(begun.problem.num_pairs > most_pairs)) ++most_pairs;
  write_contacts(team, points, call.step, call.evaluation.state, e, sorted_contacts(call, e, begun.contacts), solver,
                 call.arrays.of(call.step, e), begun);

  const int zeros = own ? 0 : SolverVectors::kCount * begun.problem.num_dofs;
#pragma unroll 1
  for (int i = team.lane(); i < zeros; i += CudaTeam::kSize) solver.vectors.velocity[i] = 0;
#pragma unroll 1
  for (int i = begun.problem.num_pairs + team.lane(); i < most_pairs; i += CudaTeam::kSize) solver.pairs[i].set_empty();
  team.sync();
  const SolverMemory close = shared.close[index].take(team, solver, most_pairs);
  if (team.lane() == 0) {
    begun.problem.num_pairs = most_pairs;
    solver = close;
  }
  team.sync();
  const StageSolution solution = solve_problem(team, points, call.step, call.evaluation.state, e, begun, solver, own);
  if (own) TeamsMemory::Close::give_back(team, solver, memory.of(e, index), most_pairs);
  if (own && team.lane() == 0) stages[e].solution = solution;
  warp.sync();
}

// Blocks of a processor: with six the compiler spills. See bench/NOTES.md.
constexpr int kSolveBlocks = 4;

/// Of polygons in double, or in float where there are no contacts with state.
template <SolvedBy by, class T>
__global__ void __launch_bounds__(kSolveBlock, kSolveBlocks)
    solve_stages_kernel(const __grid_constant__ StepCall call) {
  using OfFloats = std::conditional_t<by == SolvedBy::kTeams, SmallFloatColumns, FloatColumns>;
  using Columns = std::conditional_t<std::is_same_v<T, float>, OfFloats, PolygonColumns>;
  using Memory = std::conditional_t<by == SolvedBy::kTeams, TeamsMemory, OwnMemory>;
  __shared__ Memory shared[kSolveWarps];
  CudaWarp warp;
  const WarpMemory<by> memory(call);
  const std::int64_t count = call.step.state.num_environments,
                     items = (count + kProblemsPerWarp<by> - 1) / kProblemsPerWarp<by>;
  for (std::int32_t item; take_item(warp, &call.evaluation.counters->next_step, items, item);) {
    if constexpr (by == SolvedBy::kTeams) {
      solve_by_teams<Columns>(warp, call, std::int64_t{item} * CudaTeam::kTeams, memory,
                              shared[threadIdx.x / CudaWarp::kSize]);
    } else {
      constexpr bool kTrees = by == SolvedBy::kWarpsWithTrees;
      using Warp = std::conditional_t<kTrees, SummingTreeWarp, SummingWarp>;
      const PendingStage& stage = call.arrays.stages[item];
      if (stage.is_solved) {
        OwnMemory& own = shared[threadIdx.x / CudaWarp::kSize];
        const SolverMemory kept = memory.of(item, 0);
        const int pairs = stage.begun.problem.num_pairs + stage.begun.problem.num_loops;
        const SolverMemory solver = own.solver.take(warp, kept, pairs);
        solve_environment_stage<kTrees || by == SolvedBy::kWarpsWithPlates, Columns, Warp>(call, item, solver,
                                                                                           own.sums);
        decltype(own.solver)::give_back(warp, solver, kept, pairs);
      }
    }
    warp.sync();  // before others are at hand
  }
}

}  // namespace

template <SolvedBy by, class Use>
void with_solve_kernel(bool in_float, const Use& use) {
  if constexpr (by == SolvedBy::kWarps || by == SolvedBy::kTeams) {
    if (in_float) return use(solve_stages_kernel<by, float>);
  }
  use(solve_stages_kernel<by, double>);
}

template <SolvedBy by>
std::int64_t load_solve_stages(bool in_float) {
  std::int64_t warps = 0;
  with_solve_kernel<by>(in_float, [&](auto kernel) {
    warps = static_cast<std::int64_t>(resident_blocks(kernel, kSolveBlock)) * kSolveWarps;
  });
  return warps;
}

template <SolvedBy by>
void solve_stages(const StepCall& call, cudaStream_t stream) {
  const std::int64_t items = (call.step.state.num_environments + kProblemsPerWarp<by> - 1) / kProblemsPerWarp<by>;
  if (items == 0) return;
  const std::int64_t useful = (std::min<std::int64_t>(items, call.warps) + kSolveWarps - 1) / kSolveWarps;
  with_solve_kernel<by>(call.arrays.contacts.float_contacts != nullptr, [&](auto kernel) {
    kernel<<<static_cast<unsigned>(useful), kSolveBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

}  // namespace isopatch::detail
