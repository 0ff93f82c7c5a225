// SPDX-License-Identifier: Apache-2.0
//
// Rollouts in double against the reference, which steps with one dense matrix in extended precision.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "isopatch/rollout_state.h"
#include "tests/reference/rollout/rollout_scenes.h"
#include "tests/reference/rollout/step_comparison.h"

namespace isopatch::oracle {
namespace {

constexpr SceneCase kScenes[] = {{"ThrownBall", thrown_ball},         {"TiltedCube", tilted_cube},
                                 {"BallOnBox", ball_on_box},          {"PinchedBar", pinched_bar},
                                 {"DrivenFlap", driven_flap},         {"SweepingSlider", sweeping_slider},
                                 {"CoupledGripper", coupled_gripper}, {"PlanarBodies", planar_bodies}};

class RolloutReferenceTest : public testing::TestWithParam<SceneCase> {};

TEST_P(RolloutReferenceTest, EulerAgrees) {
  SceneDescription scene = GetParam().make();
  scene.rollout.integrator = Integrator::kEuler;
  expect_agreement(scene);
}

TEST_P(RolloutReferenceTest, SecondOrderAgrees) {
  SceneDescription scene = GetParam().make();
  scene.rollout.integrator = Integrator::kSdirk2;
  expect_agreement(scene);
}

TEST_P(RolloutReferenceTest, MidpointAgrees) {
  SceneDescription scene = GetParam().make();
  scene.rollout.integrator = Integrator::kMidpoint;
  expect_agreement(scene);
}

/// Other methods lose the plate. Without sub-steps it takes another course.
TEST(RolloutReferenceOfSubsteps, MidpointAgrees) {
  SceneDescription scene = fast_plate();
  expect_agreement(scene);
  const auto after = [&] {
    const Simulator simulator(Scene(scene), {.precision = Precision::kDouble});
    RolloutStateArrays state(simulator.scene(), 1);
    simulator.step(state.view(), {}, {}, 100);
    return state.poses;
  };
  const std::vector<double> in_pieces = after();
  scene.rollout.max_substeps = 1;
  EXPECT_NE(after(), in_pieces);
}

TEST_P(RolloutReferenceTest, PointsAtCentroidsAgree) {
  SceneDescription scene = GetParam().make();
  scene.rollout.points = ContactPoints::kCentroid;
  expect_agreement(scene, {.tolerance = 1e-12});
}

INSTANTIATE_TEST_SUITE_P(Scenes, RolloutReferenceTest, testing::ValuesIn(kScenes),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace isopatch::oracle
