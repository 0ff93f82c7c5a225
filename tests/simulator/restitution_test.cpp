// SPDX-License-Identifier: Apache-2.0
//
// The rebound of bodies: against the closed form of Hunt and Crossley's law, and never with more energy than before.
#include <gtest/gtest.h>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

/// A ball of 0.5 kg that falls on the ground at 1 m/s without gravity, from so many metres above it.
SceneDescription falling_ball(double dissipation, double height) {
  SceneBuilder scene;
  Body& ball = scene.add("ball", make_sphere("ball", 0.05, 2), pose_at({0, 0, 0.05 + height}));
  ball.mass = 0.5;
  ball.modulus = 1e6;
  ball.dissipation = dissipation;
  ball.velocity = {0, 0, -1, 0, 0, 0};
  scene.add_ground();
  scene.description.rollout.gravity = {0, 0, 0};
  return scene.finish();
}

/// The mean of two impacts that are found at different times of a step.
double restitution(Integrator integrator, double time_step) {
  double sum = 0;
  for (const double begin : {0.25, 0.75}) {
    SceneDescription scene = falling_ball(0.5, begin * time_step);
    scene.rollout.time_step = time_step;
    scene.rollout.integrator = integrator;
    Rollout rollout(scene);
    rollout.step(static_cast<int>(0.2 / time_step));
    EXPECT_EQ(rollout.state.status[0], kOk);
    sum += rollout.velocity(0)[2];
  }
  return sum / 2;
}

/// a - ln(1 + a) = -a e - ln(1 - a e) with a = d v: by bisection.
double exact_restitution(double a) {
  double low = 0, high = std::min(1.0, 1 / a);
  for (int i = 0; i < 100; ++i) {
    const double e = (low + high) / 2;
    (-a * e - std::log1p(-a * e) < a - std::log1p(a) ? low : high) = e;
  }
  return low;
}

/// Of second order: the error at 1 ms is four times that at .5 ms, but for the tets of the ball.
TEST(Restitution, ConvergesToTheClosedForm) {
  const double e = exact_restitution(0.5);
  EXPECT_NEAR(e, 0.7484, 5e-5);
  const double coarse = restitution(Integrator::kSdirk2, 1e-3) - e, fine = restitution(Integrator::kSdirk2, 5e-4) - e;
  std::printf("errors %.2g at 1 ms, %.2g at .5 ms\n", coarse, fine);
  EXPECT_LT(std::fabs(coarse), 1.1e-3);
  EXPECT_LT(std::fabs(fine), 4e-4);
}

/// What an independent program of the same formulas found.
TEST(Restitution, IsThatOfTheMethod) {
  EXPECT_NEAR(restitution(Integrator::kEuler, 2e-3), 0.4788, 1e-3);
  EXPECT_NEAR(restitution(Integrator::kEuler, 1e-3), 0.5818, 1e-3);
  EXPECT_NEAR(restitution(Integrator::kEuler, 5e-4), 0.6544, 1e-3);
  EXPECT_NEAR(restitution(Integrator::kSdirk2, 2e-3), 0.7520, 1e-3);
  EXPECT_NEAR(restitution(Integrator::kSdirk2, 1e-3), 0.7494, 1e-3);
  EXPECT_NEAR(restitution(Integrator::kSdirk2, 5e-4), 0.7487, 1e-3);
}

}  // namespace
}  // namespace isopatch::test
