// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/step_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/text/quote.h"
#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// The same time in half steps.
RolloutStart in_half_steps(RolloutStart start) {
  for (std::int64_t& steps : start.state.steps) steps *= 2;
  return start;
}

/// The same simulator with half the time step.
HostSimulator with_half_step(const HostSimulator& simulator) {
  RolloutOptions rollout = simulator.simulator().rollout();
  rollout.time_step /= 2;
  return {simulator.simulator().scene(), rollout, simulator.simulator().options()};
}

}  // namespace

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

}  // namespace isopatch::cli
