// SPDX-License-Identifier: Apache-2.0
//
// A stage of an environment between the kernels that begin, solve and end it.
#pragma once

#include "kernels/rollout/step_call.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

__device__ inline SolverSize solver_size(const StepCall& call) {
  return {call.step.scene.num_bodies, call.step.rollout.num_joints,  call.step.rollout.num_dofs,
          call.step.scene.num_pairs,  call.arrays.contacts.capacity, num_state_rows(call.step.scene)};
}

/// The environment's own memory, without what only finding the velocities needs.
__device__ inline SolverMemory kept_memory(const StepCall& call, std::int64_t environment) {
  return solver_size(call).in(call.arrays.kept + environment * call.kept_words, nullptr);
}

/// The contacts of an environment, in order.
__device__ inline auto sorted_contacts(const StepCall& call, std::int64_t environment, int count) {
  const StepArrays& arrays = call.arrays;
  const std::int64_t first = environment * arrays.contacts.capacity;
  const ContactEntry* const sorted = arrays.contacts.entries + first;
  const SolverContact<float>* const in_float = arrays.contacts.float_contacts;
  const SolverContact<double>* const in_double = arrays.contacts.double_contacts;
  return ordered_contacts(
      count, [=](int i) { return sorted[i].key; },
      [=](int i, const PolygonColumns& columns, int k) {
        const std::int64_t at = first + sorted[i].at;
        in_float != nullptr ? columns.write(k, in_float[at]) : columns.write(k, in_double[at]);
      });
}

}  // namespace isopatch::detail
