// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact of one environment in a step: each model finds the contacts of its near pairs.
#pragma once

#include <vector>

#include "host/cpu/rollout/step_workspace.h"
#include "host/cpu/thread_workspace.h"
#include "host/threads/work_counter.h"

namespace isopatch::detail {

/// What a thread has to step environments, in either precision.
class ContactStepMemory : public StepWorkspace {
 public:
  ContactStepMemory(const SceneData& scene, const RolloutView& view, const CpuContactModels& of)
      : StepWorkspace(scene.view, view),
        models(of),
        contact(scene, of),
        contact_state(static_cast<std::size_t>(num_contact_states(scene.view) * step_copies(view))),
        next_contact_state(static_cast<std::size_t>(num_contact_states(scene.view))),
        plates(static_cast<std::size_t>(num_state_rows(scene.view))) {}
  ContactStepMemory(const ContactStepMemory&) = delete;
  ContactStepMemory& operator=(const ContactStepMemory&) = delete;
  virtual ~ContactStepMemory() = default;

  /// Lists the environment's contacts. Returns its status.
  virtual std::uint32_t find(const StepView& step, const State& at, std::int64_t environment) = 0;
  virtual const ContactList& contacts() const = 0;

  /// Of the environment at hand.
  StepProgress step(bool with_sums) {
    StepProgress progress = StepWorkspace::step(with_sums);
    progress.contact_state = contact_state.data();
    progress.next_contact_state = next_contact_state.data();
    progress.plates = plates.data();
    return progress;
  }

  const CpuContactModels& models;
  ThreadWorkspace contact;
  WorkCounter counter;                                    // of the solver
  std::int32_t iterations[2] = {0, 0};                    // of the last two solves
  std::vector<double> contact_state, next_contact_state;  // of the environment, as StepProgress says
  std::vector<PlateContact> plates;                       // of the environment, by row
};

template <class T>
class ContactStepWorkspace final : public ContactStepMemory {
 public:
  using ContactStepMemory::ContactStepMemory;

  std::uint32_t find(const StepView& step, const State& at, std::int64_t environment) override;
  const ContactList& contacts() const override { return polygons; }

  SortedContacts<T> polygons;
};

template <class T>
std::uint32_t ContactStepWorkspace<T>::find(const StepView& step, const State& at, std::int64_t environment) {
  polygons.found().clear();
  SerialWarp warp;
  std::uint32_t status = kOk;
  Results results;
  results.status = {&status, 0};
  if (!next_contact_state.empty()) results.contact_state = {next_contact_state.data(), 0};
  begin_environment(warp, warp, contact.bounds, step.scene, at, results, environment, contact.begin_lists());
  const StepBatch batch = {step.scene, at, results, step.rollout.points};
  const ContactSink found(polygons.found(), plates.data());
  for (int model = 0; model < step.scene.num_models; ++model) {
    const auto index = static_cast<std::size_t>(model);
    status |= models[index]->find_contacts(batch, environment, contact.near_pairs_of(step.scene, model),
                                           *contact.models[index], found);
  }
  polygons.sort();
  return status;
}

}  // namespace isopatch::detail
