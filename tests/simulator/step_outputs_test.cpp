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

/// As fields press and rub, and with the state's velocities: as a step that is very short has it, in both precisions.
TEST(StepOutputs, OfNoStepsHaveTheWrenchOfTheState) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const Simulator simulator(Scene(rolling_ball()), {.precision = precision});
    SceneDescription shortly = rolling_ball();
    constexpr double kShort = 1e-9;  // s, in which forces change by less than 1e-6 of them
    shortly.rollout.time_step = kShort;
    const Simulator next(Scene(shortly), {.precision = precision});
    Stepped found = stepped(simulator, 7);
    const RolloutStateArrays state = found.state;
    simulator.step(found.state.view(), {}, found.output.view(), 0);
    EXPECT_EQ(found.state.poses, state.poses);
    EXPECT_EQ(found.state.velocities, state.velocities);
    EXPECT_EQ(found.output.pair_wrench_mean, found.output.pair_wrench);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found.output.body_wrench[k], found.output.pair_wrench[k]);
    EXPECT_GT(found.output.pair_wrench[2], 0.01);
    EXPECT_LT(found.output.pair_wrench[0], -0.1 * found.output.pair_wrench[2]);  // friction

    Stepped expected = {state, RolloutOutputArrays(next.scene(), 1)};
    expected.state.step_count[0] = 0;
    next.step(expected.state.view(), {}, expected.output.view(), 1);
    constexpr double kTolerance = 1e-3;  // a polygon is three points in a step
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found.output.pair_wrench[k], expected.output.pair_wrench[k],
                  kTolerance * found.output.pair_wrench[2]);
    }
  }
}

TEST(StepOutputs, OfNoStepsHaveTheWrenchOfBodiesWithoutThoseOfPairs) {
  const Simulator simulator{Scene(rolling_ball())};
  Stepped found = stepped(simulator, 7), alone = found;
  simulator.step(found.state.view(), {}, found.output.view(), 0);
  RolloutOutput output;
  output.body_wrench = alone.output.body_wrench.data();
  simulator.step(alone.state.view(), {}, output, 0);
  EXPECT_EQ(alone.output.body_wrench, found.output.body_wrench);
}

TEST(StepOutputs, OfNoStepsHaveTheWeightOfABallAtRest) {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 3), pose_at({0, 0, 0.05}));
  ball.mass = 0.2;
  ball.dissipation = 5;
  ball.friction = 0.5;
  scene.add_ground(0.5);
  const SceneDescription description = scene.finish();
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    SceneDescription own = description;
    own.rollout.integrator = integrator;
    const Simulator simulator{Scene(own)};
    Stepped found = stepped(simulator, 1000);
    found.output.pair_wrench.assign(6, 0);
    simulator.step(found.state.view(), {}, found.output.view(), 0);
    EXPECT_NEAR(found.output.pair_wrench[2], 0.2 * 9.81, 1e-4);
    EXPECT_GT(found.output.area[0], 0);
  }
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
