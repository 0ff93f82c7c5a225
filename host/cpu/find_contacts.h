// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact of one environment in a step: each model finds the contacts of its near pairs.
#pragma once

#include <vector>

#include "host/cpu/rollout/step_workspace.h"
#include "host/cpu/thread_workspace.h"

namespace isopatch::detail {

/// What a thread has to step environments.
template <class T>
struct ContactStepWorkspace : StepWorkspace<T> {
  const CpuContactModels& models;
  ThreadWorkspace contact;
  std::vector<double> contact_state, next_contact_state;  // of the environment, where its sub-step begins, and after the
                                                          // stage at hand

  ContactStepWorkspace(const SceneData& scene, const RolloutView& view, const CpuContactModels& of)
      : StepWorkspace<T>(scene.view, view),
        models(of),
        contact(scene, of),
        contact_state(static_cast<std::size_t>(num_contact_states(scene.view))),
        next_contact_state(contact_state.size()) {}

  /// Of the environment at hand.
  StepProgress step(bool with_sums) {
    StepProgress progress = StepWorkspace<T>::step(with_sums);
    progress.contact_state = contact_state.data();
    progress.next_contact_state = next_contact_state.data();
    return progress;
  }
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
  if (!work.next_contact_state.empty()) results.contact_state = {work.next_contact_state.data(), 0};
  begin_environment(warp, warp, work.contact.bounds, step.scene, contact, results, environment,
                    work.contact.begin_lists());
  const StepBatch batch = {step.scene, contact, results, step.rollout.points};
  for (int model = 0; model < step.scene.num_models; ++model) {
    const auto index = static_cast<std::size_t>(model);
    status |= work.models[index]->find_contacts(batch, environment, work.contact.near_pairs_of(step.scene, model),
                                                *work.contact.models[index], work.polygons.found());
  }
  work.polygons.sort();
  return status;
}

}  // namespace isopatch::detail
