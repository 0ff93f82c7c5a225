// SPDX-License-Identifier: Apache-2.0
//
// No step of the first-order method makes energy, however stiff the contact.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

Geometry impactor(int shape) {
  switch (shape) {
    case 0:
      return make_box("cube", {0.1, 0.1, 0.1});
    case 1:
      return make_box("brick", {0.2, 0.1, 0.05});
    default:
      return make_sphere("ball", 0.05, 2);
  }
}

struct Rebound {
  double worst = 0, sum = 0;
  int impacts = 0;

  void add(double ratio) {
    worst = std::max(worst, ratio);
    sum += ratio;
    ++impacts;
  }
};

/// The kinetic energy after an impact at 1 m/s without gravity or damping, over that before.
double rebound(Random& random, int shape, double modulus, double time_step, Integrator integrator, double friction) {
  const Vector axis = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  SceneBuilder scene;
  Body& body = scene.add("body", impactor(shape), pose_at({0, 0, 0.13}, turn_about(axis, random.uniform(0, 3))));
  body.mass = 1;
  body.modulus = modulus;
  body.friction = friction;
  body.velocity = {random.uniform(-1, 1), 0, -1, random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
  scene.add_ground(friction);
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.time_step = time_step;
  scene.description.rollout.integrator = integrator;
  Rollout rollout(scene.finish());
  rollout.step(0);
  const double before = rollout.output.kinetic_energy[0];
  const int most = static_cast<int>(0.4 / time_step);
  bool touched = false;
  for (int i = 0; i < most; ++i) {
    rollout.step();
    EXPECT_EQ(rollout.state.status[0] & (kFrozen | kNotConverged), kOk);
    touched = touched || rollout.output.num_polygons[0] > 0;
    if (touched && rollout.output.num_polygons[0] == 0) break;
  }
  EXPECT_TRUE(touched);
  return rollout.output.kinetic_energy[0] / before;
}

TEST(Energy, IsNeverMadeByEuler) {
  Random random(7);
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kSdirk2}) {
    for (int shape = 0; shape < 3; ++shape) {
      Rebound found;
      for (int i = 0; i < 34; ++i) {
        const double modulus = std::pow(10, random.uniform(5, 8)), time_step = std::pow(10, random.uniform(-3, -2));
        found.add(rebound(random, shape, modulus, time_step, integrator, i % 2 == 0 ? 0 : 0.5));
      }
      std::printf("%s shape %d: worst %.4f mean %.4f of %d\n", integrator == Integrator::kEuler ? "euler" : "sdirk2",
                  shape, found.worst, found.sum / found.impacts, found.impacts);
      if (integrator == Integrator::kEuler) {
        EXPECT_LE(found.worst, 1);
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test
