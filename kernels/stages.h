// SPDX-License-Identifier: Apache-2.0
//
// The device stages of one step, in order. Each enqueues on `stream`, allocates nothing, does not synchronise, and
// returns at once where there is nothing to do; so a step can be captured in a graph.
#pragma once

#include <cuda_runtime_api.h>

#include "isopatch/detail/wrench_sums.h"

namespace isopatch {

/// The arguments of every stage, by value: views of device memory.
struct Step {
  detail::SceneView scene;
  State state;
  Results results;
};

/// Writes every environment's fault bits and clears its polygon counter.
void begin_environments(const Step& step, cudaStream_t stream);

/// Pair wrenches, patch summaries and polygons; zeroes where the environment has a fault or the pair is masked.
template <class T>
void evaluate_pairs(const Step& step, cudaStream_t stream);

/// Elastic energies.
void evaluate_energies(const Step& step, cudaStream_t stream);

/// Body wrenches from the stored pair wrenches.
void sum_body_wrenches(const Step& step, cudaStream_t stream);

}  // namespace isopatch
