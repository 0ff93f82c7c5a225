// SPDX-License-Identifier: Apache-2.0
//
// Long calls that their caller gives up.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "isopatch/isopatch.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSoon(200);

/// Two spheres in contact; a second or more of work in these many environments.
SceneDescription two_spheres() {
  SceneDescription scene = two_bodies(make_sphere("a", 0.05, 3), make_sphere("b", 0.05, 3));
  scene.bodies[0].pose[0] = 0.06;
  return scene;
}
constexpr std::int64_t kLongBatch = 20'000;

/// True from 50 ms after the first question on; where it is asked is remembered.
struct Caller {
  Clock::time_point since = {};
  std::thread::id asked_on = {};
  int asked = 0;

  bool operator()() {
    if (asked++ == 0) since = Clock::now();
    asked_on = std::this_thread::get_id();
    return Clock::now() - since > std::chrono::milliseconds(50);
  }
};

/// Expects that a call is cancelled soon after the caller wants it.
void expect_cancelled(const std::function<void()>& call, const Caller& caller) {
  try {
    call();
    FAIL() << "it was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCancelled) << error.what();
    EXPECT_LT(Clock::now() - caller.since, std::chrono::milliseconds(50) + kSoon);
    EXPECT_EQ(caller.asked_on, std::this_thread::get_id());
  }
}

TEST(Cancellation, EndsAnEvaluationSoon) {
  for (const int threads : {1, 4}) {
    Caller caller;
    const Evaluator evaluator(Scene(two_spheres()), {.num_threads = threads, .is_cancelled = [&] { return caller(); }});
    const StateArrays states(evaluator.scene().description(), kLongBatch);
    ResultArrays results(evaluator.scene(), kLongBatch);
    expect_cancelled([&] { evaluator.evaluate(states.view(), results.view()); }, caller);
  }
}

TEST(Cancellation, EndsTheReferenceSoon) {
  Caller caller;
  const Evaluator evaluator(Scene(two_bodies(make_sphere("a", 0.05, 0), make_sphere("b", 0.05, 0))),
                            {.backend = Backend::kReference, .is_cancelled = [&] { return caller(); }});
  const StateArrays states(evaluator.scene().description(), kLongBatch);
  ResultArrays results(evaluator.scene(), kLongBatch);
  expect_cancelled([&] { evaluator.evaluate(states.view(), results.view()); }, caller);
}

TEST(Cancellation, EndsARolloutBetweenItsSteps) {
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kSdirk2}) {
    Caller caller;
    SceneDescription description = two_bodies(make_sphere("ball", 0.05, 1), make_half_space("ground", 0.1));
    description.bodies[1].fixed = true;
    description.bodies[0].pose[2] = 0.049;  // it lies there: what falls is too fast after a while, and frozen
    description.rollout.integrator = integrator;
    const HostSimulator simulator(Scene(description), {.is_cancelled = [&] { return caller(); }});
    RolloutStateArrays state(simulator.simulator().scene(), 1);
    simulator.initial_state(state.view());
    expect_cancelled([&] { simulator.step(state.view(), {}, {}, 100'000'000); }, caller);
    EXPECT_EQ(state.status[0] & kFrozen, 0u);
  }
}

TEST(Cancellation, LetsOutWhatTheCallerThrows) {
  for (const int threads : {1, 4}) {
    const Evaluator evaluator(Scene(two_spheres()), {.num_threads = threads, .is_cancelled = []() -> bool {
                                                       throw std::runtime_error("interrupted");
                                                     }});
    const StateArrays states(evaluator.scene().description(), kLongBatch);
    ResultArrays results(evaluator.scene(), kLongBatch);
    EXPECT_THROW(evaluator.evaluate(states.view(), results.view()), std::runtime_error);
  }
}

TEST(Cancellation, LeavesTheEvaluatorAsItWas) {
  std::atomic<bool> cancelled = true;
  const Scene scene(two_spheres());
  const Evaluator evaluator(scene, {.is_cancelled = [&] { return cancelled.load(); }});
  const StateArrays many(scene.description(), kLongBatch), few(scene.description(), 100);
  ResultArrays results(scene, kLongBatch), found(scene, 100), expected(scene, 100);
  EXPECT_THROW(evaluator.evaluate(many.view(), results.view()), Error);
  cancelled = false;
  evaluator.evaluate(few.view(), found.view());
  Evaluator(scene).evaluate(few.view(), expected.view());
  EXPECT_EQ(found.pair_wrench, expected.pair_wrench);
}

TEST(Cancellation, DoesNotAskInShortCalls) {
  int asked = 0;
  const Evaluator evaluator(Scene(two_spheres()), {.is_cancelled = [&] { return ++asked > 0; }});
  const StateArrays states(evaluator.scene().description(), 1);
  ResultArrays results(evaluator.scene(), 1);
  for (int i = 0; i < 5; ++i) evaluator.evaluate(states.view(), results.view());
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace isopatch::test
