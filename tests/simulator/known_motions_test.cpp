// SPDX-License-Identifier: Apache-2.0
//
// Motions whose course is known: what each method makes of them at 1 and at 5 ms.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kGravity = 9.81, kRadius = 0.05;

void step_for(Rollout& rollout, double duration, double time_step) {
  rollout.step(static_cast<int>(std::lround(duration / time_step)));
  EXPECT_EQ(rollout.state.status[0] & kFrozen, kOk);
}

SceneDescription stepped_by(SceneBuilder& scene, Integrator integrator, double time_step) {
  scene.description.rollout.integrator = integrator;
  scene.description.rollout.time_step = time_step;
  scene.finish();
  if (!scene.description.loops.empty()) scene.description.pairs->clear();
  return scene.description;
}

/// I / (m r^2) of the ball, r being the height of its centre above the patch.
double inertia_ratio(const Body& ball) { return 0.4 * kRadius * kRadius / (ball.pose[2] * ball.pose[2]); }

/// A ball of 0.5 kg that lies on something rigid below z = 0, as deep as its weight presses it in.
Body& add_lying_ball(SceneBuilder& scene, double friction) {
  constexpr double kMass = 0.5, kModulus = 1e6;
  const double depth = std::sqrt(kMass * kGravity / (M_PI * kModulus));
  Body& ball = scene.add("ball", make_sphere("ball", kRadius, 4), pose_at({0, 0, kRadius - depth}));
  ball.mass = kMass;
  ball.modulus = kModulus;
  ball.friction = friction;
  return ball;
}

/// On a table that turns at W, a ball that rolls goes round a circle at W k / (1 + k), k = I / (m r^2): 2/7 W if it is
/// hard. Relative error of its velocity after 1 s, by more than a quarter of a circle.
double turntable_error(Integrator integrator, double time_step) {
  constexpr double kTurns = 2 * M_PI, kSpeed = 0.2, kAway = 0.1, kDuration = 1;
  SceneBuilder scene;
  Body& ball = add_lying_ball(scene, 0.8);
  ball.pose[0] = kAway;
  // the contact point goes with the table: v + w x (0, 0, -R) = (0, W x, 0)
  ball.velocity = {0, kSpeed, 0, (kTurns * kAway - kSpeed) / ball.pose[2], 0, kTurns};
  Body& table = scene.add("table", make_box("table", {1, 1, 0.1}), pose_at({0, 0, -0.05}));
  table.rigid = true;
  table.friction = 0.8;
  table.motion.type = MotionType::kPrescribed;
  table.velocity = {0, 0, 0, 0, 0, kTurns};
  Rollout rollout(stepped_by(scene, integrator, time_step));
  step_for(rollout, kDuration, time_step);
  const double k = inertia_ratio(ball), angle = k / (1 + k) * kTurns * kDuration;
  const Vector v = rollout.velocity(0);
  return std::hypot(v[0] + kSpeed * std::sin(angle), v[1] - kSpeed * std::cos(angle)) / kSpeed;
}

/// A ball that slides at first rolls after v k / ((1 + k) mu g) at 1 / (1 + k) of its speed, 5/7 of it if it is hard.
/// Relative error of its way after 0.3 s.
double slide_then_roll_error(Integrator integrator, double time_step) {
  constexpr double kSpeed = 1, kFriction = 0.2, kDuration = 0.3;
  SceneBuilder scene;
  Body& ball = add_lying_ball(scene, kFriction);
  ball.velocity = {kSpeed, 0, 0, 0, 0, 0};
  scene.add_ground(kFriction);
  Rollout rollout(stepped_by(scene, integrator, time_step));
  step_for(rollout, kDuration, time_step);
  const double k = inertia_ratio(ball), slowing = kFriction * kGravity, slides = kSpeed * k / ((1 + k) * slowing);
  const double way = kSpeed * slides - slowing * slides * slides / 2 + kSpeed / (1 + k) * (kDuration - slides);
  return std::fabs(rollout.position(0)[0] / way - 1);
}

constexpr double kAcross = 1e-3, kAlong = 2e-3, kTilts = 1, kSpins = 4;  // of a disk about its center

/// The axis of a free disk goes round its angular momentum L at L / I, I being about a diameter. Error of the axis
/// after a time, relative to how far it is from L.
double axis_error(const std::array<double, 4>& q, double time) {
  const Vector momentum = {kAcross * kTilts, 0, kAlong * kSpins};
  const double size = length(momentum), angle = size / kAcross * time, sin = std::sin(angle), cos = std::cos(angle);
  // z turned about u = momentum / size: z cos + (u x z) sin + u (u . z) (1 - cos)
  const Vector u = {momentum[0] / size, 0, momentum[2] / size};
  const Vector expected = {u[0] * u[2] * (1 - cos), -u[0] * sin, cos + u[2] * u[2] * (1 - cos)};
  const Vector axis = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                       1 - 2 * (q[1] * q[1] + q[2] * q[2])};
  return length({axis[0] - expected[0], axis[1] - expected[1], axis[2] - expected[2]}) / u[0];
}

/// A disk, or something of `share` of its mass and inertia.
Body& add_disk(SceneBuilder& scene, const std::string& name, double share = 1) {
  Body& disk = scene.add(name, make_cylinder("disk", 0.05, 0.01, 16));
  disk.mass = share;
  disk.center_of_mass = Point3{0, 0, 0};
  disk.inertia = std::array<double, 6>{share * kAcross, share * kAcross, share * kAlong, 0, 0, 0};
  return disk;
}

