// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "host/text/quote.h"
#include "isopatch/detail/rollout/motion/step_stage.h"
#include "isopatch/status.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kHostPart = 64, kDevicePart = 65536;

/// The elements of environment `begin` on; null for an empty array.
template <class Array>
auto* at(Array& array, std::int64_t begin, std::int64_t row) {
  return array.empty() ? nullptr : array.data() + begin * row;
}

/// The same time in half steps.
RolloutStart in_half_steps(RolloutStart start) {
  for (std::int64_t& steps : start.state.step_count) steps *= 2;
  return start;
}

/// The same simulator with half the time step.
HostSimulator with_half_step(const HostSimulator& simulator) {
  RolloutOptions rollout = simulator.simulator().rollout();
  rollout.time_step /= 2;
  return {simulator.simulator().scene(), rollout, simulator.simulator().options()};
}

}  // namespace

Stepper::Stepper(const HostSimulator& simulator, const RolloutStart& start)
    : simulator_(simulator),
      state_(start.state),
      given_(start.given),
      counts_(rollout_counts(simulator.simulator().scene())),
      status_(state_.status.size()),
      part_(simulator.simulator().options().backend == Backend::kCuda ? kDevicePart : kHostPart) {}

void Stepper::step(std::int64_t begin, std::int64_t count, std::int64_t steps, RolloutOutputArrays* output) {
  RolloutState state;
  state.num_environments = count;
  for_each_rollout_state(
      [&](const ArrayInfo& info, auto*& rows, auto& array) { rows = at(array, begin, counts_.row(info)); }, state,
      state_);
  RolloutInput input;
  static_cast<ParameterInputs<InputViews>&>(input) = given_.view(begin, count);
  RolloutOutput results;
  if (output != nullptr) {
    for_each_rollout_output(
        [&](const ArrayInfo& info, auto& rows, auto& array) { rows = at(array, begin, counts_.row(info)); }, results,
        *output);
  }
  simulator_.step(state, input, results, static_cast<int>(steps));
  for (std::int64_t e = begin; e < begin + count; ++e) status_[e] |= state_.status[e];
}

void Stepper::advance(std::int64_t steps, RolloutOutputArrays& output, Progress& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShort(100), kLong(400);
  constexpr std::int64_t kLargestCount = std::numeric_limits<int>::max();

  const std::int64_t environments = state_.num_environments;
  std::int64_t left = steps;
  do {
    const std::int64_t now = std::min({left, std::max<std::int64_t>(part_ / environments, 1), kLargestCount});
    left -= now;
    for (std::int64_t begin = 0; begin < environments;) {
      const std::int64_t count =
          std::min(environments - begin, std::max<std::int64_t>(part_ / std::max<std::int64_t>(now, 1), 1));
      const Clock::time_point start = Clock::now();
      step(begin, count, now, left == 0 ? &output : nullptr);
      begin += count;
      progress.add(now * count);

      const auto elapsed = Clock::now() - start;
      if (elapsed < kShort && 2 * now * count > part_) part_ = std::min(2 * part_, kLargestCount);
      if (elapsed > kLong) part_ = std::max<std::int64_t>(1, part_ / 2);
    }
  } while (left > 0);
}

StepCheck::StepCheck(const HostSimulator& simulator, const RolloutStart& start)
    : half_(with_half_step(simulator)),
      stepper_(half_, in_half_steps(start)),
      bodies_(static_cast<std::size_t>(simulator.simulator().scene().num_bodies())) {}

void StepCheck::compare(std::int64_t steps, const RolloutStateArrays& state, Progress& progress) {
  stepper_.advance(2 * steps, nothing_, progress);
  const RolloutStateArrays& halves = stepper_.state();
  for (std::size_t e = 0; e < state.status.size(); ++e) {
    if (((state.status[e] | halves.status[e]) & kFrozen) != 0) continue;
    const std::size_t first = e * bodies_.size() * kPoseSize;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Pose a = load_pose(&state.poses[first], static_cast<int>(i)),
                 b = load_pose(&halves.poses[first], static_cast<int>(i));
      const Twist difference = twist_between(a, b, 1);
      bodies_[i].position = std::max(bodies_[i].position, norm(difference.linear));
      bodies_[i].angle = std::max(bodies_[i].angle, norm(difference.angular));
    }
  }
}

void StepCheck::print() const {
  const double h = half_.simulator().rollout().time_step;
  fmt::print("With half the time step, {} s instead of {} s, bodies are at most this far away:\n\n", h, 2 * h);
  fmt::print("{:>12}{:>14}  {}\n", "position m", "rotation rad", "body");
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    fmt::print("{:>12.3g}{:>14.3g}  {}\n", bodies_[i].position, bodies_[i].angle,
               escaped(half_.simulator().scene().description().bodies[i].name));
  }
}

LostBodies::LostBodies(Scene scene, const EvaluatorOptions& options, const StateArrays& given)
    : evaluator_(std::move(scene), options), given_(given) {
  given_.velocities.clear();
}

std::int64_t LostBodies::count(const RolloutStateArrays& state) {
  State now = given_.view(0, state.num_environments);
  now.poses = state.poses.data();
  status_.resize(state.status.size());
  Results results;
  results.status = status_.data();
  evaluator_.evaluate(now, results);
  std::int64_t lost = 0;
  for (std::size_t e = 0; e < status_.size(); ++e) {
    if (((status_[e] & kNoContactSurface) | (state.status[e] & kDiverged)) != 0) ++lost;
  }
  return lost;
}

}  // namespace isopatch::cli
