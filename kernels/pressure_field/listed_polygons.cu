// SPDX-License-Identifier: Apache-2.0
//
// Stages of pairs with patch contacts: one lists the polygons of cells as it integrates them, and in the other a warp
// sums up those of a pair. See stages/polygon_list.h.
#include "kernels/pressure_field/call.h"

#include "isopatch/detail/pressure_field/stages/polygon_list.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;
constexpr int kBlock = kWarps * CudaWarp::kSize;

// Blocks that a processor holds at once: as integrate_cells_kernel(), and as many as 128 registers allow.
template <class T>
constexpr int kListingBlocks = kIsFloat<T> ? 4 : 2;
constexpr int kWritingBlocks = 4;

/// A warp that links runs.
struct LinkingWarp : CudaWarp {
  __device__ std::uint32_t exchange(std::uint32_t* word, std::uint32_t value) const { return atomicExch(word, value); }
};

__device__ PolygonList polygons_of(const PressureFieldCall& call) {
  const ListedPolygonMemory& memory = call.listed;
  return {memory.of_pairs,
          memory.rows,
          memory.records,
          memory.sorted,
          memory.other,
          call.counter(kListedPolygons),
          call.counter(kSortedPolygons),
          memory.capacity};
}

template <class T, bool with_patch>
__global__ void __launch_bounds__(kBlock, kListingBlocks<T>) integrate_and_list_cells_kernel(PressureFieldCall call) {
  __shared__ IntegrationMemory<T, with_patch, CudaWarp::kSize> memories[kWarps];
  LinkingWarp warp;
  IntegrationMemory<T, with_patch, CudaWarp::kSize>& memory = memories[threadIdx.x / CudaWarp::kSize];
  const StagedPairs staged = lists(call);
  const PolygonList polygons = polygons_of(call);
  const std::int32_t end = staged.cells.size();
  const auto warps = static_cast<std::int32_t>(gridDim.x * kWarps);
  auto round = static_cast<std::int32_t>(blockIdx.x * kWarps + threadIdx.x / CudaWarp::kSize);
  for (; round * CudaWarp::kSize < end; round += warps) {
    integrate_and_list_cells<with_patch>(warp, memory, staged, polygons, round * CudaWarp::kSize, end);
  }
}

__global__ void __launch_bounds__(kBlock, kWritingBlocks) write_listed_patches_kernel(PressureFieldCall call) {
  __shared__ PatchContacts all_contacts[kWarps];
  CudaWarp warp;
  PatchContacts& contacts = all_contacts[threadIdx.x / CudaWarp::kSize];
  const StagedPairs staged = lists(call);
  const PolygonList polygons = polygons_of(call);
  for (std::int32_t index; take_item(warp, call.counter(kNextListed), call.num_listed(), index);) {
    const auto [environment, pair] = call.entry(index);
    const bool written =
        index < call.staged.num_pairs && write_listed_patch(warp, contacts, staged, polygons, index,
                                                            {call.scene, call.state, call.results, environment, pair});
    if (!written && warp.lane() == 0) call.patches.left[warp.reserve(call.counter(kLeftPatches), 1)] = index;
  }
}

template <class T>
void load_kernels() {
  resident_blocks(integrate_and_list_cells_kernel<T, false>, kBlock);
  resident_blocks(integrate_and_list_cells_kernel<T, true>, kBlock);
  resident_blocks(write_listed_patches_kernel, kBlock);
}

}  // namespace

template <class T, bool with_patch>
void (*integrating_and_listing_kernel())(PressureFieldCall) {
  return integrate_and_list_cells_kernel<T, with_patch>;
}

void write_listed_patches(const PressureFieldCall& call, cudaStream_t stream) {
  const unsigned blocks = blocks_for(write_listed_patches_kernel, kBlock, call.num_pairs());
  write_listed_patches_kernel<<<blocks, kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

void load_listed_polygons(Precision precision) {
  precision == Precision::kFloat ? load_kernels<float>() : load_kernels<double>();
}

template void (*integrating_and_listing_kernel<float, false>())(PressureFieldCall);
template void (*integrating_and_listing_kernel<float, true>())(PressureFieldCall);
template void (*integrating_and_listing_kernel<double, false>())(PressureFieldCall);
template void (*integrating_and_listing_kernel<double, true>())(PressureFieldCall);

}  // namespace isopatch::detail
