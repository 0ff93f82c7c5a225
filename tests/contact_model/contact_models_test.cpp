// SPDX-License-Identifier: Apache-2.0
//
// What scenes, arrays and rollouts do with a contact model that has a state and other rules.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "host/scene/scene_data.h"
#include "isopatch/isopatch.h"

namespace isopatch {
namespace {

constexpr auto kSticky = static_cast<ContactModel>(5);
constexpr int kStateSize = 3;

/// A rigid and a compliant ball far apart, and the ground.
std::string scene_text(const std::string& pairs, const std::string& contact = "{}") {
  return R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 0.1}, "ground": {"type": "half_space"}},
    "bodies": [{"name": "hard", "geometry": "ball", "rigid": true, "mass": 1, "position": [0, 0, 5]},
               {"name": "soft", "geometry": "ball", "mass": 1, "position": [2, 0, 5]},
               {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true}],
    "contact": )" +
         contact + R"(, "rollout": {"gravity": [0, 0, 0]}, "pairs": )" + pairs + "}";
}

const std::string kMixedPairs =
    R"([["soft", "ground"], {"bodies": ["hard", "ground"], "model": "sticky"}, {"bodies": ["hard", "soft"]}])";

Scene scene_of(const std::string& text) { return Scene(parse_scene(text, "", "test.json")); }

std::string error_of(const std::string& text) {
  try {
    scene_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ContactModels, DecideWhichBodiesCanTouch) {
  EXPECT_NE(error_of(scene_text(R"([["hard", "ground"]])")).find("are both rigid; one must be compliant"),
            std::string::npos);
  const Scene scene = scene_of(scene_text(kMixedPairs));
  EXPECT_EQ(scene.num_part_pairs(), 3);
  EXPECT_EQ(scene.data().view.num_models, 6);
  EXPECT_EQ(scene.data().pairs[0].model, 0);
  EXPECT_EQ(scene.data().pairs[1].model, 5);
  EXPECT_EQ(scene.data().pairs[2].model, 0);
  EXPECT_FALSE(scene.data().pairs[0].half_spaces_touch);
  EXPECT_TRUE(scene.data().pairs[1].half_spaces_touch);
}

TEST(ContactModels, DecideTheDefaultPairs) {
  SceneDescription scene = parse_scene(scene_text("[]"), "", "test.json");
  EXPECT_EQ(all_pairs(scene).size(), 2u);
  scene.contact.model = kSticky;
  EXPECT_EQ(all_pairs(scene).size(), 3u);
}

TEST(ContactModels, AreNamedInErrors) {
  const std::string error = error_of(scene_text("[]", R"({"model": "magic"})"));
  EXPECT_EQ(error, R"(test.json: contact.model: unknown contact model "magic"; known: "pressure_field", "volumetric", )"
                   R"("point", "polytope", "ball_spring", "sticky")");
  SceneDescription scene = parse_scene(scene_text("[]"), "", "test.json");
  scene.contact.model = static_cast<ContactModel>(9);
  EXPECT_THROW(Scene{scene}, Error);
}

TEST(ContactModels, AreWrittenAndReadAgain) {
  const Scene scene = scene_of(scene_text(kMixedPairs, R"({"model": "sticky"})"));
  const SceneDescription& description = scene.description();
  const std::string text = to_json(scene);
  const SceneDescription again = parse_scene(text, "", "", {.geometries = description.geometries});
  EXPECT_EQ(again.contact.model, kSticky);
  EXPECT_EQ((*again.pairs)[1].model, kSticky);
  EXPECT_FALSE((*again.pairs)[0].model.has_value());
  EXPECT_EQ(to_json(Scene(again)), text);
}

TEST(ContactState, HasTheSizeOfTheLargestOne) {
  EXPECT_EQ(scene_of(scene_text(R"([["soft", "ground"]])")).contact_state_size(), 0);
  const Scene scene = scene_of(scene_text(kMixedPairs));
  EXPECT_EQ(scene.contact_state_size(), kStateSize);
  EXPECT_EQ(ResultArrays(scene, 2).contact_state.size(), 2u * 3u * kStateSize);
  EXPECT_EQ(RolloutStateArrays(scene, 2).contact_state.size(), 2u * 3u * kStateSize);
  StateArrays states(scene.description(), 2);
  states.contact_state.resize(2 * 3 * kStateSize);
  EXPECT_NE(states.view().contact_state.data, nullptr);
  states.contact_state.pop_back();
  EXPECT_THROW(states.view(), Error);
}

/// The bodies are apart, so no pair is evaluated.
struct Apart {
  Scene scene = scene_of(scene_text(kMixedPairs));
  Evaluator evaluator;
  StateArrays states{scene.description(), 2};
  ResultArrays results{scene, 2};

  explicit Apart(Backend backend = Backend::kCpu) : evaluator(scene, {.backend = backend}) {
    states.contact_state.assign(2 * 3 * kStateSize, 1.5);
  }
};

TEST(ContactState, OfPairsThatAreNotEvaluatedIsZero) {
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    Apart apart{backend};
    apart.results.contact_state.assign(apart.results.contact_state.size(), 7);
    apart.evaluator.evaluate(apart.states.view(), apart.results.view());
    for (const double value : apart.results.contact_state) EXPECT_EQ(value, 0);
    EXPECT_EQ(apart.results.status[0], kOk);
  }
}

