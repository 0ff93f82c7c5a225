// SPDX-License-Identifier: Apache-2.0
//
// The mass with which a body moves: what is given, and the rest from the mesh.
#include <gtest/gtest.h>

#include <cmath>

#include "isopatch/scene/mass_properties.h"
#include "tests/support/misuses.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr double kTolerance = 1e-12;  // relative

const Point3 kSize = {0.2, 0.1, 0.05};
constexpr double kVolume = 0.2 * 0.1 * 0.05;

SceneDescription brick() {
  SceneDescription scene;
  scene.geometries = {make_box("brick", kSize), make_half_space("ground", 0.1)};
  scene.bodies = {{.name = "brick", .offset = {0.5, 0, 0, 1, 0, 0, 0}}};
  return scene;
}

MassProperties mass_of(const SceneDescription& scene) { return body_mass(scene, scene.bodies[0]); }

/// xx of a brick of this mass about its own centre.
double brick_xx(double mass) { return mass / 12 * (kSize[1] * kSize[1] + kSize[2] * kSize[2]); }

TEST(BodyMass, IsThatOfTheMeshOfWater) {
  const MassProperties found = mass_of(brick());
  EXPECT_NEAR(found.mass, 1000 * kVolume, kTolerance);
  EXPECT_NEAR(found.volume, kVolume, kTolerance * kVolume);
  EXPECT_NEAR(found.center[0], 0.5, kTolerance);
  EXPECT_NEAR(found.inertia[0][0], brick_xx(1), kTolerance);
}

TEST(BodyMass, FollowsTheDensity) {
  SceneDescription scene = brick();
  scene.bodies[0].density = 7850;
  EXPECT_NEAR(mass_of(scene).mass, 7.85, kTolerance * 10);
  EXPECT_NEAR(mass_of(scene).inertia[0][0], brick_xx(7.85), kTolerance);
}

TEST(BodyMass, ScalesTheInertiaOfTheMesh) {
  SceneDescription scene = brick();
  scene.bodies[0].mass = 3;
  EXPECT_EQ(mass_of(scene).mass, 3);
  EXPECT_NEAR(mass_of(scene).inertia[0][0], brick_xx(3), kTolerance);
  EXPECT_NEAR(mass_of(scene).center[0], 0.5, kTolerance);
}

TEST(BodyMass, WithACentreKeepsTheInertiaAboutTheMeshsOwn) {
  SceneDescription scene = brick();
  scene.bodies[0].center_of_mass = {0.1, 0.2, 0.3};
  EXPECT_EQ(mass_of(scene).center, (Point3{0.1, 0.2, 0.3}));
  EXPECT_NEAR(mass_of(scene).inertia[0][0], brick_xx(1), kTolerance);
}

TEST(BodyMass, TakesAnInertiaAsItIs) {
  SceneDescription scene = brick();
  scene.bodies[0].inertia = {2, 3, 4, -0.1, 0.2, -0.3};
  const MassProperties found = mass_of(scene);
  EXPECT_EQ(found.inertia, (std::array<Point3, 3>{{{2, -0.1, 0.2}, {-0.1, 3, -0.3}, {0.2, -0.3, 4}}}));
  EXPECT_NEAR(found.mass, 1, kTolerance);
}

// Entries as in URDF: for two points on a line between the axes xy is negative.
TEST(BodyMass, HasProductsOfInertiaWithTheirSign) {
  SceneDescription scene = brick();
  scene.bodies[0].offset = {0, 0, 0, std::cos(0.3), 0, 0, std::sin(0.3)};  // the long side turned from x towards y
  EXPECT_LT(mass_of(scene).inertia[0][1], 0);
}

TEST(BodyMass, OfPartsIsOneDensityOrIsScaledAlike) {
  SceneDescription scene = brick();
  Body& body = scene.bodies[0];
  body.parts = {{.geometry = 0, .pose = {-0.3, 0, 0, 1, 0, 0, 0}}, {.geometry = 0, .pose = {0.3, 0, 0, 1, 0, 0, 0}}};
  body.density = 500;
  const double yy = 0.5 / 12 * (kSize[0] * kSize[0] + kSize[2] * kSize[2]) + 0.5 * 0.09;  // of a part of 0.5 kg
  EXPECT_NEAR(mass_of(scene).mass, 1, kTolerance);
  EXPECT_NEAR(mass_of(scene).inertia[1][1], 2 * yy, kTolerance);
  body.density = {};
  body.mass = 4;
  EXPECT_EQ(mass_of(scene).mass, 4);
  EXPECT_NEAR(mass_of(scene).inertia[1][1], 8 * yy, kTolerance);
}

TEST(BodyMass, OfAPartThatIsAHalfSpaceIsNone) {
  SceneDescription scene = brick();
  scene.bodies[0].parts = {{.geometry = 0}, {.geometry = 1}};
  EXPECT_NEAR(mass_of(scene).mass, 1, kTolerance);
}

TEST(BodyMass, NeedsNoMeshWhereAllIsGiven) {
  SceneDescription scene = brick();
  Body& body = scene.bodies[0];
  body.geometry = 1;
  body.mass = 2;
  body.center_of_mass = {0, 0, -1};
  body.inertia = {1, 1, 1, 0, 0, 0};
  const MassProperties found = mass_of(scene);
  EXPECT_EQ(found.mass, 2);
  EXPECT_EQ(found.volume, 0);
  EXPECT_EQ(found.center, (Point3{0, 0, -1}));
}

TEST(BodyMass, SaysWhatIsMissing) {
  SceneDescription scene = brick();
  scene.bodies[0].geometry = 1;
  scene.bodies[0].mass = 2;
  try {
    mass_of(scene);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "scene: body 'brick' has no part with a volume; give its mass, center_of_mass and inertia");
  }
  Misuses misuses;
  scene = brick();
  scene.bodies[0].geometry = 2;
  misuses.expect_error("geometry", [&] { mass_of(scene); });
  scene = brick();
  scene.bodies[0].mass = -1;
  misuses.expect_error("mass", [&] { mass_of(scene); });
}

}  // namespace
}  // namespace isopatch::test
