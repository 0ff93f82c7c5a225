// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are thrown come to rest, and stay.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

struct Thrown {
  double kinetic_energy;  // after 5 s, J
  double moved;           // of the origin in the next 5 s, m
  double depth;           // of the lower face in the ground, m
  double weight;          // N
};

Thrown throw_box(const Point3& size, double modulus, ContactPoints points, Precision precision) {
  SceneBuilder scene;
  Body& box = scene.add("box", make_box("box", size), pose_at({0, 0, 0.15}, turn_about({1, 2, 0.5}, 0.7)));
  box.mass = 1;
  box.modulus = modulus;
  box.dissipation = 5;
  box.friction = 0.5;
  box.velocity = {0.3, 0.1, -0.5, 1, -2, 3};
  scene.add_ground(0.5);
  scene.description.rollout.time_step = 5e-3;
  scene.description.rollout.points = points;
  Rollout rollout(scene.finish(), 1, precision);
  rollout.step(1000);
  Thrown thrown = {rollout.output.kinetic_energy[0], 0, 0, 9.81};
  const Vector before = rollout.position(0);
  rollout.step(1000);
  const Vector after = rollout.position(0);
  EXPECT_EQ(rollout.state.status[0], kOk);
  thrown.moved = length({after[0] - before[0], after[1] - before[1], after[2] - before[2]});
  thrown.depth = size[2] / 2 - after[2];
  return thrown;
}

TEST(Rest, ThrownBoxesComeToRest) {
  for (const Point3& size : {Point3{0.1, 0.1, 0.1}, Point3{0.2, 0.1, 0.05}}) {
    for (const double modulus : {1e5, 1e7}) {
      SCOPED_TRACE(testing::Message() << "size " << size[0] << " m, modulus " << modulus << " Pa");
      const Thrown exact = throw_box(size, modulus, ContactPoints::kMatched, Precision::kDouble);
      EXPECT_LT(exact.kinetic_energy, 1e-15);
      EXPECT_LT(exact.moved, 1e-9);
      const Thrown rounded = throw_box(size, modulus, ContactPoints::kMatched, Precision::kFloat);
      EXPECT_LT(rounded.kinetic_energy, 1e-9);
      EXPECT_LT(rounded.moved, 1e-6);
      std::printf("size %g modulus %g: kinetic %.2g J moved %.2g m, float %.2g %.2g\n", size[0], modulus,
                  exact.kinetic_energy, exact.moved, rounded.kinetic_energy, rounded.moved);
    }
  }
}

/// A cube's field rises from its faces to its middle, over half an edge: p = E z / (a / 2).
TEST(Rest, CubeSinksAsDeepAsItsFieldSays) {
  const Thrown cube = throw_box({0.1, 0.1, 0.1}, 1e5, ContactPoints::kMatched, Precision::kDouble);
  EXPECT_NEAR(cube.depth, cube.weight * 0.05 / (1e5 * 0.01), 0.02 * cube.depth);
}

/// One point a polygon does not resist rocking within it.
TEST(Rest, PointsAtCentroidsRattle) {
  const Thrown rattling = throw_box({0.1, 0.1, 0.1}, 1e7, ContactPoints::kCentroid, Precision::kDouble);
  EXPECT_GT(rattling.kinetic_energy, 1e-6);
  std::printf("centroid: kinetic %.2g J\n", rattling.kinetic_energy);
}

}  // namespace
}  // namespace isopatch::test
