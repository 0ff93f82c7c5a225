// SPDX-License-Identifier: Apache-2.0
//
// The device stages of time steps, in order. As those of an evaluation (kernels/scene/call.h), each enqueues on
// `stream`, allocates nothing and does not synchronise.
#pragma once

#include "isopatch/detail/rollout/take_step.h"
#include "kernels/contact/contact_model.h"
#include "kernels/rollout/step_kernels.h"

namespace isopatch::detail {

/// Memory of a batch between the kernels of a step, with a row for each environment.
struct StepArraysView {
  StepPlan* plans;
  StageBody* bodies;  // step_copies() rows, as of forces
  double* poses;
  double* forces;
  double* sums;                                  // null where no mean is asked for
  double *contact_states, *next_contact_states;  // the former with step_copies() rows
  StepCounts* counts;
  ContactLists contacts;  // `found` is 0 between stages
  std::int32_t*
      num_continuing;  // after each search of the step: environments that another one follows for; kMaxSearches

  // a row for each warp that solves
  ContactEntry* sorting;  // `capacity`
  double* solver;
  std::int64_t solver_words;
  std::int32_t warps;

  ISOPATCH_HD StepProgress of(const StepView& step, std::int64_t environment) const {
    const std::int64_t copy = environment * step_copies(step.rollout), states = num_contact_states(step.scene);
    return {plans + environment,
            bodies + copy * step.scene.num_bodies,
            poses + environment * step.scene.num_bodies * kPoseSize,
            forces + copy * step.num_forces(),
            sums == nullptr ? nullptr : sums + environment * step.scene.num_pairs * 6,
            contact_states + copy * states,
            next_contact_states + environment * states,
            contacts.plates_of(step.scene, environment),
            counts + environment};
  }
};

/// The arguments of every kernel, by value. `evaluation` finds near pairs at the poses of a stage.
struct StepCall {
  BatchCall evaluation;
  StepView step;
  RolloutOutput output;
  StepArraysView arrays;
  int num_steps;  // of the call
  int search;     // of the step, of max_searches(); environments that need fewer are set aside until the last one
  bool is_last;   // step of the call

  /// Whether the search is the last one of its step.
  ISOPATCH_HD bool ends_step() const { return search + 1 == max_searches(step.rollout); }

#if defined(__CUDACC__)
  /// Before the first search of a step. Called by all threads; those of the first block do it.
  __device__ void forget_searches() const {
    if (blockIdx.x != 0) return;
    for (unsigned i = threadIdx.x; i < kMaxSearches; i += blockDim.x) arrays.num_continuing[i] = 0;
  }
#endif
};

/// Begins a call, and its first step if there is one.
void begin_call(const StepCall& call, cudaStream_t stream);

/// Solves a stage of every environment, and begins the next stage or step.
template <SolvedBy by>
void finish_stages(const StepCall& call, cudaStream_t stream);

/// Writes the outputs. The poses are then those of the state, for evaluated_results().
void end_call(const StepCall& call, cudaStream_t stream);

/// What Simulator::initial_state() and reset() do.
void write_initial_states(const RolloutView& view, int num_bodies, int num_contact_states, const RolloutState& state,
                          cudaStream_t stream);
void copy_environments(int num_bodies, int num_joints, int num_contact_states, const RolloutState& from,
                       const RolloutState& to, const std::uint8_t* mask, cudaStream_t stream);

}  // namespace isopatch::detail
