// SPDX-License-Identifier: Apache-2.0
//
// Faults of one environment, and of calls.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/rollout_scenes.h"

namespace isopatch::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A ball on the ground.
SceneDescription ball_scene() {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 1), pose_at({0, 0, 0.048}));
  ball.dissipation = 2;
  scene.add_ground(0.5);
  return scene.finish();
}

TEST(RolloutFaults, FreezeTheirEnvironmentAloneAndKeepItsState) {
  constexpr std::int64_t kCount = 400;
  SceneDescription description = ball_scene();
  description.rollout.speed_limit = 50;
  const Simulator simulator{Scene(description)};
  const RolloutStateArrays begin = random_states(description, kCount, 4);
  RolloutStateArrays poisoned = begin;
  const std::pair<std::int64_t, std::uint32_t> faults[] = {
      {7, kBadPose}, {100, kBadVelocity}, {101, kDiverged}, {102, kBadVelocity}, {399, kBadPose}};
  poisoned.poses[7 * 2 * 7 + 1] = kNan;
  poisoned.velocities[100 * 2 * 6] = std::numeric_limits<double>::infinity();
  poisoned.velocities[101 * 2 * 6 + 2] = -60;
  poisoned.velocities[102 * 2 * 6 + 6 + 5] = 1e-300;  // of the ground, which is fixed
  std::fill_n(&poisoned.poses[399 * 2 * 7 + 3], 4, 0.0);
  const RolloutStateArrays before = poisoned;

  RolloutStateArrays clean = begin;
  RolloutOutputArrays output(simulator.scene(), kCount, true);
  simulator.step(clean.view(), {}, {}, 10);
  simulator.step(poisoned.view(), {}, output.view(), 10);
  for (std::int64_t e = 0; e < kCount; ++e) {
    const auto* fault = std::find_if(std::begin(faults), std::end(faults), [&](const auto& f) { return f.first == e; });
    const bool is_poisoned = fault != std::end(faults);
    const auto at = static_cast<std::size_t>(e);
    EXPECT_EQ(poisoned.status[at], is_poisoned ? fault->second | kFrozen : clean.status[at]) << e;
    const RolloutStateArrays& expected = is_poisoned ? before : clean;
    EXPECT_TRUE(same_bytes(&poisoned.poses[14 * at], &expected.poses[14 * at], 14 * sizeof(double))) << e;
    EXPECT_TRUE(same_bytes(&poisoned.velocities[12 * at], &expected.velocities[12 * at], 12 * sizeof(double))) << e;
    EXPECT_EQ(poisoned.step_count[at], is_poisoned ? 0 : 10);
    if (!is_poisoned) continue;
    EXPECT_EQ(output.kinetic_energy[at], 0);
    EXPECT_EQ(output.elastic_energy[at], 0);
    EXPECT_EQ(output.num_polygons[at], 0);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(output.pair_wrench[6 * at + i], 0);
  }

  // until they are reset
  std::vector<std::uint8_t> mask(kCount);
  for (const auto& [e, status] : faults) mask[static_cast<std::size_t>(e)] = 1;
  RolloutStateArrays initial = begin;
  simulator.reset(poisoned.view(), mask.data(), initial.view());
  EXPECT_EQ(poisoned.step_count[7], 0);
  EXPECT_EQ(poisoned.step_count[8], 10);
  simulator.step(poisoned.view(), {}, {}, 10);
  EXPECT_TRUE(same_bytes(&poisoned.poses[14 * 7], &clean.poses[14 * 7], 14 * sizeof(double)));
  EXPECT_EQ(poisoned.status[7], kOk);
}

TEST(RolloutFaults, MorePolygonsThanCapacityFreeze) {
  SceneDescription description = ball_scene();
  const Simulator free{Scene(description)};
  RolloutStateArrays state(free.scene(), 1);
  RolloutOutputArrays output(free.scene(), 1);
  free.step(state.view(), {}, output.view());
  const int needed = output.polygons_needed[0];
  ASSERT_GT(needed, 1);
  for (const int capacity : {needed - 1, needed}) {
    description.rollout.polygon_capacity = capacity;
    RolloutStateArrays limited(free.scene(), 1);
    Simulator(Scene(description)).step(limited.view(), {}, output.view());
    EXPECT_EQ(limited.status[0], capacity < needed ? kStepCapacity | kFrozen : kOk);
    EXPECT_EQ(output.polygons_needed[0], needed);
    EXPECT_EQ(limited.poses == state.poses, capacity >= needed);
  }
}

