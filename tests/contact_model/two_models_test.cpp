// SPDX-License-Identifier: Apache-2.0
//
// Pairs of bodies whose part pairs are of two contact models: the results are the sum of both.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "host/scene/scene_data.h"
#include "isopatch/isopatch.h"
#include "tests/contact_model/ball_spring.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr auto kSpring = static_cast<ContactModel>(detail::kBallSpring);
constexpr auto kSticky = static_cast<ContactModel>(5);

/// A hand with a rigid and a soft finger; each touches a ball of the bar, the soft one another ball too.
const char* const kHand = R"({"isopatch": 1,
  "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1}},
  "bodies": [
    {"name": "hand", "mass": 1, "geometries": [
      {"name": "hard", "geometry": "ball", "position": [-0.1, 0, 0], "rigid": true},
      {"name": "soft", "geometry": "ball", "position": [0.1, 0, 0], "modulus": 1e5, "friction": 0.5}]},
    {"name": "bar", "fixed": true, "rigid": true, "friction": 0.5, "position": [0.003, 0.002, 0.09], "geometries": [
      {"name": "left", "geometry": "ball", "position": [-0.1, 0, 0]},
      {"name": "right", "geometry": "ball", "position": [0.1, 0, 0]}]},
    {"name": "ball", "geometry": "ball", "rigid": true, "fixed": true, "position": [0.1, 0, -0.09]}],
  "pairs": [["hand", "ball"], {"bodies": ["hand", "bar"], "model": ["pressure_field", "ball_spring"]}],
  "rollout": {"gravity": [0, 0, 0]}})";

SceneDescription hand() { return parse_scene(kHand, "", "hand"); }

/// The pair of the hand and the bar alone, with one finger.
SceneDescription finger(int part, ContactModel model) {
  SceneDescription scene = hand();
  scene.bodies[0].parts = {scene.bodies[0].parts[static_cast<std::size_t>(part)]};
  scene.pairs = {(*scene.pairs)[1]};
  (*scene.pairs)[0].model = model;
  return scene;
}

/// Of the second environment, the bar is far away; the third one slides.
StateArrays states_of(const SceneDescription& scene) {
  StateArrays states(scene, 3);
  const std::size_t bodies = scene.bodies.size();
  states.poses[7 * bodies + 7] += 1;
  states.velocities[12 * bodies] = 0.1;
  states.velocities[12 * bodies + 2] = -0.02;
  return states;
}

const ResultSelection kEverything = {.energy = true, .part_pairs = true};

ResultArrays evaluated(const SceneDescription& description, Backend backend, Precision precision) {
  const Scene scene(description);
  ResultArrays results(scene, 3, kEverything);
  const StateArrays states = states_of(description);
  HostEvaluator(scene, {.backend = backend, .precision = precision}).evaluate(states.view(), results.view());
  return results;
}

std::vector<Backend> backends() {
  std::vector<Backend> all = {Backend::kCpu, Backend::kReference};
  if (cuda_available()) all.push_back(Backend::kCuda);
  return all;
}

TEST(TwoModels, DivideThePartPairsOfAPair) {
  const Scene scene(hand());
  ASSERT_EQ(scene.num_pairs(), 2);
  const std::vector<PartPair> found = scene.part_pairs();
  // by pair, then by model: pressure fields of the soft finger, springs of the hard one
  const std::vector<std::vector<int>> expected = {{0, 1, 4}, {1, 1, 2}, {1, 1, 3}, {1, 0, 2}, {1, 0, 3}};
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(scene.num_part_pairs(), 5);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ((std::vector<int>{found[i].pair, found[i].part_a, found[i].part_b}), expected[i]) << i;
  }
  EXPECT_EQ(scene.data().pairs.size(), 3u);
  EXPECT_EQ(scene.contact_state_size(), 1);
}

TEST(TwoModels, AreInOrderOfPreference) {
  SceneDescription description = hand();
  (*description.pairs)[1].model = {kSpring, ContactModel::kPressureField};  // springs can be between any two balls
  const Scene scene(description);
  EXPECT_EQ(scene.num_part_pairs(), 5);
  ASSERT_EQ(scene.data().pairs.size(), 2u);
  EXPECT_EQ(scene.data().pairs[1].model, detail::kBallSpring);
}

