// SPDX-License-Identifier: Apache-2.0
//
// Optional stage: a warp finds the polygons of one listed pair once more, and sums them up to point contacts. Of staged
// pairs, only if their polygons were not listed.
#include "isopatch/detail/pressure_field/polygon_window.h"
#include "kernels/pressure_field/call.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = kPatchWarps;
constexpr int kBlock = kWarps * CudaWarp::kSize;

/// The window of a warp.
__device__ PolygonWindow window_of(const PatchMemory& memory, std::int64_t warp) {
  const std::int64_t first = warp * memory.capacity;
  const std::size_t numbers = ElasticPolygons::numbers_for(static_cast<std::size_t>(memory.capacity));
  const ElasticPolygons records = {memory.records.numbers + static_cast<std::size_t>(warp) * numbers};
  return {memory.rows + first, memory.other + first, records, memory.capacity};
}

template <class T, Parts parts>
__global__ void __launch_bounds__(kBlock, 2) write_patch_contacts_kernel(PressureFieldCall call) {
  __shared__ PatchWorkspace<CudaWarp::kSize> workspaces[kWarps];
  CudaWarp warp;
  const unsigned warp_in_block = threadIdx.x / CudaWarp::kSize;
  PatchWorkspace<CudaWarp::kSize>& work = workspaces[warp_in_block];
  const PolygonWindow window = window_of(call.patches, static_cast<std::int64_t>(blockIdx.x) * kWarps + warp_in_block);
  const bool some = call.listed.of_pairs != nullptr;
  const std::int64_t pairs = some ? *call.counter(kLeftPatches) : call.num_listed();
  for (std::int32_t at; take_item(warp, call.counter(kNextPatch), pairs, at);) {
    const auto [environment, pair] = call.entry(some ? call.patches.left[at] : at);
    write_patch_contacts<T, parts>(warp, work, window, call.scene, call.state, call.results, environment, pair);
  }
}

template <class T, class Use>
void with_kernel(const SceneView& scene, const Use& use) {
  if (parts_of(scene) == Parts::kOne) return use(write_patch_contacts_kernel<T, Parts::kOne>);
  use(write_patch_contacts_kernel<T, Parts::kSeveral>);
}

}  // namespace

template <class T>
std::int64_t resident_patch_warps(const SceneView& scene) {
  std::int64_t warps = 0;
  with_kernel<T>(scene, [&](auto kernel) { warps = std::int64_t{kWarps} * resident_blocks(kernel, kBlock); });
  return warps;
}

template <class T>
void write_patch_contacts(const PressureFieldCall& call, cudaStream_t stream) {
  if (call.patches.num_windows == 0) return;
  if (call.listed.of_pairs != nullptr) write_listed_patches(call, stream);
  const auto blocks = static_cast<unsigned>(call.patches.num_windows / kWarps);
  with_kernel<T>(call.scene, [&](auto kernel) {
    kernel<<<blocks, kBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

template std::int64_t resident_patch_warps<float>(const SceneView&);
template std::int64_t resident_patch_warps<double>(const SceneView&);
template void write_patch_contacts<float>(const PressureFieldCall&, cudaStream_t);
template void write_patch_contacts<double>(const PressureFieldCall&, cudaStream_t);

}  // namespace isopatch::detail
