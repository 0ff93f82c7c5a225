// SPDX-License-Identifier: Apache-2.0
//
// Steps of environments with rigid polytopes: one kernel for all steps of a call, in which a warp takes an environment
// through them.
#pragma once

#include "isopatch/detail/polytope_steps/step_contacts.h"
#include "kernels/rollout/step_call.h"

namespace isopatch::detail {

/// What a warp needs of global memory, from the size of a solve of the contacts that searches find.
struct PolytopeStepSize {
  SolverSize contacts;
  std::int32_t relation_capacity;

  /// With bodies a second time, as rigid pairs see them, and with these pairs.
  ISOPATCH_HD SolverSize solver() const {
    SolverSize size = contacts;
    size.bodies *= 2;
    size.pairs *= 2;
    size.polygons += polygons_of_relations(relation_capacity, contacts.pairs);
    return size;
  }
  ISOPATCH_HD std::int64_t solver_words() const { return solver().kept_words() + solver().finding_words(); }
  ISOPATCH_HD std::int64_t words() const {
    RelationMemory none;
    return solver_words() + divide(nullptr, none);
  }
  ISOPATCH_HD SolverMemory solver_in(double* memory) const {
    return solver().in(memory, memory + solver().kept_words());
  }
  ISOPATCH_HD RelationMemory relations_in(double* memory, void* features) const {
    RelationMemory relations;
    divide(memory + solver_words(), relations);
    relations.features = static_cast<double*>(features);
    return relations;
  }

 private:
  ISOPATCH_HD std::int64_t divide(double* memory, RelationMemory& relations) const {
    relations.capacity = relation_room(relation_capacity);
    return relations.divide(memory, contacts.bodies, contacts.pairs, contacts.dofs, contacts.loops);
  }
};

/// The arguments of the kernel, by value. Each of the call's `warps` that solve has the memory of a PolytopeStepSize.
struct PolytopeStepCall : StepCall {
  std::int32_t relation_capacity;
  std::int32_t feature_bytes;  // of shared memory
};

/// Loads the kernel; returns how many warps run at once. Both are where the contact models are listed: a program that
/// adds a model links others in place of the library's, as of take_substeps().
std::int64_t load_polytope_steps(Precision precision, bool with_trees);

/// Takes all steps of a call, after begin_call(). `with_trees` where the scene has trees or loops.
void take_polytope_steps(const PolytopeStepCall& call, Precision precision, bool with_trees, cudaStream_t stream);

}  // namespace isopatch::detail