TEST(TwoModels, AddUp) {
  for (const Backend backend : backends()) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const double tolerance = precision == Precision::kFloat && backend != Backend::kReference ? 1e-5 : 1e-10;
      const ResultArrays both = evaluated(hand(), backend, precision);
      const ResultArrays fields = evaluated(finger(1, ContactModel::kPressureField), backend, precision);
      const ResultArrays springs = evaluated(finger(0, kSpring), backend, precision);
      EXPECT_EQ(both.status, std::vector<std::uint32_t>(3, kOk));
      for (std::size_t e = 0; e < 3; ++e) {
        const std::size_t pair = 2 * e + 1;
        EXPECT_EQ(fields.polygon_count[e] > 0, e != 1);
        EXPECT_EQ(springs.polygon_count[e], e == 1 ? 0 : 1);
        EXPECT_EQ(both.polygon_count[pair], fields.polygon_count[e] + springs.polygon_count[e]);
        const auto expect_near = [&](double found, double expected, double scale) {
          EXPECT_NEAR(found, expected, tolerance * scale) << static_cast<int>(backend) << " " << e;
        };
        for (std::size_t i = 0; i < 6; ++i) {
          expect_near(both.pair_wrench[6 * pair + i], fields.pair_wrench[6 * e + i] + springs.pair_wrench[6 * e + i],
                      100);
          for (std::size_t row = 0; row < 2; ++row) {
            const double* const of_pair = both.part_pair_wrench.data() + 6 * (5 * e + 1) + i;
            expect_near(of_pair[6 * row], fields.part_pair_wrench[6 * (2 * e + row) + i], 100);
            expect_near(of_pair[6 * (2 + row)], springs.part_pair_wrench[6 * (2 * e + row) + i], 100);
          }
        }
        for (std::size_t i = 0; i < 3; ++i) {
          expect_near(both.center_of_pressure[3 * pair + i], fields.center_of_pressure[3 * e + i], 1);
          expect_near(both.mean_normal[3 * pair + i], fields.mean_normal[3 * e + i], 1);
          expect_near(both.friction_force[3 * pair + i], fields.friction_force[3 * e + i], 100);
          expect_near(both.body_wrench[18 * e + i], both.pair_wrench[12 * e + i] + both.pair_wrench[6 * pair + i], 100);
        }
        expect_near(both.area[pair], fields.area[e], 1e-3);
        expect_near(both.max_pressure[pair], fields.max_pressure[e], 1e5);
        expect_near(both.energy[pair], fields.energy[e], 1);
        EXPECT_EQ(std::vector<double>(both.contact_state.begin() + static_cast<std::ptrdiff_t>(5 * e),
                                      both.contact_state.begin() + static_cast<std::ptrdiff_t>(5 * e + 5)),
                  (std::vector<double>{0, 0, 0, e == 1 ? 0.0 : 1.0, 0}));
      }
    }
  }
}

TEST(TwoModels, HaveTheSameBitsOnEveryBackendAndWithEveryWidthOfVectors) {
  const Scene scene(hand());
  const StateArrays states = states_of(hand());
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const ResultArrays expected = evaluated(hand(), Backend::kCpu, precision);
    const auto expect_same = [&](const ResultArrays& results) {
      for_each_output(
          [](const ArrayInfo& info, const auto& a, const auto& b) {
            EXPECT_TRUE(same_bytes(a.data(), b.data(), a.size() * sizeof(a[0]))) << info.name;
          },
          expected, results);
    };
    for (const detail::Vectors vectors : {detail::Vectors::kNone, detail::Vectors::kBaseline}) {
      detail::CpuOptions options;
      options.vectors = vectors;
      options.precision = precision;
      ResultArrays results(scene, 3, kEverything);
      detail::make_evaluator(scene, options).evaluate(states.view(), results.view());
      expect_same(results);
    }
    if (cuda_available()) expect_same(evaluated(hand(), Backend::kCuda, precision));
  }
}

// Without the wrenches of part pairs, pressure fields can go in stages.
TEST(GpuTwoModels, HaveTheSameBitsInStages) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  const Scene scene(hand());
  const StateArrays states = states_of(hand());
  ResultArrays expected(scene, 3);
  HostEvaluator(scene).evaluate(states.view(), expected.view());
  for (const detail::PairStages stages : {detail::PairStages::kOne, detail::PairStages::kSeveral}) {
    const detail::CudaOptions options = {{.backend = Backend::kCuda}, stages};
    ResultArrays results(scene, 3);
    HostEvaluator(detail::make_evaluator(scene, options)).evaluate(states.view(), results.view());
    EXPECT_EQ(results.pair_wrench, expected.pair_wrench);
    EXPECT_EQ(results.area, expected.area);
    EXPECT_EQ(results.polygon_count, expected.polygon_count);
    EXPECT_EQ(results.contact_state, expected.contact_state);
  }
}

TEST(TwoModels, LeaveOtherPairsAsTheyAre) {
  SceneDescription alone = hand();
  alone.pairs->pop_back();
  const ResultArrays expected = evaluated(alone, Backend::kCpu, Precision::kFloat);
  const ResultArrays results = evaluated(hand(), Backend::kCpu, Precision::kFloat);
  for (std::size_t e = 0; e < 3; ++e) {
    EXPECT_NE(expected.area[e], 0);
    EXPECT_EQ(results.area[2 * e], expected.area[e]);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(results.pair_wrench[12 * e + i], expected.pair_wrench[6 * e + i]);
  }
}

