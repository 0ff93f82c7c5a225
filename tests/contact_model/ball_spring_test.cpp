// SPDX-License-Identifier: Apache-2.0
//
// What a second contact model needs of the library: it is chosen per pair, beside pairs of the library's own model; it
// carries a state for each part pair through evaluations, steps, resets and files. On the CPU, and on an emulated
// device if there is one.
#include "tests/contact_model/ball_spring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "host/scene/scene_data.h"
#include "isopatch/isopatch.h"
#include "tests/support/npz_arrays.h"
#include "tests/support/program.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

/// Two rigid balls of three that touch by the test's model, a soft one in the ground by the library's.
const char* const kBalls = R"({"isopatch": 1,
  "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1}, "ground": {"type": "half_space"}},
  "bodies": [
    {"name": "left", "geometry": "ball", "rigid": true, "mass": 1, "position": [0, 0, 0.5]},
    {"name": "right", "geometry": "ball", "rigid": true, "mass": 1, "position": [0.09, 0, 0.5]},
    {"name": "soft", "geometry": "ball", "modulus": 1e5, "mass": 1, "position": [1, 0, 0.045]},
    {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true}],
  "pairs": [{"bodies": ["left", "right"], "model": "ball_spring"}, ["soft", "ground"]]})";

SceneDescription balls() { return parse_scene(kBalls, "", "balls"); }

/// Four parts against one: state has a row for each part pair.
SceneDescription compound() {
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 0.05, 1)};
  Body dumbbell, ball;
  dumbbell.name = "dumbbell";
  for (const double x : {-0.2, -0.1, 0.1, 0.2}) {
    Part part;
    part.pose = {x, 0, 0, 1, 0, 0, 0};
    dumbbell.parts.push_back(part);
  }
  dumbbell.rigid = true;
  ball.name = "ball";
  ball.rigid = true;
  ball.pose = {0.15, 0, 0.06, 1, 0, 0, 0};
  scene.bodies = {dumbbell, ball};
  Pair pair;
  pair.a = 0, pair.b = 1;
  scene.pairs = {pair};
  scene.contact.model = static_cast<ContactModel>(detail::kBallSpring);
  return scene;
}

std::vector<Backend> backends() {
  return cuda_available() ? std::vector{Backend::kCpu, Backend::kCuda} : std::vector{Backend::kCpu};
}

ResultArrays evaluated(const Scene& scene, const StateArrays& state, Backend backend,
                       Precision precision = Precision::kFloat) {
  ResultArrays results(scene, state.num_environments, {.energy = true, .part_pairs = true});
  HostEvaluator(scene, {.backend = backend, .precision = precision}).evaluate(state.view(), results.view());
  return results;
}

TEST(BallSpring, IsChosenPerPairBesideTheModelOfTheOthers) {
  const Scene scene(balls());
  SceneDescription alone = balls();
  alone.pairs = {(*alone.pairs)[1]};
  const StateArrays state(balls(), 3);
  const ResultArrays expected = evaluated(Scene(alone), state, Backend::kCpu);
  const double radius = scene.data().geometries.views[0].radius;
  for (const Backend backend : backends()) {
    const ResultArrays results = evaluated(scene, state, backend);
    for (std::size_t e = 0; e < 3; ++e) {
      const double* wrench = results.pair_wrench.data() + 12 * e;
      EXPECT_NEAR(wrench[0], -detail::BallSpring::kStiffness * (2 * radius - 0.09), 1e-9);
      EXPECT_EQ(results.polygon_count[2 * e], 1);
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(wrench[6 + i], expected.pair_wrench[6 * e + i]);
      EXPECT_EQ(results.area[2 * e + 1], expected.area[e]);
      EXPECT_EQ(results.energy[2 * e], 0);
    }
    EXPECT_EQ(results.status, std::vector<std::uint32_t>(3, kOk));
  }
}

TEST(BallSpring, AgreesWithItsReference) {
  constexpr double kTolerance = 1e-11;  // of double against extended precision, for forces of a few hundred newtons
  for (const SceneDescription& description : {balls(), compound()}) {
    const Scene scene(description);
    StateArrays state(description, 2);
    state.poses[1] += 0.003;
    ResultArrays expected = evaluated(scene, state, Backend::kReference);
    state.contact_state = expected.contact_state;
    expected = evaluated(scene, state, Backend::kReference);
    for (const Backend backend : backends()) {
      const ResultArrays results = evaluated(scene, state, backend, Precision::kDouble);
      EXPECT_EQ(results.contact_state, expected.contact_state);
      for (std::size_t i = 0; i < results.part_pair_wrench.size(); ++i) {
        EXPECT_NEAR(results.part_pair_wrench[i], expected.part_pair_wrench[i], kTolerance * 1e3) << i;
      }
    }
  }
}

