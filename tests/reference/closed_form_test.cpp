// SPDX-License-Identifier: Apache-2.0
//
// Forces known in closed form: a sphere on a rigid plane, a box flat on a slab.
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

struct ClosedForm : Oracle {};

TEST_P(ClosedForm, SphereOnARigidPlaneConvergesAtSecondOrder) {
  constexpr double kRadius = 0.05, kModulus = 1e6, kDepth = 5e-3;
  const double expected = std::numbers::pi / 3 * kModulus * kDepth * kDepth * (3 - 2 * kDepth / kRadius);
  ASSERT_NEAR(expected, 73.3038, 1e-4);

  std::vector<double> errors;
  for (int subdivisions = 2; subdivisions <= 5; ++subdivisions) {
    SceneDescription scene = two_bodies(make_sphere("ball", kRadius, subdivisions), make_half_space("table", 0.1));
    scene.bodies[0].modulus = kModulus;
    scene.bodies[1].rigid = true;
    // in general position, so that no vertex is special
    set_pose(scene.bodies[0], {0, 0, kRadius - kDepth}, roll_pitch_yaw(0.3, 0.5, 0.2));
    errors.push_back(evaluate(scene, GetParam()).force.z() / expected - 1);
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_LT(std::abs(errors[i]), std::abs(errors[i - 1]) / 3.5) << i + 2 << " subdivisions";
  }
  EXPECT_LT(std::abs(errors[3]), 4e-3);
  EXPECT_LT(std::abs(4 * errors[3] - errors[2]) / 3, 1e-4) << "extrapolated to a mesh of size zero";
}

TEST_P(ClosedForm, BoxFlatOnASlab) {
  constexpr double kSide = 0.1, kHalf = 0.05, kOverlap = 2e-3, kModulus = 1e6;
  // the overlap is the difference of lengths near 0.1 m, rounded in the poses
  constexpr double kTolerance = 1e-12;
  for (const auto& [slab_modulus, recorded] : {std::pair{1e14, 384.2133296}, std::pair{1e6, 196.0266667}}) {
    const double delta = kOverlap * slab_modulus / (kModulus + slab_modulus);
    const double expected =
        kModulus / kHalf * (delta * kSide * kSide - 2 * delta * delta * kSide + 4 * delta * delta * delta / 3);
    ASSERT_NEAR(expected, recorded, 1e-7);
    for (double yaw : {0.0, 0.1, std::numbers::pi / 4, 1.0}) {
      SceneDescription scene =
          two_bodies(make_box("cube", {kSide, kSide, kSide}), make_box("slab", {0.4, 0.3, 2 * kHalf}));
      scene.bodies[0].modulus = kModulus;
      scene.bodies[1].modulus = slab_modulus;
      set_pose(scene.bodies[0], {0.01, -0.02, 2 * kHalf - kOverlap}, roll_pitch_yaw(0, 0, yaw));
      const Outcome outcome = evaluate(scene, GetParam());
      EXPECT_NEAR(outcome.force.z(), expected, expected * kTolerance) << "yaw " << yaw << ", slab " << slab_modulus;
      EXPECT_LT(outcome.torque.norm(), expected * kSide * kTolerance) << "yaw " << yaw << ", slab " << slab_modulus;
    }
  }
}

// A very stiff body acts like a rigid one, however shallow the contact: no tolerance may scale with the larger modulus
// alone.
TEST_P(ClosedForm, BoxFlatOnAVeryStiffSlab) {
  constexpr double kSide = 0.1, kHalf = 0.05, kModulus = 1e4;
  for (double ratio : {1e8, 1e10, 1e12}) {
    for (double overlap : {2e-3, 1e-4, 1e-6}) {
      SceneDescription scene =
          two_bodies(make_box("cube", {kSide, kSide, kSide}), make_box("slab", {0.4, 0.3, 2 * kHalf}));
      scene.bodies[0].modulus = kModulus;
      scene.bodies[1].modulus = kModulus * ratio;
      set_pose(scene.bodies[0], {0.01, -0.02, 2 * kHalf - overlap}, roll_pitch_yaw(0, 0, 0.1));
      const double delta = overlap * ratio / (1 + ratio);
      const double expected =
          kModulus / kHalf * (delta * kSide * kSide - 2 * delta * delta * kSide + 4 * delta * delta * delta / 3);
      // lengths near 0.1 m are rounded to 1e-17 m
      EXPECT_NEAR(evaluate(scene, GetParam()).force.z(), expected, expected * 1e-15 / overlap)
          << "ratio " << ratio << ", overlap " << overlap;
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(ClosedForm);

}  // namespace
}  // namespace isopatch::oracle
