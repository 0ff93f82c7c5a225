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
/// bench, 4 are faster in float although they spill; see bench/NOTES.md.
template <class T, Outputs outputs, Parts parts>
constexpr int kPairBlocks = ISOPATCH_PAIR_BLOCKS > 0               ? ISOPATCH_PAIR_BLOCKS
                            : parts != Parts::kOne || !kIsFloat<T> ? 2
                                                                   : 4;

/// What a warp evaluates: one of the listed pairs, or what is left of it.
struct PairItem {
  std::int32_t index;
  WorkSlice slice;
  Remaining remaining;
  RowPass pass;
  int digit;  // of a pass that counts one
};

/// The next item of all warps; false if none is left.
__device__ inline bool take_pair(CudaWarp& warp, const PressureFieldCall& call, PairItem& item) {
  const UnfinishedPair* left = call.staged.pairs != nullptr ? call.staged.unfinished : nullptr;
  const std::int64_t pairs = left != nullptr ? *call.counter(kUnfinished) : call.num_listed();
  const PressureFieldCounter next = call.pass == RowPass::kAll ? kNextPair : kNextPairAgain;
  for (std::int32_t at; take_item(warp, call.counter(next), pairs * call.slices, at);) {
    const std::int32_t of_slices = at / call.slices;
    item = {of_slices, {at - of_slices * call.slices, call.slices}, Remaining::everything(), call.pass, 0};
    if (left == nullptr) return true;
    item.index = left[of_slices].pair;
    item.remaining = left[of_slices].remaining;
    if (item.remaining.kind == Remaining::kEverything) return true;
    if (item.slice.index > 0) continue;  // a pass that is not shared
    item.slice = {};
    return true;
  }
  return false;
}

/// The items of the one warp that divides environments, before it takes others: all of their pairs for each digit, and
/// a last time. No other warp looks at their rows meanwhile.
struct PairsOfDividedEnvironments {
  RowPass pass;
  int digit = -1;
  std::int32_t next = 0;

  __device__ explicit PairsOfDividedEnvironments(const PressureFieldCall& call) : pass(RowPass::kAll) {
    if (call.pass == RowPass::kAll || blockIdx.x > 0 || threadIdx.x >= CudaWarp::kSize) return;
    if (!call.packed.has_work(RowPass::kCountDigit)) return;
    pass = RowPass::kCountDigit;
    begin_digit(call);
  }

  __device__ void begin_digit(const PressureFieldCall& call) {
    for (++digit; digit < RowDigits::kCount && (call.key_digits >> digit & 1u) == 0;) ++digit;
    if (digit == RowDigits::kCount) pass = RowPass::kFitting;
  }

  /// The next item; false after the last one.
  __device__ bool take(CudaWarp& warp, const PressureFieldCall& call, PairItem& item) {
    while (pass != RowPass::kAll) {
      for (; next < call.num_listed(); next += CudaWarp::kSize) {
        const std::int32_t own = next + warp.lane();
        const bool wanted = own < call.num_listed() && call.packed.needs(pass, call.entry(own).environment);
        const std::uint32_t found = warp.ballot(wanted);
        if (found == 0) continue;
        const std::int32_t index = next + count_bits(~found & (found - 1u));
        next = index + 1;
        item = {index, {}, Remaining::everything(), pass, digit};
        return true;
      }
      next = 0;
      warp.sync();  // all rows are counted
      if (pass == RowPass::kFitting) {
        pass = RowPass::kAll;
        break;
      }
      find_digit(warp, call.packed.polygons, digit);
      find_digit(warp, call.packed.contacts, digit);
      warp.sync();
      begin_digit(call);
    }
    return false;
  }
};

template <class T, Outputs outputs, Parts parts>
__global__ void __launch_bounds__(kPairBlock, kPairBlocks<T, outputs, parts>)
    evaluate_pairs_kernel(PressureFieldCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kPairWarps];
  CudaWarp warp;
  Workspace<CudaWarp::kSize>& work = workspaces[threadIdx.x / CudaWarp::kSize];
  PairItem item;
  if constexpr (has(outputs, Outputs::kPolygons)) {
    if (!call.packed.has_work(call.pass)) return;
    PairsOfDividedEnvironments divided(call);
    while (divided.take(warp, call, item) || take_pair(warp, call, item)) {
      const auto [environment, pair] = call.entry(item.index);
      if (!call.packed.needs(item.pass, environment)) continue;
      const RowsOfPass rows = RowsOfPass::make(call.packed, item.pass, item.digit);
      PlateMoments* const plate = call.scene.pairs[pair].has_law ? &work.plate : nullptr;
      evaluate_pair<T, outputs, false, parts>(warp, work, {call.scene, call.state, call.results, environment, pair},
                                              {item.slice, call.sums + item.index, item.remaining},
                                              with_sink(PlateSink<T>{plate}, row_sinks<T>(call.results, rows)));
    }
  } else {
    while (take_pair(warp, call, item)) {
      const auto [environment, pair] = call.entry(item.index);
      evaluate_pair<T, outputs, false, parts>(warp, work, {call.scene, call.state, call.results, environment, pair},
                                              {item.slice, call.sums + item.index, item.remaining}, NoSinks());
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
  const bool has_polygons = call.packed.is_wanted() || call.has_plates;
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