TEST(BallSpring, HasTheSameBitsWithEveryWidthOfVectors) {
  const Scene scene(balls());
  const StateArrays state(balls(), 5);
  const ResultArrays expected = evaluated(scene, state, Backend::kCpu);
  for (const detail::Vectors vectors : {detail::Vectors::kNone, detail::Vectors::kBaseline}) {
    detail::CpuOptions options;
    options.vectors = vectors;
    ResultArrays results(scene, 5, {.energy = true, .part_pairs = true});
    detail::make_evaluator(scene, options).evaluate(state.view(), results.view());
    EXPECT_EQ(results.pair_wrench, expected.pair_wrench);
    EXPECT_EQ(results.contact_state, expected.contact_state);
  }
}

TEST(BallSpring, LetsTwoRigidBodiesTouchWhichPressureFieldsDoNot) {
  SceneDescription scene = balls();
  EXPECT_EQ(Scene(scene).num_part_pairs(), 2);
  (*scene.pairs)[0].model.reset();
  EXPECT_THROW(Scene{scene}, Error);
  scene.pairs->clear();
  const std::size_t without_rigid = all_pairs(scene).size();
  scene.contact.model = static_cast<ContactModel>(detail::kBallSpring);
  EXPECT_EQ(all_pairs(scene).size(), 3u);  // every two of the balls
  EXPECT_EQ(without_rigid, 3u);            // the soft ball with every other body
}

TEST(BallSpring, CarriesANumberForEachPartPair) {
  for (const SceneDescription& description : {balls(), compound()}) {
    const Scene scene(description);
    ASSERT_EQ(scene.contact_state_size(), 1);
    for (const Backend backend : backends()) {
      StateArrays state(description, 2);
      std::vector<double> before;
      for (int call = 1; call <= 3; ++call) {
        const ResultArrays results = evaluated(scene, state, backend);
        ASSERT_EQ(results.contact_state.size(), 2u * static_cast<std::size_t>(scene.num_part_pairs()));
        double most = 0;
        for (const double age : results.contact_state) {
          EXPECT_TRUE(age == 0 || age == call) << age;
          most = std::max(most, age);
        }
        EXPECT_EQ(most, call);
        state.contact_state = results.contact_state;
      }
      state.poses[0] -= 1;  // the first body of the first environment is far away
      const ResultArrays apart = evaluated(scene, state, backend);
      for (int i = 0; i < scene.num_part_pairs(); ++i) EXPECT_EQ(apart.contact_state[static_cast<std::size_t>(i)], 0);
    }
  }
}

TEST(BallSpring, RefusesAStateThatIsNotFinite) {
  const Scene scene(balls());
  for (const Backend backend : backends()) {
    StateArrays state(balls(), 2);
    state.contact_state = {0, 0, std::nan(""), 0};
    const ResultArrays results = evaluated(scene, state, backend);
    EXPECT_EQ(results.status[0], kOk);
    EXPECT_EQ(results.status[1], kBadContactState);
    EXPECT_EQ(results.contact_state[2], 0);
    EXPECT_EQ(results.contact_state[0], 1);
  }
}

struct Stepped {
  RolloutStateArrays state;
  RolloutOutputArrays output;
};

Stepped stepped(const Scene& scene, RolloutStateArrays begin, int steps, Backend backend, Precision precision) {
  Stepped result = {std::move(begin), {}};
  result.output = RolloutOutputArrays(scene, result.state.num_environments, true);
  HostSimulator(scene, {.backend = backend, .precision = precision})
      .step(result.state.view(), {}, result.output.view(), steps);
  return result;
}

TEST(BallSpringSteps, CountTheStepsInContactAndKeepMomentum) {
  SceneDescription description = balls();
  description.rollout.gravity = {0, 0, 0};
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    description.rollout.integrator = integrator;
    const Scene scene(description);
    for (const Backend backend : backends()) {
      for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
        const Stepped after = stepped(scene, RolloutStateArrays(scene, 2), 4, backend, precision);
        EXPECT_EQ(after.state.contact_state[0], 4);  // of the springs
        EXPECT_EQ(after.state.contact_state[1], 0);  // pressure fields carry nothing
        EXPECT_LT(after.state.velocities[0], -0.1);
        EXPECT_NEAR(after.state.velocities[0], -after.state.velocities[6], 1e-12);
        const Stepped later = stepped(scene, after.state, 200, backend, precision);
        EXPECT_EQ(later.state.contact_state[0], 0) << "they have parted";
      }
    }
  }
}