/// The hand between two bodies instead of the two balls of one, each with a model.
SceneDescription hand_between_two() {
  SceneDescription scene = hand();
  const Body bar = scene.bodies[1];
  for (const std::size_t side : {0, 1}) {
    Body& body = side == 0 ? scene.bodies[1] : scene.bodies.emplace_back(bar);
    body.parts = {bar.parts[side]};
    body.name = bar.parts[side].name;
  }
  (*scene.pairs)[1].model = kSpring;
  Pair right = {0, 3, {}, {}};
  scene.pairs->push_back(right);
  return scene;
}

TEST(TwoModels, CanBeTheDefaultOfAScene) {
  SceneDescription description = hand();
  description.contact.model = *(*description.pairs)[1].model;
  description.pairs = all_pairs(description);
  const Scene scene(description);
  const Scene again(parse_scene(to_json(scene), "", "", {.geometries = description.geometries}));
  EXPECT_EQ(again.description().contact.model, description.contact.model);
  EXPECT_EQ(again.num_pairs(), 2);
  EXPECT_EQ(again.data().pairs.size(), 4u);  // the hard finger can touch the ball too
}

TEST(TwoModels, BothGiveContactsToAStep) {
  // the damper of midpoint is one of a pair, of which the other scene has two
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kSdirk2}) {
    const auto stepped = [&](SceneDescription description, Backend backend, std::vector<double>* contact_state) {
      description.rollout.integrator = integrator;
      const Scene scene(description);
      RolloutStateArrays state(scene, 2);
      HostSimulator(scene, {.backend = backend, .precision = Precision::kDouble}).step(state.view(), {}, {}, 3);
      EXPECT_EQ(state.status, std::vector<std::uint32_t>(2, kOk));
      if (contact_state != nullptr) *contact_state = state.contact_state;
      return std::vector<double>(state.velocities.begin(), state.velocities.begin() + 6);
    };
    std::vector<double> contact_state;
    const std::vector<double> found = stepped(hand(), Backend::kCpu, &contact_state);
    const std::vector<double> expected = stepped(hand_between_two(), Backend::kCpu, nullptr);
    EXPECT_LT(found[2], -0.1);  // pushed away from the bar
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-10) << i;
    EXPECT_EQ(contact_state, (std::vector<double>{0, 0, 0, 3, 0, 0, 0, 0, 3, 0}));
    if (cuda_available()) {
      std::vector<double> on_device;
      EXPECT_EQ(stepped(hand(), Backend::kCuda, &on_device), found);
      EXPECT_EQ(on_device, contact_state);
    }
  }
}

TEST(TwoModels, AreInTheTextOfTheirScene) {
  const Scene scene(hand());
  const std::string text = to_json(scene);
  const SceneDescription again = parse_scene(text, "", "", {.geometries = scene.description().geometries});
  ASSERT_TRUE((*again.pairs)[1].model.has_value());
  EXPECT_EQ(*(*again.pairs)[1].model, (ContactModels{ContactModel::kPressureField, kSpring}));
  EXPECT_EQ(to_json(Scene(again)), text);
}

std::string error_of(const SceneDescription& scene) {
  try {
    Scene{scene};
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TwoModels, AreRefusedIfNoPartsCanTouchInEither) {
  SceneDescription scene = hand();
  scene.geometries.push_back(make_half_space("ground", 1));
  scene.bodies[2].geometry = 1;
  scene.bodies[1].rigid = true;
  scene.pairs = {Pair{1, 2, {}, {}, ContactModels{ContactModel::kPressureField, kSpring}}};
  EXPECT_NE(error_of(scene).find("have no parts that can touch in any of the pair's contact models"),
            std::string::npos);
  (*scene.pairs)[0].model = ContactModel::kPressureField;
  EXPECT_NE(error_of(scene).find("are both rigid; one must be compliant"), std::string::npos);
  (*scene.pairs)[0].model = ContactModels{};
  EXPECT_NE(error_of(scene).find("model is an empty list"), std::string::npos);
  std::string text = kHand;
  text.replace(text.find(R"(["pressure_field", "ball_spring"])"), 33, "[]");
  EXPECT_THROW(parse_scene(text, "", "hand"), Error);
}

TEST(TwoModels, WithPatchesHaveNoAverages) {
  SceneDescription description = hand();
  (*description.pairs)[1].model = {ContactModel::kPressureField, kSticky};
  description.bodies[1].pose[2] += 10;
  const Scene scene(description);
  const StateArrays states(description, 1);
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const Evaluator evaluator(scene, {.backend = backend});
    ResultArrays averages(scene, 1), sums(scene, 1, {.patch = false});
    EXPECT_THROW(evaluator.evaluate(states.view(), averages.view()), Error);
    EXPECT_NO_THROW(evaluator.evaluate(states.view(), sums.view()));
  }
}

}  // namespace
}  // namespace isopatch::test
