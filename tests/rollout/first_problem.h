// SPDX-License-Identifier: Apache-2.0
//
// The problem that the first step of a scene solves for velocities, in double.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "host/cpu/rollout/step_workspace.h"
#include "host/rollout/rollout_data.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/search_for_solver.h"
#include "isopatch/rollout_state.h"

namespace isopatch::test {

class FirstProblem {
 public:
  explicit FirstProblem(const SceneDescription& description)
      : scene_(description),
        data_(scene_, description.rollout),
        state_(scene_, 1),
        work_(scene_.data().view, data_.view) {
    const detail::SceneView& view = scene_.data().view;
    const detail::InputView input = {};
    std::vector<detail::StageBody> bodies(static_cast<std::size_t>(view.num_bodies));
    std::vector<double> poses(bodies.size() * detail::kPoseSize);
    write_initial_state(warp_, data_.view, view.num_bodies, 0, state_.view(), 0);
    const auto state = detail::EnvironmentState::of(state_.view(), 0, view.num_bodies, data_.view.num_joints);
    const detail::SolverStage stage = detail::stage_of(data_.view, 0, {data_.view.integrator, 1, 0, 0, false});
    begin_step(warp_, data_.view, view.num_bodies, input, 0, state, bodies.data());
    place_all_for_contact(warp_, data_.view, view.num_bodies, input, 0, state, stage, bodies.data(), poses.data(),
                          nullptr);

    State contact;
    contact.num_environments = 1;
    contact.poses = {poses.data(), 0};
    const Results no_results;
    for (int pair = 0; pair < view.num_pairs; ++pair) {
      find_solver_contacts<double>(
          warp_, *contact_, {view, contact, no_results, 0, pair}, data_.view.points,
          [&](const detail::SolverContact<double>& polygon) { contacts_.found().push_back(polygon); });
    }
    contacts_.sort();
    memory_ = work_.solver(contacts_.size());
    if (memory_.order == nullptr) throw std::logic_error("a solve has no memory");
    const detail::StageInput in = {view, data_.view, contact, input, 0, state};
    const auto contacts = detail::ordered_contacts(
        contacts_.size(), [&](int i) { return contacts_.key(i); },
        [&](int i, const detail::PolygonColumns& columns, int k) { contacts_.write(i, columns, k); });
    problem_ = begin_problem(warp_, in, stage, bodies.data(), contacts, memory_);
    write_columns<detail::PolygonColumns>(warp_, problem_.num_pairs, contacts, memory_);
    stiffest_patch(warp_, points_, problem_, stage.step, memory_);
    begin_points(warp_, points_, problem_, stage, memory_);
  }

  const detail::VelocityProblem& problem() const { return problem_; }
  const detail::SolverMemory& memory() const { return memory_; }

  double potential_at(const std::vector<double>& velocity) {
    std::copy(velocity.begin(), velocity.end(), memory_.vectors.previous);
    find_potentials_of_points(warp_, points_, problem_, memory_);
    double potentials[2];
    detail::find_potentials<detail::SerialWarp, decltype(points_)>(warp_, problem_, memory_, potentials);
    return potentials[0];
  }

  /// The matrix is in memory() then.
  std::vector<double> gradient_at(const std::vector<double>& velocity) {
    std::copy(velocity.begin(), velocity.end(), memory_.vectors.velocity);
    evaluate(warp_, points_, problem_, memory_, {true, false});
    return {memory_.vectors.gradient, memory_.vectors.gradient + problem_.num_dofs};
  }

 private:
  Scene scene_;
  detail::RolloutData data_;
  RolloutStateArrays state_;
  detail::StepWorkspace work_;
  detail::SortedContacts<double> contacts_;
  std::unique_ptr<detail::Workspace<1>> contact_ = std::make_unique<detail::Workspace<1>>();
  detail::SerialWarp warp_;
  detail::WarpPointSums<detail::SerialWarp> points_ = {warp_};
  detail::SolverMemory memory_ = {};
  detail::VelocityProblem problem_ = {};
};

}  // namespace isopatch::test
