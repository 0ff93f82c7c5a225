// SPDX-License-Identifier: Apache-2.0
//
// Steps of environments with rigid polytopes, and the memory for their relations.
#pragma once

#include <vector>

#include "host/cpu/cpu_step_call.h"
#include "isopatch/detail/polytope_steps/step_contacts.h"

namespace isopatch::detail {

/// What a thread keeps for relations.
class RelationWorkspace {
 public:
  RelationWorkspace(const SceneView& scene, const RolloutView& view)
      : bodies_(scene.num_bodies),
        pairs_(scene.num_pairs),
        dofs_(view.num_dofs),
        loops_(view.num_loops),
        features_(kMaxFeatureMemory / sizeof(double)) {}

  /// Of contacts and of relations.
  std::int32_t capacity() const { return memory_.capacity.contacts; }
  const RelationMemory& of_capacity(std::int32_t capacity) {
    if (capacity == memory_.capacity.contacts) return memory_;
    memory_.capacity = relation_room(capacity);
    words_.resize(static_cast<std::size_t>(memory_.divide(nullptr, bodies_, pairs_, dofs_, loops_)));
    memory_.divide(words_.data(), bodies_, pairs_, dofs_, loops_);
    memory_.features = features_.data();
    return memory_;
  }

 private:
  int bodies_, pairs_, dofs_, loops_;
  RelationMemory memory_ = {};
  std::vector<double> words_, features_;
};

/// One step of an environment. Returns its status; with kFrozen, the state is as it was.
std::uint32_t take_polytope_step(const CpuStepCall& call, std::int64_t environment, ContactStepMemory& work,
                                 RelationWorkspace& relations);

}  // namespace isopatch::detail
