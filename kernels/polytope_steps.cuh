// SPDX-License-Identifier: Apache-2.0
//
// All steps of a call in environments with rigid polytopes: a warp takes an environment, and finds contact by all
// models, the relations of its rigid parts and the velocities that fulfil them. It is defined for a list of models, and
// compiled where that list stands.
#pragma once

#include <algorithm>

#include "isopatch/detail/polytope_steps/finish_stage.h"
#include "kernels/contact/device_models.cuh"
#include "kernels/polytope_steps.h"
#include "kernels/rollout/environment_stage.cuh"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

/// The lanes of a warp whose features are in shared memory, as are all words that it sets bits of. Its code for trees
/// and loops is left out of scenes without these: lanes need 4.6 instead of 7.2 KB.
template <bool with_trees>
struct RelationWarp : std::conditional_t<with_trees, SummingTreeWarp, SummingWarp> {
  using Summing = std::conditional_t<with_trees, SummingTreeWarp, SummingWarp>;
  using Summing::Summing;

  __device__ void set_bits(std::uint32_t* word, std::uint32_t bits) const {
    [[maybe_unused]] std::uint32_t before = 0;
    asm volatile("atom.shared.or.b32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(word))), "r"(bits)
                 : "memory");
  }
};

/// The memory that lanes share, beside what models need to find contact, or else features.
struct RelationSharedMemory {
  SolverMemory solver;
  RelationMemory relations;
  std::int32_t near[kMaxContactModels];
  double sums[SummingWarp::kDoubles];

  /// With the memory of a warp. What is copied whole begins as zeros: both of these, bodies and contacts.
  __device__ void begin(const CudaWarp& warp, const PolytopeStepCall& call, double* memory, void* features) {
    const PolytopeStepSize size = {solver_size(call), call.relation_capacity};
    clear(warp, &solver, sizeof(solver) + sizeof(relations));
    clear(warp, memory, 8 * size.solver().kept_words());
    warp.sync();
    if (warp.lane() == 0) {
      solver = size.solver_in(memory);
      solver.trees = {};
      solver.tree_views = call.step.rollout.trees;
      relations = size.relations_in(memory, features);
    }
    warp.sync();
    clear(warp, relations.contacts, relations.capacity.contacts * static_cast<std::int64_t>(sizeof(StepContact)));
    warp.sync();
  }

 private:
  __device__ static void clear(const CudaWarp& warp, void* memory, std::int64_t bytes) {
    auto* const words = static_cast<std::uint64_t*>(memory);
    for (std::int64_t i = warp.lane(); i < bytes / 8; i += CudaWarp::kSize) words[i] = 0;
  }
};

template <class Models>
constexpr std::size_t kModelBytes = sizeof(typename Models::Memory);

/// Finds the contacts of the stage at hand. Returns the status of the search, with kFrozen if the stage is not to be
/// solved.
template <class Models, class T, class Warp>
__device__ __forceinline__ std::uint32_t find_stage_contacts(Warp& warp, const PolytopeStepCall& call, std::int64_t e,
                                                             typename Models::Memory& memory, std::int32_t* near,
                                                             int& found) {
  const ContactLists& contacts = call.arrays.contacts;
  warp.sync();  // what the stage before wrote
  Models::template find_contacts<T, true>(warp, memory, near, call.evaluation, e, call.step.rollout.points, contacts);
  warp.sync();
  std::uint32_t status = contacts.status[e];
  found = contacts.found[e];
  warp.sync();  // before it changes
  if (warp.lane() == 0) {
    contacts.found[e] = 0;
    StepCounts& counts = *call.arrays.of(call.step, e).counts;
    counts.polygons_needed = max(counts.polygons_needed, found);
  }
  if (found > contacts.capacity) status |= kStepCapacity;
  return (status & (kFaults | kStepCapacity)) == 0 ? status : status | kFrozen;
}

/// Begins a step of an environment up to the search of its first stage. Returns its status. This and the next one are
/// not of the contact models, so a call of each is the same code for all kernels.
template <class Warp>
__device__ __noinline__ std::uint32_t begin_polytope_step(Warp& warp, const PolytopeStepCall& call, std::int64_t e,
                                                          const RelationMemory& relations) {
  const StepProgress progress = call.arrays.of(call.step, e);
  const std::uint32_t status = begin_step(warp, call.step, call.evaluation.state, e, progress);
  if (status != kOk) return status;
  keep_beginnings(warp, call.step, e, progress.bodies, progress.plan->substeps, relations);
  place_for_search(warp, call.step, e, progress);
  return kOk;
}