TEST(BallSpringSteps, HaveTheSameBitsOnEveryBackendAndWhenResumed) {
  const Scene scene(balls());
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const Stepped expected = stepped(scene, RolloutStateArrays(scene, 3), 6, Backend::kCpu, precision);
    for (const Backend backend : backends()) {
      const Stepped half = stepped(scene, RolloutStateArrays(scene, 3), 3, backend, precision);
      const Stepped whole = stepped(scene, half.state, 3, backend, precision);
      for_each_rollout_state(
          [&](const ArrayInfo& info, const auto& a, const auto& b) {
            ASSERT_EQ(a.size(), b.size());
            EXPECT_TRUE(same_bytes(a.data(), b.data(), a.size() * sizeof(a[0]))) << info.name;
          },
          expected.state, whole.state);
    }
  }
}

TEST(BallSpringSteps, ResetByMaskAndKeepTheStateOfFrozenEnvironments) {
  const Scene scene(balls());
  const Simulator simulator(scene);
  RolloutStateArrays state = stepped(scene, RolloutStateArrays(scene, 3), 2, Backend::kCpu, Precision::kFloat).state;
  ASSERT_EQ(state.contact_state, (std::vector<double>{2, 0, 2, 0, 2, 0}));
  RolloutStateArrays initial(scene, 3);
  const std::uint8_t mask[] = {0, 1, 0};
  simulator.reset(state.view(), mask, initial.view());
  EXPECT_EQ(state.contact_state, (std::vector<double>{2, 0, 0, 0, 2, 0}));

  state.poses[2 * 4 * 7] = std::numeric_limits<double>::infinity();  // the last environment freezes
  simulator.step(state.view());
  EXPECT_EQ(state.contact_state, (std::vector<double>{3, 0, 1, 0, 2, 0}));
  EXPECT_NE(state.status[2] & kFrozen, 0u);
}

TEST(BallSpring, IsInTheTextOfItsScene) {
  const Scene scene(balls());
  const std::string text = to_json(scene);
  EXPECT_NE(text.find("\"ball_spring\""), std::string::npos);
  const Scene again(parse_scene(text, "", "", {scene.description().geometries}));
  EXPECT_EQ(to_json(again), text);
  SceneDescription plain = balls();
  plain.pairs->erase(plain.pairs->begin());
  EXPECT_EQ(to_json(Scene(plain)).find("\"model\""), std::string::npos) << "nothing is said of the default";
}

struct BallSpringFiles : testing::FolderTest {
  testing::Outcome run(const std::string& arguments) const {
    const char* const program = std::getenv("ISOPATCH_BALL_SPRING_PROGRAM");
    if (program == nullptr) return {-1, "ISOPATCH_BALL_SPRING_PROGRAM is not set"};
    return testing::run_shell(std::string(program) + " " + arguments);
  }
  std::vector<double> contact_states(const std::string& file) const {
    const detail::NpyArray array = detail::parse_npz(read(file), file).at("contact_state");
    std::vector<double> numbers(array.bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), array.bytes.data(), array.bytes.size());
    return numbers;
  }
};

TEST_F(BallSpringFiles, HaveTheContactStateAndAreContinuedWithIt) {
  const std::string scene = write("balls.json", kBalls);
  const auto expect_ok = [](const testing::Outcome& outcome) { EXPECT_EQ(outcome.code, 0) << outcome.out; };
  expect_ok(run("evaluate " + scene + " --backend cpu --output " + path("one.npz")));
  EXPECT_EQ(contact_states("one.npz"), (std::vector<double>{1, 0}));

  expect_ok(run("rollout " + scene + " --backend cpu --steps 4 --precision double --output " + path("all.npz")));
  const std::vector<double> all = contact_states("all.npz");
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[all.size() - 2], 4);
  expect_ok(run("rollout " + scene + " --backend cpu --steps 2 --precision double --output " + path("half.npz")));
  expect_ok(run("rollout " + scene + " --backend cpu --steps 2 --precision double --states " + path("half.npz") +
                " --output " + path("rest.npz")));
  const std::vector<double> rest = contact_states("rest.npz");
  ASSERT_GE(rest.size(), 2u);
  EXPECT_EQ(rest[rest.size() - 2], 4);
}

TEST_F(BallSpringFiles, NameTheModelsThatThereAre) {
  std::string wrong = kBalls;
  wrong.replace(wrong.find("ball_spring"), 11, "ball_string");
  const testing::Outcome outcome = run("evaluate " + write("wrong.json", wrong));
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.out.find("ball_string"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("ball_spring"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace isopatch::test
