// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact of one environment in a step: each model finds the contacts of its near pairs.
#pragma once

#include "host/cpu/rollout/step_workspace.h"
#include "host/cpu/thread_workspace.h"

namespace isopatch::detail {

/// What a thread has to step environments.
template <class T>
struct ContactStepWorkspace : StepWorkspace<T> {
  const CpuContactModels& models;
  ThreadWorkspace contact;

  ContactStepWorkspace(const SceneData& scene, const RolloutView& view, const CpuContactModels& of)
      : StepWorkspace<T>(scene.view, view), models(of), contact(scene, of) {}
};

/// Lists the environment's contacts in the order of their keys. Returns its status.
template <class T>
std::uint32_t find_contacts(const StepView& step, const State& contact, std::int64_t environment,
                            ContactStepWorkspace<T>& work) {
  work.polygons.found().clear();
  SerialWarp warp;
  std::uint32_t status = kOk;
  Results results;
  results.status = {&status, 0};
  std::int32_t count = 0;
  begin_environment(warp, warp, work.contact.bounds, step.scene, contact, results, environment,
                    {work.contact.near_pairs, &count, limits::kMaxPairs});
  const StepBatch batch = {step.scene, contact, results, step.rollout.points};
  status |=
      work.models[0]->find_contacts(batch, environment, {work.contact.near_pairs, static_cast<std::size_t>(count)},
                                    *work.contact.models[0], work.polygons.found());
  work.polygons.sort();
  return status;
}

}  // namespace isopatch::detail