double precession_error(Integrator integrator, double time_step) {
  SceneBuilder scene;
  add_disk(scene, "disk").velocity = {0, 0, 0, kTilts, 0, kSpins};
  scene.description.rollout.gravity = {0, 0, 0};
  Rollout rollout(stepped_by(scene, integrator, time_step));
  step_for(rollout, 1, time_step);
  return axis_error(rollout.orientation(0), 1);
}

/// A free body of 1 kg that a weld holds to a fixed one: its index.
int add_held_base(SceneBuilder& scene) {
  const int base = static_cast<int>(scene.description.bodies.size());
  scene.add("base", make_box("base", {0.1, 0.1, 0.1})).mass = 1;
  scene.add("wall", make_box("wall", {0.1, 0.1, 0.1}), pose_at({0.2, 0, 0})).fixed = true;
  scene.description.loops.push_back({LoopType::kWeld, base, base + 1, {0.1, 0, 0}, {0, 0, 0}});
  return base;
}

/// The same of a disk on three hinges that cross at its center, on a body that a weld holds: two links of next to no
/// mass are between them.
double gimbals_error(Integrator integrator, double time_step) {
  SceneBuilder scene;
  int parent = add_held_base(scene);
  for (int i = 0; i < 3; ++i) {
    Motion& motion = add_disk(scene, "disk" + std::to_string(i), i < 2 ? 1e-9 : 1).motion;
    motion.type = MotionType::kRevolute;
    motion.parent = parent;
    motion.axis = {i == 0 ? 1.0 : 0, i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0};
    motion.anchor = {{0, 0, 0}};
    motion.velocity = i == 0 ? kTilts : i == 1 ? 0 : kSpins;
    parent = static_cast<int>(scene.description.bodies.size()) - 1;
  }
  scene.description.rollout.gravity = {0, 0, 0};
  Rollout rollout(stepped_by(scene, integrator, time_step));
  step_for(rollout, 1, time_step);
  return axis_error(rollout.orientation(parent), 1);
}

/// A pendulum let go at 0.1 rad: relative error of the amplitude and phase after 1 s, of the motion a cos(w t) with the
/// frequency of that amplitude, w = w_0 (1 - a^2 / 16).
double pendulum_error(Integrator integrator, double time_step, bool held) {
  constexpr double kLength = 0.2, kAngle = 0.1, kDuration = 1, kInertia = 1e-3;
  SceneBuilder scene;
  const int base = held ? add_held_base(scene) : -1;
  Body& bob = scene.add("bob", make_box("bob", {0.02, 0.02, 0.02}), pose_at({0, 0, -kLength}));
  bob.mass = 1;
  bob.center_of_mass = Point3{0, 0, 0};
  bob.inertia = std::array<double, 6>{kInertia, kInertia, kInertia, 0, 0, 0};
  bob.motion.type = MotionType::kRevolute;
  if (held) bob.motion.parent = base;
  bob.motion.axis = {0, 1, 0};
  bob.motion.anchor = {{0, 0, 0}};
  bob.motion.position = kAngle;
  Rollout rollout(stepped_by(scene, integrator, time_step));
  step_for(rollout, kDuration, time_step);
  const double slow = std::sqrt(kGravity * kLength / (kLength * kLength + kInertia)),
               frequency = slow * (1 - kAngle * kAngle / 16), phase = frequency * kDuration;
  return std::hypot(rollout.state.joints[0] - kAngle * std::cos(phase),
                    rollout.state.joints[1] / frequency + kAngle * std::sin(phase)) /
         kAngle;
}

double pendulum_on_the_world_error(Integrator integrator, double time_step) {
  return pendulum_error(integrator, time_step, false);
}

double pendulum_on_a_held_body_error(Integrator integrator, double time_step) {
  return pendulum_error(integrator, time_step, true);
}

struct Case {
  const char* name;
  double (*error)(Integrator integrator, double time_step);
};

class KnownMotion : public ::testing::TestWithParam<Case> {};

TEST_P(KnownMotion, IsFollowedByMidpoint) {
  const auto error = GetParam().error;
  const double fine = error(Integrator::kMidpoint, 1e-3), coarse = error(Integrator::kMidpoint, 5e-3),
               euler = error(Integrator::kEuler, 5e-3);
  std::printf("%s: off by %.2g at 1 ms, %.2g at 5 ms (euler %.2g, %.2g)\n", GetParam().name, fine, coarse,
              error(Integrator::kEuler, 1e-3), euler);
  EXPECT_LT(fine, 0.01);
  EXPECT_LE(coarse, std::max(euler * (1 + 1e-9), 1e-12));
}

INSTANTIATE_TEST_SUITE_P(Motions, KnownMotion,
                         ::testing::Values(Case{"Turntable", turntable_error},
                                           Case{"SlideThenRoll", slide_then_roll_error},
                                           Case{"Precession", precession_error}, Case{"Gimbals", gimbals_error},
                                           Case{"Pendulum", pendulum_on_the_world_error},
                                           Case{"PendulumOnAHeldBody", pendulum_on_a_held_body_error}),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace isopatch::test
