// SPDX-License-Identifier: Apache-2.0
//
// A warp takes one listed pair, or one slice of it, from traversal to wrench. In between it reads only the meshes from
// global memory, which are the same for all environments.
#pragma once

#include "isopatch/detail/pressure_field/outputs/contact_output.h"
#include "kernels/pressure_field/call.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

constexpr int kPairWarps = 4;  // 4 workspaces of about 6 KB: far below the limit of shared memory a block
constexpr int kPairBlock = kPairWarps * CudaWarp::kSize;

#if !defined(ISOPATCH_PAIR_BLOCKS)
#define ISOPATCH_PAIR_BLOCKS 0  // as suits the kernel
#endif

/// Blocks that a processor holds at once: more hide more latency, and leave fewer registers. By the cycle model in
/// bench, 4 are faster for wrenches and patches in float although they spill; see bench/NOTES.md.
template <class T, Outputs outputs, Parts parts>
constexpr int kPairBlocks = ISOPATCH_PAIR_BLOCKS > 0 ? ISOPATCH_PAIR_BLOCKS
                            : kIsFloat<T> && !has(outputs, Outputs::kPolygons) && parts == Parts::kOne ? 4
                                                                                                       : 2;

template <class T, Outputs outputs, Parts parts>
__global__ void __launch_bounds__(kPairBlock, kPairBlocks<T, outputs, parts>)
    evaluate_pairs_kernel(PressureFieldCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kPairWarps];
  if constexpr (has(outputs, Outputs::kPolygons)) {
    if (!call.packed.has_work(call.pass)) return;
  }
  CudaWarp warp;
  Workspace<CudaWarp::kSize>& work = workspaces[threadIdx.x / CudaWarp::kSize];
  const UnfinishedPair* left = call.staged.pairs != nullptr ? call.staged.unfinished : nullptr;
  const std::int64_t pairs = left != nullptr ? *call.counter(kUnfinished) : call.num_listed();
  for (std::int32_t at; take_item(warp, call.counter(kNextPair), pairs * call.slices, at);) {
    const std::int32_t of_slices = at / call.slices;
    const std::int32_t index = left != nullptr ? left[of_slices].pair : of_slices;
    const Remaining remaining = left != nullptr ? left[of_slices].remaining : Remaining::everything();
    const auto [environment, pair] = call.entry(index);
    WorkSlice slice = {at - of_slices * call.slices, call.slices};
    if (remaining.kind != Remaining::kEverything) {  // a pass that is not shared
      if (slice.index > 0) continue;
      slice = {};
    }
    if constexpr (has(outputs, Outputs::kPolygons)) {
      if (!call.packed.needs(call.pass, environment)) continue;
      const RowsOfPass rows = RowsOfPass::make(call.packed, call.pass, call.digit);
      BristleMoments* const bristles = has_law(call.scene.pairs[pair]) ? &work.bristles : nullptr;
      evaluate_pair<T, outputs, false, parts>(warp, work, call.scene, call.state, call.results, environment, pair,
                                              slice, call.sums + index, remaining,
                                              with_sink(BristleSink<T>{bristles}, row_sinks<T>(call.results, rows)));
    } else {
      evaluate_pair<T, outputs, false, parts>(warp, work, call.scene, call.state, call.results, environment, pair,
                                              slice, call.sums + index, remaining, NoSinks());
    }
  }
}

template <class T, Parts parts, class Use>
void with_pair_kernel(Outputs outputs, const Use& use) {
  if (has(outputs, Outputs::kPolygons)) return use(evaluate_pairs_kernel<T, Outputs::kAll, parts>);
  if (has(outputs, Outputs::kPatch)) return use(evaluate_pairs_kernel<T, Outputs::kPatch, parts>);
  use(evaluate_pairs_kernel<T, Outputs::kWrench, parts>);
}

/// Calls use(kernel) with the kernel that computes these outputs.
template <class T, class Use>
void with_pair_kernel(const SceneView& scene, Outputs outputs, const Use& use) {
  if (parts_of(scene) == Parts::kOne) return with_pair_kernel<T, Parts::kOne>(outputs, use);
  with_pair_kernel<T, Parts::kSeveral>(outputs, use);
}

template <class T>
void evaluate_pairs(const PressureFieldCall& call, cudaStream_t stream) {
  const std::int64_t most = call.num_pairs() * call.slices;
  if (most == 0) return;
  const bool has_polygons = call.packed.is_wanted() || call.has_bristles;
  const Outputs outputs = has_polygons ? Outputs::kAll : needed_outputs(call.results);
  with_pair_kernel<T>(call.scene, outputs, [&](auto kernel) {
    kernel<<<blocks_for(kernel, kPairBlock, most), kPairBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

template <class T>
std::int64_t resident_warps(const SceneView& scene, Outputs outputs) {
  std::int64_t warps = 0;
  with_pair_kernel<T>(scene, outputs, [&](auto kernel) {
    warps = static_cast<std::int64_t>(resident_blocks(kernel, kPairBlock)) * kPairWarps;
  });
  return warps;
}

}  // namespace isopatch::detail
