// SPDX-License-Identifier: Apache-2.0
//
// What the stages of pairs have in common, whatever is made of the cells that a search lists.
#pragma once

#include "kernels/pressure_field/call.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

/// Enqueues the stage that begins pairs. With `begins`, the environments begin before.
void begin_staged_pairs(const PressureFieldCall& call, bool begins, cudaStream_t stream);

/// Enqueues the search of pairs that have begun, in rounds: use_cells(most) enqueues what is done with the cells of
/// one, at most so many.
template <class UseCells>
void search_staged_pairs(const PressureFieldCall& call, const UseCells& use_cells, cudaStream_t stream);
void search_round(const PressureFieldCall& call, int round, cudaStream_t stream);

/// Loads the kernels of both on the current device, so that no call has to.
void load_searches(const SceneView& scene);

#if defined(__CUDACC__)
/// Appends the lanes' pairs of which something is left to the list of unfinished pairs.
__device__ inline void append_unfinished(CudaWarp& warp, const PressureFieldCall& call, std::int32_t index,
                                         Remaining remaining) {
  const auto all = static_cast<std::int32_t>(call.state.num_environments * call.scene.num_pairs);
  const SharedList<UnfinishedPair> unfinished = {call.staged.unfinished, call.counter(kUnfinished), all};
  unfinished.append(warp, remaining.kind != Remaining::kNothing, {index, remaining});
}
#endif

template <class UseCells>
void search_staged_pairs(const PressureFieldCall& call, const UseCells& use_cells, cudaStream_t stream) {
  for (int round = 0; round < call.staged.rounds; ++round) {
    search_round(call, round, stream);
    use_cells(call.staged.num_cells);
  }
}

}  // namespace isopatch::detail
