// SPDX-License-Identifier: Apache-2.0
//
// One-sided bodies: only the near side of a thin wall is pressed, as if the wall were the surface of something thick.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/thin_walls/forces.h"
#include "tests/thin_walls/thin_scenes.h"

namespace isopatch::test {
namespace {

TEST(OneSidedPlate, IsPressedFromBelowOnly) {
  constexpr double kSlope = 4e5;  // N/m: 1e6 Pa / 0.1 m over 0.04 m^2
  for (const double depth : {0.005, 0.008, 0.044}) {
    EXPECT_NEAR(force_on_first(plate_in_ground(depth, 1e9), false)[2], kSlope * depth, 1e-3 * kSlope * depth);
    SceneDescription rigid = plate_in_ground(depth, 1e9);
    rigid.bodies[0].rigid = true;
    EXPECT_NEAR(force_on_first(rigid, false)[2], kSlope * depth, 1e-9 * kSlope * depth);
  }
  // up to 2.2 mm from its rim this plate is softer than the ground at its depth, and there is no surface
  const double found = force_on_first(plate_in_ground(0.044, 1e7), false)[2];
  EXPECT_LT(found, kSlope * 0.044);
  EXPECT_GT(found, kSlope * 0.044 * std::pow(1 - 2 * 0.0022 / 0.2, 2));
}

/// The force along x on such a body.
double force_in_pad(const Geometry& geometry, bool rigid, bool one_sided, double depth) {
  return -force_on_first(in_pad(geometry, rigid, one_sided, depth), false)[0];
}

TEST(OneSidedRing, IsPressedAsASolidCylinder) {
  const Geometry ring = thin_ring();
  const Geometry solid = make_tet_mesh("solid", isopatch::testing::ring_mesh(kRing, kRing - 1e-6, kHeight, {48, 6, 1}));
  const double truth = force_in_pad(solid, true, false, 0.007);
  EXPECT_GT(truth, 20);
  for (const bool rigid : {false, true}) {
    EXPECT_NEAR(force_in_pad(ring, rigid, true, 0.007), truth, 0.005 * truth);
    EXPECT_LT(force_in_pad(ring, rigid, false, 0.007), 0.8 * truth);  // the far side pushes back
  }
}

TEST(OneSidedPlate, TiltsWithoutAJump) {
  const auto largest_change = [](double step) {
    double largest = 0, before = 0;
    for (int i = 0; i <= 8; ++i) {
      const double angle = 1.19 + (i - 4) * step;  // the whole plate passes the angles at which its sides count
      SceneDescription scene = plate_in_ground(0.06, 1e9);
      scene.bodies[0].pose = {0, 0, -0.06, std::cos(angle / 2), std::sin(angle / 2), 0, 0};
      const double force = force_on_first(scene, false)[2];
      if (i > 0) largest = std::max(largest, std::fabs(force - before));
      before = force;
    }
    return largest;
  };
  const double coarse = largest_change(1e-3);
  EXPECT_GT(coarse, 1);
  EXPECT_LT(largest_change(1e-5), 0.02 * coarse);
  EXPECT_LT(largest_change(1e-7), 2e-4 * coarse);
}

/// Results of every kind, moving, on one backend.
ResultArrays results_of(SceneDescription description, Backend backend) {
  description.bodies[0].velocity = {0.1, 0.05, -0.1, 1, 2, 3};
  for (Body& body : description.bodies) body.friction = 0.5, body.dissipation = 0.3;
  description.contact.quadrature = Quadrature::kFan6;
  const Scene scene(description);
  const StateArrays state(scene.description(), 1);
  ResultArrays r(scene, 1, {.patch = true});
  r.contacts.resize(4096);
  r.contacts_needed.resize(1);
  Evaluator(scene, {.backend = backend, .precision = Precision::kDouble}).evaluate(state.view(), r.view());
  return r;
}

TEST(OneSidedBody, IsThatOfTheReference) {
  const Geometry ring = thin_ring({24, 3, 1});
  for (const bool swapped : {false, true}) {
    for (const bool rigid : {false, true}) {
      SceneDescription scene = swapped ? two_bodies(soft_pad(), ring) : two_bodies(ring, soft_pad());
      Body &wall = scene.bodies[swapped ? 1 : 0], &soft = scene.bodies[swapped ? 0 : 1];
      wall.one_sided = true;
      wall.rigid = rigid;
      wall.modulus = 1e7;
      wall.pose = {0.002, 0.001, 0.003, std::cos(0.1), 0, std::sin(0.1), 0};
      soft.pose = {kRing + 0.002, 0, 0, 1, 0, 0, 0};
      const ResultArrays ours = results_of(scene, Backend::kCpu), expected = results_of(scene, Backend::kReference);
      const double size = std::fabs(expected.pair_wrench[0]);
      ASSERT_GT(size, 1);
      for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(ours.pair_wrench[i], expected.pair_wrench[i], 1e-9 * size);
      EXPECT_NEAR(ours.max_pressure[0], expected.max_pressure[0], 1e-9 * expected.max_pressure[0]);
      ASSERT_EQ(ours.contacts_needed[0], expected.contacts_needed[0]);
      double stiffness = 0, expected_stiffness = 0;
      for (int i = 0; i < ours.contacts_needed[0]; ++i) {
        stiffness += static_cast<double>(ours.contacts[static_cast<std::size_t>(i)].stiffness);
        expected_stiffness += static_cast<double>(expected.contacts[static_cast<std::size_t>(i)].stiffness);
      }
      EXPECT_NEAR(stiffness, expected_stiffness, 1e-5 * expected_stiffness);
    }
  }
}

TEST(OneSidedBody, ThatIsThickKeepsItsBits) {
  SceneDescription scene = two_bodies(make_sphere("ball", 0.05, 2), make_box("box", {0.2, 0.2, 0.1}));
  scene.bodies[0].pose = {0.01, 0.02, 0.09, 1, 0, 0, 0};
  const ResultArrays plain = results_of(scene, Backend::kCpu);
  for (Body& body : scene.bodies) body.one_sided = true;
  const ResultArrays weighed = results_of(scene, Backend::kCpu);
  ASSERT_GT(plain.pair_wrench[2], 1);
  EXPECT_EQ(weighed.pair_wrench, plain.pair_wrench);
  EXPECT_EQ(weighed.max_pressure, plain.max_pressure);
}

}  // namespace
}  // namespace isopatch::test
