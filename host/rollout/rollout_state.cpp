// SPDX-License-Identifier: Apache-2.0
#include "isopatch/rollout_state.h"

#include "host/rollout/rollout_data.h"
#include "host/scene/scene_data.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/rollout/motion/step_stage.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch {

using namespace detail;

namespace {

int joints_of(const Scene& scene) {
  int joints = 0;
  for (const Body& body : scene.description().bodies) {
    const MotionType type = body.motion.type;
    if (!body.fixed && (type == MotionType::kPrismatic || type == MotionType::kRevolute)) ++joints;
  }
  return joints;
}

std::size_t size_of(const ArrayCounts& counts, const ArrayInfo& info, std::int64_t environments) {
  if (environments < 0) {
    throw_error("rollout arrays: there are {} environments; the number must not be negative", environments);
  }
  return static_cast<std::size_t>(counts.size(info, environments));
}

template <class T>
T* data_or_null(std::vector<T>& array) {
  return array.empty() ? nullptr : array.data();
}

}  // namespace

ArrayCounts rollout_counts(const Scene& scene) {
  ArrayCounts counts = counts_of(scene);
  counts[Per::kJoint] = joints_of(scene);
  counts[Per::kLoop] = static_cast<std::int64_t>(scene.description().loops.size());
  return counts;
}

RolloutStateArrays::RolloutStateArrays(const Scene& scene, std::int64_t environments) {
  num_environments = environments;
  const ArrayCounts counts = rollout_counts(scene);
  for_each_rollout_state([&](const ArrayInfo& info, auto& array) { array.resize(size_of(counts, info, environments)); },
                         *this);
  const RolloutData data(scene, scene.description().rollout);
  SerialWarp warp;
  for (std::int64_t e = 0; e < environments; ++e) {
    write_initial_state(warp, data.view, scene.num_bodies(), num_contact_states(scene.data().view), view(), e);
  }
}

RolloutState RolloutStateArrays::view() {
  RolloutState state;
  state.num_environments = num_environments;
  for_each_rollout_state([](const ArrayInfo&, auto*& pointer, auto& array) { pointer = data_or_null(array); }, state,
                         *this);
  return state;
}

RolloutOutputArrays::RolloutOutputArrays(const Scene& scene, std::int64_t environments, bool elastic_energy_,
                                         bool patch_, bool distances_) {
  const ArrayCounts counts = rollout_counts(scene);
  for_each_rollout_output(
      [&](const ArrayInfo& info, auto& array) {
        const bool wanted = info.group == OutputGroup::kEnergy      ? elastic_energy_
                            : info.group == OutputGroup::kPatch     ? patch_
                            : info.group == OutputGroup::kDistances ? distances_
                                                                    : true;
        if (wanted) array.resize(size_of(counts, info, environments));
      },
      *this);
}

RolloutOutput RolloutOutputArrays::view() {
  RolloutOutput output;
  for_each_rollout_output([](const ArrayInfo&, auto& rows, auto& array) { rows = data_or_null(array); }, output, *this);
  return output;
}

}  // namespace isopatch