TEST(RolloutFaults, BadInputsFreeze) {
  const Simulator simulator{Scene(ball_scene())};
  const std::vector<double> moduli = {1e5, 1e5, -1, 1e5}, scales = {1, 1, 0, 1};
  for (const bool scale : {false, true}) {
    RolloutStateArrays state(simulator.scene(), 2);
    RolloutInput input;
    (scale ? input.mass_scale : input.modulus) = scale ? scales.data() : moduli.data();
    simulator.step(state.view(), input);
    EXPECT_EQ(state.status[0], kOk);
    EXPECT_EQ(state.status[1], kBadMaterial | kFrozen);
  }
}

TEST(RolloutFaults, WarningsAreOfTheLastCall) {
  SceneDescription description = ball_scene();
  description.bodies[0].velocity = {3, 0, -2, 0, 5, 0};
  description.bodies[0].modulus = 1e7;
  description.rollout.max_iterations = 1;
  const Simulator simulator{Scene(description)};
  RolloutStateArrays state(simulator.scene(), 1);
  simulator.step(state.view(), {}, {}, 3);
  EXPECT_EQ(state.status[0] & kNotConverged, kNotConverged);
  EXPECT_EQ(state.status[0] & kFrozen, 0u);
  state.velocities.assign(state.velocities.size(), 0);
  state.poses[2] = 1;
  simulator.step(state.view());
  EXPECT_EQ(state.status[0], kOk);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RolloutFaults, CallsSayWhatIsWrong) {
  const Simulator simulator{Scene(ball_scene())};
  RolloutStateArrays state(simulator.scene(), 2), other(simulator.scene(), 1);
  RolloutState missing = state.view();
  missing.velocities = nullptr;
  EXPECT_EQ(message_of([&] { simulator.step(missing); }), "step: state.velocities is null; it is required");
  EXPECT_EQ(message_of([&] { simulator.step(state.view(), {}, {}, -1); }),
            "step: num_steps is -1; it must not be negative");
  EXPECT_EQ(message_of([&] { simulator.reset(state.view(), nullptr, other.view()); }),
            "reset: initial has 1 environments and the state 2; give as many");
  RolloutOutput output;
  output.kinetic_energy = state.poses.data();
  EXPECT_EQ(message_of([&] { simulator.step(state.view(), {}, output); }),
            "step: state.poses and output.kinetic_energy share bytes; give each output memory of its own");
  RolloutInput input;
  const std::vector<double> gravity(6);
  input.gravity = {gravity.data(), 2};
  EXPECT_EQ(message_of([&] { simulator.step(state.view(), input); }),
            "step: input.gravity: stride is 2 elements; a row has 3, and 0 repeats one row");
}

TEST(RolloutFaults, ScenesThatCannotMoveAreRefused) {
  SceneDescription description = ball_scene();
  description.bodies[1].fixed = false;
  EXPECT_NE(message_of([&] { Simulator{Scene(description)}; }).find("half space"), std::string::npos);
  description = ball_scene();
  description.bodies[1].velocity[0] = 1;
  EXPECT_NE(message_of([&] { Simulator{Scene(description)}; }).find("is fixed, but has a velocity"), std::string::npos);
}

TEST(RolloutFaults, OfNumbersThatDriveAJointFreezeTheirEnvironment) {
  SceneBuilder scene;
  Body& slider = scene.add("slider", make_sphere("ball", 0.05, 1), pose_at({0, 0, 1}));
  slider.motion.type = MotionType::kPrismatic;
  slider.motion.axis = {1, 0, 0};
  slider.motion.drive.stiffness = 10;
  scene.add_ground(0.5);
  const Simulator simulator{Scene(scene.finish())};
  for (const double bad : {kNan, std::numeric_limits<double>::infinity()}) {
    for (const bool as_target : {false, true}) {
      RolloutStateArrays state(simulator.scene(), 3);
      std::vector<double> force(3, 1.0), target(6, 0.1);
      (as_target ? target[3] : force[1]) = bad;
      RolloutInput input;
      input.joint_force = force.data();
      input.joint_target = target.data();
      simulator.step(state.view(), input, {}, 2);
      EXPECT_EQ(state.status, (std::vector<std::uint32_t>{kOk, kDiverged | kFrozen, kOk}));
      EXPECT_EQ(state.step_count, (std::vector<std::int64_t>{2, 0, 2}));
    }
  }
}

}  // namespace
}  // namespace isopatch::test