TEST(ContactState, MayBeWrittenWhereItIsReadAndNowhereElse) {
  Apart apart;
  const auto evaluate = [&](double* from, double* to, std::int64_t stride) {
    State state = apart.states.view();
    Results results = apart.results.view();
    state.contact_state = {from};
    results.contact_state = {to, stride};
    apart.evaluator.evaluate(state, results);
  };
  std::vector<double> memory(100, 1.5);
  double* const at = memory.data();
  EXPECT_NO_THROW(evaluate(at, at, kContiguous));
  EXPECT_EQ(memory[0], 0);
  EXPECT_THROW(evaluate(at, at + 1, kContiguous), Error);
  EXPECT_THROW(evaluate(at, at, 3 * kStateSize + 1), Error);
  State state = apart.states.view();
  Results results = apart.results.view();
  results.pair_wrench = static_cast<double*>(const_cast<void*>(state.poses.data));
  EXPECT_THROW(apart.evaluator.evaluate(state, results), Error);
}

TEST(ContactState, ThatIsNotFiniteIsAFault) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
      Apart apart{backend};
      apart.states.contact_state[3 * kStateSize + 4] = bad;
      apart.evaluator.evaluate(apart.states.view(), apart.results.view());
      EXPECT_EQ(apart.results.status, (std::vector<std::uint32_t>{kOk, kBadContactState})) << bad;
    }
  }
}

TEST(ContactState, IsPartOfARolloutsState) {
  const Scene scene = scene_of(scene_text(kMixedPairs));
  const Simulator simulator(scene);
  RolloutStateArrays state(scene, 2), initial(scene, 2);
  state.contact_state.assign(state.contact_state.size(), 4);
  simulator.initial_state(state.view());
  for (const double value : state.contact_state) EXPECT_EQ(value, 0);

  initial.contact_state.assign(initial.contact_state.size(), 2.5);
  const std::uint8_t mask[] = {0, 1};
  simulator.reset(state.view(), mask, initial.view());
  const std::size_t row = 3 * kStateSize;
  for (std::size_t i = 0; i < 2 * row; ++i) EXPECT_EQ(state.contact_state[i], i < row ? 0 : 2.5) << i;

  RolloutState without = state.view();
  without.contact_state = nullptr;
  EXPECT_THROW(simulator.step(without), Error);
}

TEST(ContactState, ThatIsNotFiniteFreezesItsEnvironment) {
  const Scene scene = scene_of(scene_text(kMixedPairs));
  RolloutStateArrays state(scene, 2);
  state.contact_state[0] = std::nan("");
  Simulator(scene).step(state.view());
  EXPECT_EQ(state.status, (std::vector<std::uint32_t>{kBadContactState | kFrozen, kOk}));
  EXPECT_TRUE(std::isnan(state.contact_state[0]));
  EXPECT_EQ(state.step_count, (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace isopatch
