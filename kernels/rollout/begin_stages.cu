// SPDX-License-Identifier: Apache-2.0
//
// A warp takes an environment: puts its polygons in order, and writes the problem of its stage.
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

union SortMemory {
  FewContacts::Memory few;
  ManyContacts::Memory many;
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

}  // namespace

std::int64_t load_begin_stages(bool has_trees) {
  const int blocks = has_trees ? resident_blocks(begin_stages_kernel<CudaTreeWarp>, kBlock)
                               : resident_blocks(begin_stages_kernel<CudaWarp>, kBlock);
  return static_cast<std::int64_t>(blocks) * kWarps;
}

void begin_stages(const StepCall& call, cudaStream_t stream) {
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
