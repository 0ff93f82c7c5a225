// SPDX-License-Identifier: Apache-2.0
//
// Overlaps as large as half a body and foundation depths that nothing reads have a warning, and nothing else has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isopatch/scene/scene.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

using Lines = std::vector<std::string>;

constexpr double kGravity = 9.81;  // m/s^2

/// A rigid body on rigid ground, whose overlap at rest has this volume.
SceneDescription resting(const Geometry& geometry, double volume) {
  constexpr double kStiffness = 1e6;  // N/m^3
  SceneBuilder builder;
  builder.add_ground(0.5).rigid = true;
  Body& body = builder.add("thing", geometry, pose_at({0, 0, 1}));
  body.rigid = true;
  body.friction = 0.5;
  body.mass = volume * kStiffness / kGravity;
  SceneDescription& scene = builder.description;
  Pair& pair = scene.pairs.emplace().emplace_back();
  pair.a = 1, pair.b = 0;
  pair.model = ContactModel::kVolumetric;
  pair.stiffness = kStiffness;
  return scene;
}

TEST(FoundationWarnings, AreOfOverlapsOfHalfABody) {
  const Geometry things[] = {make_box("plate", {0.2, 0.2, 0.01}), make_box("cube", {0.1, 0.1, 0.1}),
                             make_box("rod", {0.3, 0.01, 0.01})};
  const double volumes[] = {4e-4, 1e-3, 3e-5};  // m^3
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(warnings_of(Scene(resting(things[i], 0.49 * volumes[i]))), Lines{}) << things[i].name;
    const Lines lines = warnings_of(Scene(resting(things[i], 0.51 * volumes[i])));
    ASSERT_EQ(lines.size(), 1u) << things[i].name;
    EXPECT_NE(lines[0].find("take a larger stiffness than 1e+06 N/m^3"), std::string::npos) << lines[0];
  }
}

TEST(FoundationWarnings, CountAllPartsOfABody) {
  SceneDescription scene = resting(make_box("foot", {0.1, 0.1, 0.1}), 0.9e-3);
  EXPECT_EQ(warnings_of(Scene(scene)).size(), 1u);
  Body& thing = scene.bodies[1];
  for (const double x : {-0.2, 0.2}) {
    Part& part = thing.parts.emplace_back();
    part.geometry = thing.geometry;
    part.pose = {x, 0, 0, 1, 0, 0, 0};
  }
  EXPECT_EQ(warnings_of(Scene(scene)), Lines{});
}

TEST(FoundationWarnings, AreOfDepthsThatNothingReads) {
  SceneDescription scene = resting(make_box("cube", {0.1, 0.1, 0.1}), 1e-5);
  scene.bodies[1].foundation_depth = 0.02;
  scene.bodies[1].rigid = false;
  EXPECT_EQ(warnings_of(Scene(scene)), Lines{});
  Pair& pair = (*scene.pairs)[0];
  pair.model = ContactModel::kPressureField;
  pair.stiffness.reset();
  EXPECT_EQ(warnings_of(Scene(scene)),
            Lines{"body 'thing': no pair of it has model volumetric, so its foundation_depth changes nothing"});
}

}  // namespace
}  // namespace isopatch::test
