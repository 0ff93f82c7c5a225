// SPDX-License-Identifier: Apache-2.0
//
// Calls in which one pair takes many seconds, given up from another thread: two spheres of 81 920 tets that nearly
// coincide, so that most tets of one overlap most of the other's in the middle.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "host/evaluation/backend_options.h"
#include "host/rollout/simulator_backend.h"
#include "tests/support/cvode/cvode_simulator.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using namespace detail;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBefore(200);  // so long each call runs, in the middle of the pair
constexpr std::chrono::seconds kSoon(1);

/// The spheres; their centres are 2 um apart.
const Scene& spheres() {
  static const Scene scene = [] {
    const Geometry sphere = make_sphere("sphere", 0.05, 6);
    EXPECT_EQ(sphere.mesh.tets.size(), 81920u);
    SceneDescription description = two_bodies(sphere, sphere);
    description.bodies[1].pose[0] = 2e-6;
    return Scene(std::move(description));
  }();
  return scene;
}

using IsCancelled = std::function<bool()>;

/// Expects that what it cancels ends soon after that, with the error that says so.
void expect_cancelled_soon(const std::function<void(const IsCancelled&)>& call) {
  spheres();  // made before the time counts
  std::atomic<bool> cancelled = false;
  std::optional<Clock::time_point> when;
  std::jthread other([&] {
    std::this_thread::sleep_for(kBefore);
    when = Clock::now();
    cancelled = true;
  });
  ErrorKind kind = ErrorKind::kInput;
  try {
    call([&] { return cancelled.load(); });
    ADD_FAILURE() << "it was over before it could be cancelled";
  } catch (const Error& error) {
    kind = error.kind();
  }
  const Clock::time_point end = Clock::now();
  other.join();
  EXPECT_EQ(kind, ErrorKind::kCancelled);
  EXPECT_LT(std::chrono::duration<double>(end - *when).count(), std::chrono::duration<double>(kSoon).count());
}

/// The same for an evaluation with these options and outputs.
void expect_evaluation_cancelled_soon(CpuOptions options, const ResultSelection& selection) {
  expect_cancelled_soon([&](const IsCancelled& is_cancelled) {
    options.is_cancelled = is_cancelled;
    const Evaluator evaluator = make_evaluator(spheres(), options);
    const StateArrays states(spheres().description(), 1);
    ResultArrays results(spheres(), 1, selection);
    evaluator.evaluate(states.view(), results.view());
  });
}

class CancelledPair : public ::testing::TestWithParam<Precision> {
 protected:
  void expect_soon(const ResultSelection& selection, Vectors vectors = Vectors::kBest) const {
    CpuOptions options;
    options.precision = GetParam();
    options.vectors = vectors;
    expect_evaluation_cancelled_soon(options, selection);
  }
};

TEST_P(CancelledPair, EndsItsWrench) { expect_soon({.patch = false}); }
TEST_P(CancelledPair, EndsItsPatch) { expect_soon({}); }
TEST_P(CancelledPair, EndsItsPartPairs) { expect_soon({.part_pairs = true}); }
TEST_P(CancelledPair, EndsItsPolygons) { expect_soon({.capacity = {{"polygons", 100}}}); }
TEST_P(CancelledPair, EndsItsPackedContacts) { expect_soon({.capacity = {{"packed_contacts", 100}}}); }
TEST_P(CancelledPair, EndsItsPatchContacts) { expect_soon({.max_clusters = 4}); }
TEST_P(CancelledPair, EndsWithoutVectors) {
  expect_soon({}, Vectors::kNone);
  expect_soon({.capacity = {{"polygons", 100}}}, Vectors::kNone);
}

INSTANTIATE_TEST_SUITE_P(Precisions, CancelledPair, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& parameter) {
                           return parameter.param == Precision::kFloat ? "Float" : "Double";
                         });

TEST(CancelledPairOfAnyBackend, EndsTheReference) {
  expect_evaluation_cancelled_soon({{.backend = Backend::kReference}}, {});
}

