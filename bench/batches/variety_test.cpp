// SPDX-License-Identifier: Apache-2.0
#include "bench/batches/variety.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"

namespace isopatch::bench {
namespace {

constexpr std::int64_t kEnvironments = 400;
constexpr double kShift = 1e-4;                   // m
constexpr double kMinHalf = 0.4, kMaxHalf = 0.6;  // of 400 that touch at random: 4 standard deviations; 200: 3

Scene read(const std::string& name) { return Scene(read_scene(source_path("bench/scenes/" + name + ".json"))); }

/// Polygons of each environment.
std::vector<std::int32_t> count_polygons(const Scene& scene, const State& state) {
  const auto pairs = static_cast<std::size_t>(scene.num_pairs());
  std::vector<std::int32_t> of_pairs(static_cast<std::size_t>(state.num_environments) * pairs);
  Results results;
  results.polygon_count = of_pairs.data();
  Evaluator(scene).evaluate(state, results);
  std::vector<std::int32_t> polygons(static_cast<std::size_t>(state.num_environments));
  for (std::size_t i = 0; i < of_pairs.size(); ++i) polygons[i / pairs] += of_pairs[i];
  return polygons;
}

double touching(const std::vector<std::int32_t>& polygons) {
  const auto count = std::count_if(polygons.begin(), polygons.end(), [](std::int32_t n) { return n > 0; });
  return static_cast<double>(count) / static_cast<double>(polygons.size());
}

TEST(Variety, OfTurnedEnvironmentsAllTouchAndOfMixedOnesHalfUpToThreeTimesAsDeep) {
  const Scene scene = read("sphere_on_box");
  const StateArrays turned = make_states("", scene, Variety::kTurned, kEnvironments, kShift);
  EXPECT_EQ(touching(count_polygons(scene, turned.view())), 1);
  const StateArrays mixed = make_states("", scene, Variety::kMixed, kEnvironments, kShift);
  const double share = touching(count_polygons(scene, mixed.view()));
  EXPECT_GE(share, kMinHalf);
  EXPECT_LE(share, kMaxHalf);

  const Separation separation = movements_of("", scene.description()).separations[0];
  const double depth = depth_of(scene, separation, StateArrays(scene.description(), 1).poses.data());
  double most = 0;
  const std::vector<std::int32_t> polygons = count_polygons(scene, mixed.view());
  EXPECT_GT(polygons[0], 0) << "a batch of one would compute nothing";
  for (std::size_t e = 0; e < polygons.size(); ++e) {
    if (polygons[e] == 0) continue;
    most = std::max(most, depth_of(scene, separation, mixed.poses.data() + 14 * e));
  }
  EXPECT_GT(most, 2.9 * depth);
  EXPECT_LT(most, 3.001 * depth);
}

TEST(Variety, OfAnEnvironmentDoesNotDependOnTheBatch) {
  const Scene scene = read("sphere_on_box");
  for (const auto& [name, variety] : varieties()) {
    const StateArrays few = make_states("", scene, variety, 20, kShift);
    std::vector<double> many = make_states("", scene, variety, kEnvironments, kShift).poses;
    many.resize(few.poses.size());
    EXPECT_EQ(few.poses, many) << name;
  }
}

TEST(Variety, OfPosesHasEveryOtherOneInFloat) {
  const Scene scene = read("sphere_on_box");
  const StateArrays states = make_states("", scene, Variety::kTurned, kEnvironments, kShift);
  for (std::size_t e = 0; e < static_cast<std::size_t>(kEnvironments); ++e) {
    const double w = states.poses[14 * e + 3];
    EXPECT_EQ(w == static_cast<double>(static_cast<float>(w)), e % 2 == 1) << e;
  }
}

TEST(Variety, OfRolloutsLeavesAsManyTouching) {
  for (const std::string name : {"drop", "pinch"}) {
    const Scene scene = read(name);
    for (const Variety variety : {Variety::kTurned, Variety::kMixed}) {
      RolloutStateArrays states = make_rollout_states(name, scene, variety, 200, 40);
      RolloutOutputArrays output(scene, states.num_environments);
      Simulator(scene).step(states.view(), {}, output.view(), 1);
      const double share = touching(output.num_polygons);
      const bool is_turned = variety == Variety::kTurned;
      EXPECT_GE(share, is_turned ? 1 : kMinHalf) << name;
      EXPECT_LE(share, is_turned ? 1 : kMaxHalf) << name;
    }
  }
}

}  // namespace
}  // namespace isopatch::bench
