// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/polytope_steps.h"

#include <algorithm>

#include "isopatch/detail/polytope_steps/finish_stage.h"

namespace isopatch::detail {

namespace {

/// With memory for so many relations.
template <class Warp>
std::uint32_t take_step(const CpuStepCall& call, std::int64_t environment, ContactStepMemory& work,
                        const RelationMemory& relations) {
  Warp warp;
  const StepView& step = call.step;
  const StepProgress progress = call.progress(work);
  const State contact = search_state(step, progress.poses, progress.twists, 0, progress.contact_state, 0);
  std::uint32_t status = begin_step(warp, step, contact, environment, progress);
  if (status == kOk) {
    keep_beginnings(warp, step, environment, progress.bodies, progress.plan->substeps, relations);
    place_for_search(warp, step, environment, progress);
  }
  while ((status & kFrozen) == 0 && !progress.plan->is_done()) {
    status |= work.find(step, contact, environment);
    const ContactList& contacts = work.contacts();
    const int polygons = contacts.size();
    progress.counts->polygons_needed = std::max(progress.counts->polygons_needed, polygons);
    if (call.polygon_capacity > 0 && polygons > call.polygon_capacity) status |= kStepCapacity;
    if ((status & (kFaults | kStepCapacity)) != 0) return status | kFrozen;
    const auto ordered = ordered_contacts(
        polygons, [&](int i) { return contacts.key(i); },
        [&](int i, const PolygonColumns& columns, int k) { contacts.write(i, columns, k); });
    const int rigid = polygons_of_relations(relations.capacity.contacts, step.scene.num_pairs);
    status |= finish_relation_stage(warp, KernelPointSums{call.points, work.counter, 0}, step, contact, environment,
                                    ordered, work.solver(polygons + rigid), relations, progress);
  }
  return status;
}

}  // namespace

std::uint32_t take_polytope_step(const CpuStepCall& call, std::int64_t environment, ContactStepMemory& work,
                                 RelationWorkspace& relations) {
  constexpr std::int32_t kFirst = 64;
  const auto take = may_have_trees(call.step.rollout) ? take_step<SerialWarp> : take_step<PlainWarp>;
  std::int32_t capacity = call.relation_capacity > 0 ? call.relation_capacity : std::max(relations.capacity(), kFirst);
  while (true) {
    const std::uint32_t status = take(call, environment, work, relations.of_capacity(capacity));
    const std::int32_t polygons = call.progress(work).counts->polygons_needed;
    const bool is_full = (status & kStepCapacity) != 0 &&
                         (call.polygon_capacity == 0 || polygons <= call.polygon_capacity) &&
                         call.relation_capacity == 0 && capacity < limits::kMaxRelationCapacity;
    if (!is_full) return status;
    capacity *= 2;
  }
}

}  // namespace isopatch::detail
