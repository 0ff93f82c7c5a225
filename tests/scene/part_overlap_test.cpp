// SPDX-License-Identifier: Apache-2.0
//
// Parts of a body that overlap press twice, so a scene warns of them.
#include "host/scene/scene_warnings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

using detail::OverlappingParts;
using detail::overlaps_of;

// Of 4096 points spread evenly, the count within a box is off by about the number of points at its faces.
constexpr double kTolerance = 0.005;

Geometry surface_of(const Geometry& geometry) {
  return make_surface_mesh(geometry.name, {geometry.mesh.points, geometry.surface});
}

/// One body of two parts, the second at x, 0, 0.
Scene two_parts(const Geometry& first, const Geometry& second, double x, bool rigid = false) {
  SceneDescription scene;
  scene.geometries = {first, second};
  Body body;
  body.name = "tool";
  body.rigid = rigid;
  body.parts.resize(2);
  body.parts[0].name = "first";
  body.parts[1].name = "second";
  body.parts[1].geometry = 1;
  body.parts[1].pose[0] = x;
  scene.bodies = {body};
  return Scene(scene);
}

double share_of(const Scene& scene) {
  const std::vector<OverlappingParts> found = overlaps_of(scene.data(), 0, 0);
  return found.empty() ? 0 : found[0].share;
}

const Geometry kCube = make_box("cube", {0.1, 0.1, 0.1}), kBrick = make_box("brick", {0.2, 0.2, 0.2});

TEST(PartOverlap, IsTheShareOfTheSmallerPart) {
  // 0.03 of the cube's 0.1 m lie in the brick
  const Scene scenes[] = {two_parts(kCube, kBrick, 0.12), two_parts(kBrick, kCube, 0.12)};
  for (std::size_t cube = 0; cube < 2; ++cube) {
    EXPECT_NEAR(share_of(scenes[cube]), 0.3, kTolerance);
    EXPECT_EQ(overlaps_of(scenes[cube].data(), 0, 0).at(0).smaller, cube);
  }
}

TEST(PartOverlap, IsTheSameForSurfacesAndTets) {
  EXPECT_NEAR(share_of(two_parts(surface_of(kCube), surface_of(kBrick), 0.12, true)), 0.3, kTolerance);
  EXPECT_NEAR(share_of(two_parts(surface_of(kCube), kBrick, 0.12, true)), 0.3, kTolerance);
}

TEST(PartOverlap, IsTheVolumeOfALensOfTwoBalls) {
  const Scene scene = two_parts(make_sphere("a", 0.05, 4), make_sphere("b", 0.05, 4), 0.05);
  EXPECT_NEAR(share_of(scene), 5.0 / 16, 2 * kTolerance);  // of the ball: pi 5 r^3 / 12 of 4 pi r^3 / 3
}

TEST(PartOverlap, IsTheShareOfTheSmallerPolygon) {
  const Geometry tile = make_polygon("tile", {{0, 0}, {0.2, 0}, {0.2, 0.2}, {0, 0.2}}),
                 wedge = make_polygon("wedge", {{0, 0}, {0.1, 0}, {0, 0.1}});
  constexpr double kOfHalfABox = 2 * kTolerance;  // the points are spread over the wedge's box, of which it is half
  EXPECT_NEAR(share_of(two_parts(tile, wedge, 0.15, true)), 0.75, kOfHalfABox);  // all but a corner of half its legs
  EXPECT_NEAR(share_of(two_parts(wedge, tile, -0.15, true)), 0.75, kOfHalfABox);
  EXPECT_EQ(share_of(two_parts(tile, wedge, 0.05, true)), 1);
  EXPECT_EQ(share_of(two_parts(tile, tile, 0.2, true)), 0);
}

TEST(PartOverlap, IsAllOfANestedPart) {
  EXPECT_EQ(share_of(two_parts(kBrick, kCube, 0.02)), 1);
  EXPECT_NEAR(share_of(two_parts(make_half_space("ground", 1), kCube, 0)), 0.5, kTolerance);
}

TEST(PartOverlap, IsNoneOfPartsThatAreApartOrShareAFace) {
  EXPECT_EQ(share_of(two_parts(kBrick, kCube, 0.16)), 0);
  EXPECT_EQ(share_of(two_parts(kBrick, kCube, 0.15)), 0);
  EXPECT_EQ(share_of(two_parts(kCube, kCube, 0.1)), 0);
}

TEST(PartOverlap, FollowsTheOrientationOfAPart) {
  SceneDescription scene = two_parts(kCube, make_box("rod", {0.3, 0.02, 0.02}), 0.15).description();
  EXPECT_NEAR(share_of(Scene(scene)), 1.0 / 6, kTolerance);                            // 0.05 of its 0.3 m
  scene.bodies[0].parts[1].pose = {0.15, 0, 0, std::sqrt(0.5), 0, 0, std::sqrt(0.5)};  // now along y
  EXPECT_EQ(share_of(Scene(scene)), 0);
}

TEST(PartOverlap, ABodyThatDoesNotListPartsHasNone) {
  SceneDescription scene;
  scene.geometries = {kCube};
  scene.bodies.resize(1);
  EXPECT_TRUE(overlaps_of(Scene(scene).data(), 0, 0).empty());
  EXPECT_TRUE(warnings_of(Scene(scene)).empty());
}

TEST(SceneWarnings, NameThePartsThatOverlapByMoreThanTwoPerCent) {
  EXPECT_TRUE(warnings_of(two_parts(kBrick, kCube, 0.1485)).empty());  // 1.5 %
  const std::vector<std::string> warnings = warnings_of(two_parts(kBrick, kCube, 0.02));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "body 'tool': 100.0 % of part 'second' is inside part 'first'; where both touch a body, both press on it");
}

TEST(SceneWarnings, AreOneForABody) {
  SceneDescription scene = two_parts(kBrick, kCube, 0.12).description();
  scene.bodies[0].parts.push_back(scene.bodies[0].parts[1]);
  scene.bodies[0].parts[2].name = "third";
  scene.bodies[0].parts[2].pose[0] = -0.02;
  const std::vector<std::string> warnings = warnings_of(Scene(scene));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("part 'third' is inside part 'first', the most of 2 pairs of parts"), std::string::npos)
      << warnings[0];
}

TEST(SceneWarnings, OfTheShippedGripperAreNone) {
  EXPECT_TRUE(warnings_of(Scene(read_scene(source_path("bench/scenes/gripper.json")))).empty());
}

}  // namespace
}  // namespace isopatch