void step_spheres(const HostSimulator& simulator, int num_steps, bool with_outputs = false) {
  RolloutStateArrays state(spheres(), 1);
  RolloutOutputArrays output(spheres(), 1, with_outputs, with_outputs);
  simulator.step(state.view(), {}, output.view(), num_steps);
}

/// A rollout of the spheres.
void expect_step_cancelled_soon(const std::function<void(RolloutOptions&)>& change, bool with_outputs = false) {
  RolloutOptions rollout;
  rollout.time_step = 1e-3;
  change(rollout);
  expect_cancelled_soon([&](const IsCancelled& is_cancelled) {
    step_spheres(HostSimulator(spheres(), rollout, {.is_cancelled = is_cancelled}), with_outputs ? 0 : 1, with_outputs);
  });
}

TEST(CancelledStep, EndsWithinItsSearch) {
  expect_step_cancelled_soon([](RolloutOptions&) {});
  expect_step_cancelled_soon([](RolloutOptions& options) { options.integrator = Integrator::kSdirk2; });
  expect_step_cancelled_soon([](RolloutOptions& options) { options.points = ContactPoints::kFan6; });
  expect_step_cancelled_soon([](RolloutOptions& options) { options.points = ContactPoints::kCentroid; });
}

TEST(CancelledStep, EndsWithinItsEnergies) {
  expect_step_cancelled_soon([](RolloutOptions&) {}, true);
}

#ifdef ISOPATCH_HAS_CVODE
TEST(CancelledStep, EndsWithinCvode) {
  expect_cancelled_soon([](const IsCancelled& is_cancelled) {
    step_spheres(HostSimulator(make_cvode_simulator(spheres(), {}, {.is_cancelled = is_cancelled})), 1);
  });
}
#endif

// The environment has taken whole steps, and nothing of the one that was given up is left in the simulator.
TEST(CancelledStep, LeavesAStateAndTheSimulatorAsTheyWere) {
  SceneDescription description = two_bodies(make_sphere("ball", 0.05, 3), make_half_space("ground", 0.1));
  description.bodies[1].fixed = true;
  description.bodies[0].pose[2] = 0.045;
  const Scene scene(std::move(description));
  int asked = 0, most = 0;
  const HostSimulator simulator(scene, {.num_threads = 1, .is_cancelled = [&] { return ++asked > most; }});
  const HostSimulator fresh(scene, {.num_threads = 1});
  for (most = 0; most < 3; ++most) {
    asked = 0;
    RolloutStateArrays lost(scene, 1), found(scene, 1), expected(scene, 1);
    EXPECT_THROW(simulator.step(lost.view(), {}, {}, 1'000'000), Error);
    ASSERT_GT(lost.step_count[0], 0);
    fresh.step(expected.view(), {}, {}, static_cast<int>(lost.step_count[0]));
    EXPECT_EQ(lost.poses, expected.poses) << "whole steps were taken";
    expected = RolloutStateArrays(scene, 1);

    most += 1000;
    simulator.step(found.view(), {}, {}, 20);
    most -= 1000;
    fresh.step(expected.view(), {}, {}, 20);
    EXPECT_EQ(found.poses, expected.poses);
    EXPECT_EQ(found.velocities, expected.velocities);
  }
}

// Candidates that were being found when the search was given up are not taken for found.
TEST(CancelledCandidates, AreNotKept) {
  bool cancelled = false;
  const Scene& scene = spheres();
  const Evaluator evaluator(scene, {.is_cancelled = [&] { return cancelled; }}), fresh(scene);
  CandidateCache cache = evaluator.make_candidate_cache(1, 1e-3);
  StateArrays states(scene.description(), 1);
  ResultArrays found(scene, 1), expected(scene, 1);
  const auto evaluate = [&](double x) {
    states.poses[kPoseSize] = x;
    evaluator.evaluate(states.view(), found.view(), cache);
  };
  evaluate(3e-4);
  cancelled = true;
  EXPECT_THROW(evaluate(3.001e-4), Error);  // the second search keeps candidates
  cancelled = false;
  evaluate(3.002e-4);
  fresh.evaluate(states.view(), expected.view());
  EXPECT_EQ(found.pair_wrench, expected.pair_wrench);
}

}  // namespace
}  // namespace isopatch::test
