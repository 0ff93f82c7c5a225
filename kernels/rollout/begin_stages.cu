// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment, or four small ones: puts its polygons in order, and writes the problem of its stage.
#include "kernels/algorithms/register_sort.cuh"
#include "kernels/rollout/environment_stage.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;
constexpr int kBlock = kWarps * CudaWarp::kSize;
constexpr int kBlocks = 4;  // of a processor

using FewContacts = RegisterSort<ContactEntry, 1>;
using ManyContacts = RegisterSort<ContactEntry, 16>;

/// Rows that a team puts in order, each at the place that follows from how many come before it.
struct TeamContacts {
  static constexpr int kMax = 32;
  std::uint64_t keys[kMax];
  std::int32_t at[kMax];

  __device__ void sort(const OwnTeam& team, ContactEntry* rows, int count) {
    for (int i = team.lane(); i < count; i += OwnTeam::kSize) {
      keys[i] = rows[i].key;
      at[i] = rows[i].at;
    }
    team.sync();
    for (int i = team.lane(); i < count; i += OwnTeam::kSize) {
      int before = 0;
      for (int k = 0; k < count; ++k) before += keys[k] < keys[i] ? 1 : 0;
      rows[before] = {keys[i], at[i]};
    }
    team.sync();
  }
};

union SortMemory {
  FewContacts::Memory few;
  ManyContacts::Memory many;
  TeamContacts of_teams[OwnTeam::kTeams];
};

/// As sort_contacts() of environment_stage.cuh, in registers if they fit.
__device__ __forceinline__ void sort_in_registers(CudaWarp& warp, SortMemory& memory, ContactEntry* rows,
                                                  ContactEntry* other, int count) {
  if (count <= FewContacts::kMax) {
    FewContacts(memory.few).sort(rows, count);
  } else if (count <= ManyContacts::kMax) {
    ManyContacts(memory.many).sort(rows, count);
  } else {
    sort_contacts(warp, rows, other, count);
  }
}

template <class Warp>
__global__ void __launch_bounds__(kBlock, kBlocks) begin_stages_kernel(const __grid_constant__ StepCall call) {
  __shared__ SortMemory memories[kWarps];
  Warp warp;
  SortMemory& memory = memories[threadIdx.x / CudaWarp::kSize];
  const std::int64_t warps = std::int64_t{gridDim.x} * kWarps;
  const std::int64_t own = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / CudaWarp::kSize;
  ContactEntry* const sorting = call.arrays.sorting + own * call.arrays.contacts.capacity;
  for (std::int64_t e = own; e < call.step.state.num_environments; e += warps) {
    begin_environment_stage(
        warp, call, e, [&](ContactEntry* rows, int found) { sort_in_registers(warp, memory, rows, sorting, found); });
  }
}

/// A warp takes four environments, each by a team.
__global__ void __launch_bounds__(kBlock, kBlocks) begin_stages_by_teams_kernel(const __grid_constant__ StepCall call) {
  static_assert(kMaxTeamPolygons <= ManyContacts::kMax);
  __shared__ SortMemory memories[kWarps];
  CudaWarp warp;
  OwnTeam team;
  SortMemory& memory = memories[threadIdx.x / CudaWarp::kSize];
  const std::int64_t first =
      (std::int64_t{blockIdx.x} * kWarps + threadIdx.x / CudaWarp::kSize) * std::int64_t{OwnTeam::kTeams};
  const std::int64_t e = first + OwnTeam::index(), capacity = call.arrays.contacts.capacity;
  const bool exists = e < call.step.state.num_environments;
  PendingStage& stage = call.arrays.stages[exists ? e : 0];
  if (exists) take_environment(team, call, e, stage);
  const bool is_solved = exists && stage.is_solved;
  const int found = is_solved ? stage.begun.contacts : 0;
  std::uint32_t left = warp.ballot(team.lane() == 0 && found > TeamContacts::kMax);
  for (; left != 0u; left &= left - 1u) {
    const int leader = count_bits(~left & (left - 1u));
    ManyContacts(memory.many)
        .sort(call.arrays.contacts.entries + (first + leader / OwnTeam::kSize) * capacity,
              warp.from_lane(found, leader));
  }
  if (!is_solved) return;
  if (found <= TeamContacts::kMax) {
    memory.of_teams[OwnTeam::index()].sort(team, call.arrays.contacts.entries + e * capacity, found);
  }
  begin_sorted_stage(team, call, e, stage);
}

}  // namespace

std::int64_t load_begin_stages(bool has_trees) {
  if (!has_trees) resident_blocks(begin_stages_by_teams_kernel, kBlock);
  const int blocks = has_trees ? resident_blocks(begin_stages_kernel<CudaTreeWarp>, kBlock)
                               : resident_blocks(begin_stages_kernel<CudaWarp>, kBlock);
  return static_cast<std::int64_t>(blocks) * kWarps;
}

void begin_stages(const StepCall& call, cudaStream_t stream) {
  if (call.has_teams) {
    constexpr int kOfBlock = kWarps * OwnTeam::kTeams;
    const std::int64_t blocks = (call.step.state.num_environments + kOfBlock - 1) / kOfBlock;
    begin_stages_by_teams_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
    return;
  }
  const std::int64_t useful = std::min<std::int64_t>(call.step.state.num_environments, call.begin_warps);
  if (useful == 0) return;
  const auto blocks = static_cast<unsigned>((useful + kWarps - 1) / kWarps);
  if (may_have_trees(call.step.rollout)) {
    begin_stages_kernel<CudaTreeWarp><<<blocks, kBlock, 0, stream>>>(call);
  } else {
    begin_stages_kernel<CudaWarp><<<blocks, kBlock, 0, stream>>>(call);
  }
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
