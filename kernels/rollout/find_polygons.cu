// SPDX-License-Identifier: Apache-2.0
//
// A warp takes a near pair, and appends its contact polygons to those of its environment, in no particular order.
#include "kernels/rollout/step_call.h"
#include "kernels/rollout/step_kernels.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kFindWarps = 4;
constexpr int kFindBlock = kFindWarps * CudaWarp::kSize;

template <class T, Parts parts>
__global__ void __launch_bounds__(kFindBlock, 2) find_polygons_kernel(const __grid_constant__ StepCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kFindWarps];
  CudaWarp warp;
  Workspace<CudaWarp::kSize>& work = workspaces[threadIdx.x / CudaWarp::kSize];
  const EvaluationCall& evaluation = call.evaluation;
  const StepArraysView& arrays = call.arrays;
  auto* const polygons = static_cast<SolverContact<T>*>(arrays.polygons);
  for (std::int32_t at; take_item(warp, &evaluation.counters->next_pair, evaluation.counters->listed, at);) {
    const auto item = static_cast<std::uint32_t>(evaluation.list[at]);
    const auto pairs = static_cast<std::uint32_t>(evaluation.scene.num_pairs);
    const std::int64_t environment = item / pairs;
    const auto append = [&](const SolverContact<T>& polygon) {
      const int place = warp.reserve(arrays.found + environment, 1);
      if (place >= arrays.capacity) return;
      const std::int64_t to = environment * arrays.capacity + place;
      polygons[to] = polygon;
      arrays.listed[to] = {polygon.key, place};
    };
    const std::uint32_t bits =
        find_solver_contacts<T, parts>(warp, work, evaluation.scene, evaluation.state, environment,
                                       static_cast<int>(item % pairs), call.step.rollout.points, append);
    if (bits != kOk && warp.lane() == 0) warp.set_bits(arrays.contact_status + environment, bits);
    warp.sync();
  }
}

template <class T, class Use>
void with_find_kernel(const SceneView& scene, const Use& use) {
  if (parts_of(scene) == Parts::kOne) return use(find_polygons_kernel<T, Parts::kOne>);
  use(find_polygons_kernel<T, Parts::kSeveral>);
}

}  // namespace

template <class T>
void load_find_polygons(const SceneView& scene) {
  with_find_kernel<T>(scene, [](auto kernel) { resident_blocks(kernel, kFindBlock); });
}

template <class T>
void find_polygons(const StepCall& call, cudaStream_t stream) {
  const std::int64_t most = call.step.state.num_environments * call.step.scene.num_pairs;
  if (most == 0) return;
  with_find_kernel<T>(call.step.scene, [&](auto kernel) {
    kernel<<<blocks_for(kernel, kFindBlock, most), kFindBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

template void load_find_polygons<float>(const SceneView&);
template void load_find_polygons<double>(const SceneView&);
template void find_polygons<float>(const StepCall&, cudaStream_t);
template void find_polygons<double>(const StepCall&, cudaStream_t);

}  // namespace isopatch::detail
