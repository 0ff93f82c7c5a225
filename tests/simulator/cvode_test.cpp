// SPDX-License-Identifier: Apache-2.0
//
// The integrator with error control, and the methods against it.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/cvode/cvode_simulator.h"
#include "tests/support/memory_scenes.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

struct Cvode : ::testing::Test {
  void SetUp() override {
#if !defined(ISOPATCH_HAS_CVODE)
    GTEST_SKIP() << "this build found no SUNDIALS";
#endif
  }
};

SceneDescription ball_over_ground(double dissipation, double friction, double height) {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 2), pose_at({0, 0, 0.05 + height}));
  ball.mass = 0.5;
  ball.modulus = 1e6;
  ball.dissipation = dissipation;
  ball.friction = friction;
  ball.velocity = {0, 0, -1, 0, 0, 0};
  scene.add_ground(friction);
  scene.description.contact.slip_tolerance = 1e-3;
  scene.description.rollout.gravity = {0, 0, 0};
  return scene.finish();
}

Rollout continuous(const SceneDescription& scene) {
  return Rollout(make_cvode_simulator(Scene(scene), RolloutOptions(scene.rollout)));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// a - ln(1 + a) = -a e - ln(1 - a e), whatever the shape; a = d v.
TEST_F(Cvode, ReboundsAsTheClosedFormSays) {
  const double exact[][2] = {{0.2, 0.8822}, {0.5, 0.7484}, {1, 0.5936}, {2, 0.4107}};
  for (const auto& [a, rounded] : exact) {
    double low = 0, high = std::min(1.0, 1 / a);
    for (int i = 0; i < 100; ++i) {
      const double e = (low + high) / 2;
      (-a * e - std::log1p(-a * e) < a - std::log1p(a) ? low : high) = e;
    }
    EXPECT_NEAR(low, rounded, 1e-4);
    SceneDescription scene = ball_over_ground(a, 0, 1e-3);
    scene.rollout.time_step = 0.15;
    Rollout rollout = continuous(scene);
    rollout.step();
    EXPECT_EQ(rollout.state.status[0], kOk);
    EXPECT_NEAR(rollout.velocity(0)[2], low, 1e-5) << a;
  }
}

/// Velocity and angular velocity times the radius after an oblique impact with spin; of the continuous motion without
/// an integrator.
std::array<double, 3> after_impact(std::optional<Integrator> integrator, double time_step, double height) {
  SceneDescription scene = ball_over_ground(0.5, 0.3, height);
  scene.bodies[0].velocity = {0.8, 0, -1, 0, -6, 0};
  scene.rollout.integrator = integrator.value_or(Integrator::kMidpoint);
  scene.rollout.time_step = time_step;
  Rollout rollout = integrator ? Rollout(scene) : continuous(scene);
  rollout.step(static_cast<int>(std::lround(0.12 / time_step)));
  EXPECT_EQ(rollout.state.status[0], kOk);
  return {rollout.velocity(0)[2], rollout.velocity(0)[0], 0.05 * rollout.angular_velocity(0)[1]};
}

/// The mean over impacts that begin at different times of a step.
std::array<double, 3> error(Integrator integrator, double time_step) {
  std::array<double, 3> sum = {0, 0, 0};
  constexpr int kBegins = 4;
  for (int i = 0; i < kBegins; ++i) {
    const double height = 4e-3 + (i + 0.5) / kBegins * 1e-3;
    const auto exact = after_impact({}, 0.12, height), found = after_impact(integrator, time_step, height);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += std::fabs(found[k] - exact[k]) / kBegins;
  }
  return sum;
}

TEST_F(Cvode, MethodsConvergeWithTheirOrder) {
  const double steps[] = {1e-3, 2.5e-4};
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kSdirk2}) {
    const auto coarse = error(integrator, steps[0]), fine = error(integrator, steps[1]);
    const double slope = std::log2(coarse[0] / fine[0]) / 2;
    std::printf("integrator %d: %.2g %.2g %.2g m/s at 1 ms, %.2g %.2g %.2g at .25 ms, slope %.2f\n",
                static_cast<int>(integrator), coarse[0], coarse[1], coarse[2], fine[0], fine[1], fine[2], slope);
    if (integrator == Integrator::kEuler) {
      EXPECT_NEAR(slope, 1, 0.2);
    } else {
      EXPECT_NEAR(slope, 2, 0.3);
    }
  }
  for (const double component : error(Integrator::kSdirk2, 2e-3)) EXPECT_LT(component, 6e-3);
}

TEST_F(Cvode, FollowsPrescribedBodiesAndRefusesJoints) {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 1), pose_at({0, 0, 0.3}));
  Body& hand = scene.add("hand", make_box("hand", {0.1, 0.1, 0.1}));
  hand.motion.type = MotionType::kPrescribed;
  hand.motion.path.times = {0, 1};
  hand.motion.path.poses = {hand.pose, pose_at({0.2, 0, 0})};
  scene.description.rollout.time_step = 0.05;
  scene.description.rollout.gravity = {0, 0, -2};
  ball.velocity = {0, 0, 0, 3, 0, 0};
  Rollout rollout = continuous(scene.finish());
  rollout.step(2);
  EXPECT_NEAR(rollout.position(1)[0], 0.02, 1e-12);
  EXPECT_NEAR(rollout.position(0)[2], 0.3 - 0.01, 1e-7);
  EXPECT_NEAR(rollout.angular_velocity(0)[0], 3, 1e-9);
  EXPECT_NEAR(rollout.velocity(1)[0], 0.2, 1e-9);

  scene.description.bodies[0].velocity = {0, 0, 0, 0, 0, 0};
  scene.description.bodies[0].motion.type = MotionType::kPrismatic;
  scene.description.bodies[0].motion.axis = {1, 0, 0};
  EXPECT_EQ(error_of([&] { continuous(scene.description); }), "cvode takes no bodies on joints");
}

TEST_F(Cvode, RefusesContactsWithMemoryAndOtherBackends) {
  const SceneDescription remembering = remembering_bodies(Integrator::kMidpoint);
  EXPECT_EQ(error_of([&] { continuous(remembering); }), "cvode takes no contacts with state");
  const Scene plain(ball_over_ground(0, 0, 0));
  for (const Backend backend : {Backend::kReference, Backend::kCuda}) {
    EXPECT_EQ(error_of([&] { make_cvode_simulator(plain, {}, {.backend = backend}); }), "cvode needs the cpu backend");
  }
}

/// As the integrators.
TEST_F(Cvode, FreezesABodyThatIsFasterThanTheSpeedLimit) {
  for (const bool is_continuous : {true, false}) {
    SceneDescription scene = ball_over_ground(0.5, 0.3, 10);
    scene.rollout.integrator = Integrator::kEuler;
    scene.rollout.gravity = {0, 0, -10};
    scene.rollout.time_step = 0.1;
    scene.rollout.speed_limit = 2.5;
    Rollout rollout = is_continuous ? continuous(scene) : Rollout(scene);
    rollout.step(10);
    EXPECT_EQ(rollout.state.status[0], kDiverged | kFrozen);
    EXPECT_EQ(rollout.state.step_count[0], 1);
    EXPECT_NEAR(rollout.velocity(0)[2], -2, 1e-6);
  }
}

}  // namespace
}  // namespace isopatch::test