/// Finishes the stage at hand from the contacts that were found, up to the search of the next one. Returns its status.
template <class Warp>
__device__ __noinline__ std::uint32_t finish_polytope_stage(Warp& warp, const PolytopeStepCall& call, std::int64_t e,
                                                            int found, const SolverMemory& solver,
                                                            const RelationMemory& relations) {
  const WarpPointSums<Warp> points{warp};
  return finish_relation_stage(warp, points, call.step, call.evaluation.state, e, sorted_contacts(call, e, found),
                               solver, relations, call.arrays.of(call.step, e));
}

template <class Models, class T, bool with_trees>
__global__ void __launch_bounds__(CudaWarp::kSize)
    take_polytope_steps_kernel(const __grid_constant__ PolytopeStepCall call) {
  extern __shared__ double2 models_or_features[];
  __shared__ RelationSharedMemory shared;
  static_assert(std::max(kModelBytes<Models>, kMaxFeatureMemory) + sizeof(shared) <= (48 << 10));
  RelationWarp<with_trees> warp(shared.sums);
  const std::int64_t own = blockIdx.x, count = call.step.state.num_environments;
  shared.begin(warp, call, call.arrays.solver + own * call.solver_words, models_or_features);
  ContactEntry* const sorting = call.arrays.sorting + own * call.arrays.contacts.capacity;
  const ContactLists& contacts = call.arrays.contacts;
  for (std::int32_t e; take_item(warp, &call.evaluation.counters->next_step, count, e);) {
    std::uint32_t status = call.step.state.status[e];
    if ((status & kFrozen) != 0) continue;
    const StepPlan& plan = call.arrays.plans[e];
    if (with_trees && warp.lane() == 0) shared.solver.trees = call.arrays.trees_of(call.step, e);
    for (int i = 0; i < call.num_steps && (status & kFrozen) == 0; ++i) {
      warp.sync();  // what the step before wrote
      status |= begin_polytope_step(warp, call, e, shared.relations);
      while ((status & kFrozen) == 0 && !plan.is_done()) {
        int found = 0;
        auto& of_models = reinterpret_cast<typename Models::Memory&>(models_or_features);
        status |= find_stage_contacts<Models, T>(warp, call, e, of_models, shared.near, found);
        if ((status & kFrozen) != 0) break;
        sort_contacts(warp, contacts.entries + e * contacts.capacity, sorting, found);
        status |= finish_polytope_stage(warp, call, e, found, shared.solver, shared.relations);
      }
    }
    warp.sync();
    if (warp.lane() == 0) call.step.state.status[e] = status;
  }
}

template <class Models, bool with_trees, class Use>
void with_polytope_steps(Precision precision, const Use& use) {
  precision == Precision::kFloat ? use(take_polytope_steps_kernel<Models, float, with_trees>)
                                 : use(take_polytope_steps_kernel<Models, double, with_trees>);
}

template <class Models, class Use>
void with_polytope_steps(Precision precision, bool with_trees, const Use& use) {
  with_trees ? with_polytope_steps<Models, true>(precision, use) : with_polytope_steps<Models, false>(precision, use);
}

}  // namespace

template <class Models>
std::int64_t load_polytope_steps(Precision precision, bool with_trees) {
  std::int64_t warps = 0;
  with_polytope_steps<Models>(precision, with_trees,
                              [&](auto kernel) { warps = resident_blocks(kernel, CudaWarp::kSize); });
  return warps;
}

template <class Models>
void take_polytope_steps(const PolytopeStepCall& call, Precision precision, bool with_trees, cudaStream_t stream) {
  const std::int64_t useful = std::min<std::int64_t>(call.step.state.num_environments, call.warps);
  if (useful == 0 || call.num_steps == 0) return;
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.evaluation.counters, 0, sizeof(CallCounters), stream));
  const std::size_t shared = std::max(kModelBytes<Models>, static_cast<std::size_t>(call.feature_bytes));
  with_polytope_steps<Models>(precision, with_trees, [&](auto kernel) {
    kernel<<<static_cast<unsigned>(useful), CudaWarp::kSize, shared, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

}  // namespace isopatch::detail
