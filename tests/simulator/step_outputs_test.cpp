// SPDX-License-Identifier: Apache-2.0
//
// What a step tells of patches, and means over the steps of a call.
#include <gtest/gtest.h>

#include "tests/support/rollout_scenes.h"

namespace isopatch::test {
namespace {

/// A ball that rolls on the ground.
SceneDescription rolling_ball() {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 2), pose_at({0, 0, 0.0495}));
  ball.friction = 0.5;
  ball.dissipation = 1;
  ball.velocity = {0.3, 0, 0, 0, 0, 0};
  scene.add_ground(0.5);
  return scene.finish();
}

struct Stepped {
  RolloutStateArrays state;
  RolloutOutputArrays output;
};

Stepped stepped(const Simulator& simulator, int steps, std::int64_t environments = 1) {
  Stepped result = {RolloutStateArrays(simulator.scene(), environments),
                    RolloutOutputArrays(simulator.scene(), environments, true, true)};
  simulator.step(result.state.view(), {}, result.output.view(), steps);
  return result;
}

TEST(StepOutputs, OfPatchesAreThoseOfAnEvaluationOfTheState) {
  const Simulator simulator{Scene(rolling_ball())};
  const Stepped found = stepped(simulator, 20);
  StateArrays state(simulator.scene().description(), 1);
  state.poses = found.state.poses;
  ResultArrays expected(simulator.scene(), 1, {.patch = true, .energy = true});
  Evaluator(simulator.scene()).evaluate(state.view(), expected.view());
  EXPECT_GT(found.output.polygon_count[0], 3);
  EXPECT_EQ(found.output.polygon_count, expected.polygon_count);
  EXPECT_EQ(found.output.area, expected.area);
  EXPECT_EQ(found.output.center_of_pressure, expected.center_of_pressure);
  EXPECT_EQ(found.output.mean_normal, expected.mean_normal);
  EXPECT_EQ(found.output.max_pressure, expected.max_pressure);
  EXPECT_EQ(found.output.elastic_energy, expected.energy);
}

TEST(StepOutputs, MeanOfTheWrenchIsOverTheStepsOfTheCall) {
  constexpr int kSteps = 7;
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    SceneDescription scene = rolling_ball();
    scene.rollout.integrator = integrator;
    const Simulator simulator{Scene(scene)};
    RolloutStateArrays state(simulator.scene(), 1);
    RolloutOutputArrays output(simulator.scene(), 1);
    std::vector<double> sums(6);
    for (int i = 0; i < kSteps; ++i) {
      simulator.step(state.view(), {}, output.view());
      EXPECT_EQ(output.pair_wrench, output.pair_wrench_mean);
      for (std::size_t k = 0; k < 6; ++k) sums[k] += output.pair_wrench[k];
    }
    for (double& sum : sums) sum /= kSteps;
    const Stepped found = stepped(simulator, kSteps);
    EXPECT_EQ(found.output.pair_wrench_mean, sums);
    EXPECT_EQ(found.output.pair_wrench, output.pair_wrench);
    EXPECT_NE(found.output.pair_wrench, sums);
  }
}

TEST(StepOutputs, OfAFrozenEnvironmentAreZero) {
  const Simulator simulator{Scene(rolling_ball())};
  Stepped found = stepped(simulator, 3, 2);
  found.state.status[1] = kDiverged | kFrozen;
  simulator.step(found.state.view(), {}, found.output.view(), 3);
  EXPECT_GT(found.output.area[0], 0);
  EXPECT_EQ(found.output.area[1], 0);
  EXPECT_EQ(found.output.max_pressure[1], 0);
  EXPECT_EQ(found.output.polygon_count[1], 0);
  EXPECT_EQ(found.output.mean_normal[5], 0);
  EXPECT_EQ(found.output.center_of_pressure[3], 0);
  EXPECT_NE(found.output.pair_wrench_mean[2], 0);
  EXPECT_EQ(found.output.pair_wrench_mean[8], 0);
}

}  // namespace
}  // namespace isopatch::test
