// SPDX-License-Identifier: Apache-2.0
//
// A body moves with the mass that its own geometries have in each environment.
#include <gtest/gtest.h>

#include "host/rollout/rollout_data.h"
#include "tests/support/rollout_scenes.h"

namespace isopatch::test {
namespace {

constexpr double kTolerance = 1e-12;  // relative, of a kinetic energy that rounding alone changes

const Geometry kBrick = make_box("brick", {0.2, 0.1, 0.05});
const Geometry kCube = make_box("cube", {0.3, 0.3, 0.3});
const Geometry kGround = make_half_space("ground", 0.1);

/// A spinning body high above the ground.
SceneDescription spinning_body(std::optional<double> mass, std::optional<double> density) {
  SceneDescription scene;
  scene.geometries = {kBrick, kCube, kGround};
  scene.bodies = {{.name = "body", .geometry = 0, .pose = {0, 0, 5, 1, 0, 0, 0}, .mass = mass, .density = density},
                  {.name = "ground", .geometry = 2, .rigid = true, .fixed = true}};
  scene.bodies[0].velocity = {0.1, 0, 0, 3, 1, 2};
  return scene;
}

RolloutInput with_geometries(const std::vector<std::int32_t>& index) {
  RolloutInput input;
  input.geometry_index = index.data();
  return input;
}

/// After ten steps, environment by environment with these geometries of all parts.
Rollout stepped(const SceneDescription& scene, const std::vector<std::int32_t>& index) {
  const std::size_t parts = static_cast<std::size_t>(Scene(scene).num_parts());
  Rollout rollout(scene, static_cast<std::int64_t>(index.size() / parts));
  rollout.step(10, with_geometries(index));
  return rollout;
}

/// The first body's pose and velocity in an environment.
std::vector<double> motion_of(const Rollout& rollout, std::int64_t environment = 0) {
  const auto first = environment * rollout.simulator.scene().num_bodies();
  const auto pose = rollout.state.poses.begin() + 7 * first, velocity = rollout.state.velocities.begin() + 6 * first;
  std::vector<double> motion(pose, pose + 7);
  motion.insert(motion.end(), velocity, velocity + 6);
  return motion;
}

/// The bits are those of a scene whose own geometry is the one that the index names.
TEST(GeometryMass, FollowsTheGeometryOfEachEnvironment) {
  for (const auto& [mass, density] :
       {std::pair<std::optional<double>, std::optional<double>>{{}, {}}, {{}, 700.0}, {2.0, {}}}) {
    for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
      SceneDescription scene = spinning_body(mass, density);
      scene.rollout.integrator = integrator;
      const Rollout both = stepped(scene, {0, 2, 1, 2});
      Rollout brick(scene);
      brick.step(10);
      scene.bodies[0].geometry = 1;
      Rollout cube(scene);
      cube.step(10);
      EXPECT_EQ(motion_of(both, 0), motion_of(brick));
      EXPECT_EQ(motion_of(both, 1), motion_of(cube));
      EXPECT_NE(motion_of(both, 0), motion_of(both, 1));
      EXPECT_EQ(both.output.kinetic_energy[1], cube.output.kinetic_energy[0]);
      const double weight = mass.value_or(density.value_or(kDefaultDensity) * 0.027) * 9.81 * cube.position(0)[2];
      EXPECT_NEAR(both.output.potential_energy[1], weight, kTolerance * weight);
    }
  }
}

TEST(GeometryMass, StaysWhereMassCentreAndInertiaAreGiven) {
  SceneDescription scene = spinning_body(2.0, {});
  scene.bodies[0].center_of_mass = {0, 0, 0};
  scene.bodies[0].inertia = {{0.1, 0.1, 0.1, 0, 0, 0}};
  const Rollout both = stepped(scene, {0, 2, 1, 2});
  EXPECT_EQ(motion_of(both, 0), motion_of(both, 1));
}

/// A hammer of a handle and one of three heads.
SceneDescription hammer(int head) {
  SceneDescription scene = spinning_body({}, {});
  scene.geometries.push_back(make_sphere("ball", 0.08, 2));
  Part handle, of_head;
  handle.geometry = 0;
  of_head.geometry = head;
  of_head.pose = {0.2, 0, 0, 1, 0, 0, 0};
  for (const int other : {0, 1, 3}) {
    if (other != head) of_head.alternatives.push_back(other);
  }
  scene.bodies[0].parts = {handle, of_head};
  scene.bodies[0].density = 500;
  return scene;
}

TEST(GeometryMass, OfSeveralPartsIsThatOfTheirCombination) {
  const Rollout found = stepped(hammer(0), {0, 0, 2, 0, 1, 2, 0, 3, 2, 3, 1, 2});
  int environment = 0;
  for (const int head : {0, 1, 3, 1}) {
    SceneDescription scene = hammer(head);
    if (environment == 3) scene.bodies[0].parts[0].geometry = 3;
    Rollout own(scene);
    own.step(10);
    EXPECT_EQ(motion_of(found, environment++), motion_of(own));
  }
}

TEST(GeometryMass, OfNoVolumeOrOfAGeometryThatAPartCannotHaveIsAFaultOfItsEnvironment) {
  const Rollout ball = stepped(spinning_body({}, {}), {0, 2, 2, 2, 1, 2});
  EXPECT_EQ(ball.state.status[1], kBadGeometry | kFrozen);  // a half space
  const Rollout alone = stepped(spinning_body({}, {}), {0, 2, 1, 2});
  EXPECT_EQ(motion_of(ball, 0), motion_of(alone, 0));
  EXPECT_EQ(motion_of(ball, 2), motion_of(alone, 1));
  EXPECT_EQ(stepped(hammer(0), {0, 2, 2}).state.status[0], kBadGeometry | kFrozen);
  EXPECT_EQ(stepped(hammer(0), {0, -1, 2}).state.status[0], kBadGeometry | kFrozen);
  EXPECT_EQ(stepped(hammer(0), {4, 0, 2}).state.status[0], kBadGeometry | kFrozen);
}

TEST(GeometryMass, OfTooManyCombinationsIsTheSceneOwnAndOthersAreFaults) {
  SceneDescription scene = spinning_body({}, {});
  for (int i = 0; i < 13; ++i) scene.geometries.push_back(make_box("box", {0.01 * (i + 1), 0.01, 0.01}));
  scene.bodies[0].parts.resize(4);  // 16^4 combinations
  ASSERT_GT(std::pow(scene.geometries.size(), 4), detail::kMaxMassesOfBody);
  const Rollout found = stepped(scene, {0, 0, 0, 0, 2, 0, 0, 0, 5, 2});
  EXPECT_EQ(found.state.status[0], kOk);
  EXPECT_EQ(found.state.status[1], kBadGeometry | kFrozen);
}

}  // namespace
}  // namespace isopatch::test
