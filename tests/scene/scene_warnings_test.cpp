// SPDX-License-Identifier: Apache-2.0
//
// What a scene may say without meaning it has one line each.
#include <gtest/gtest.h>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

using Lines = std::vector<std::string>;

const Geometry kBox = make_box("box", {0.1, 0.1, 0.1});

Body& add_box(SceneBuilder& scene, const std::string& name, bool rigid) {
  Body& body = scene.add(name, kBox);
  body.rigid = rigid;
  body.friction = 0.5;
  return body;
}

/// A rigid bottle on a rigid table, and a soft pad.
SceneDescription bottle_on_table() {
  SceneBuilder scene;
  add_box(scene, "bottle", true);
  add_box(scene, "table", true).fixed = true;
  add_box(scene, "pad", false);
  return scene.description;
}

Lines warnings_of_description(const SceneDescription& scene) { return warnings_of(Scene(scene)); }

TEST(SceneWarnings, NameTwoRigidBodiesThatCannotTouch) {
  EXPECT_EQ(warnings_of_description(bottle_on_table()),
            Lines{"bodies 'bottle' and 'table' are both rigid, so they pass through each other; make one of them "
                  "compliant, or exclude the pair"});
}

TEST(SceneWarnings, AskOfLongShapesWhetherTheyAreInMillimetres) {
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 50, 1), make_box("ground", {20, 20, 1}), make_sphere("stone", 2, 1)};
  scene.bodies = {{.name = "ball", .geometry = 0, .friction = 1},
                  {.name = "ground", .geometry = 1, .rigid = true, .fixed = true, .friction = 1},
                  {.name = "stone", .geometry = 2, .friction = 1}};
  const Lines lines = {"geometry 'ball' is 100 m long. In millimetres? Lengths are in metres"};
  EXPECT_EQ(warnings_of_description(scene), lines);
  EXPECT_EQ(warnings_of(Scene(parse_scene(R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 50}},
                                              "bodies": [{"name": "ball", "geometry": "ball"}]})",
                                          "", "s"))),
            lines);
  scene.geometries[0].size_is_known = true;
  EXPECT_EQ(warnings_of_description(scene), Lines{});
}

TEST(SceneWarnings, AreNotAboutRigidBodiesThatAreExcludedOrCannotMove) {
  SceneDescription scene = bottle_on_table();
  scene.exclude = {{1, 0}};
  EXPECT_EQ(warnings_of_description(scene), Lines{});
  scene = bottle_on_table();
  scene.bodies[0].motion.type = MotionType::kPrescribed;
  EXPECT_EQ(warnings_of_description(scene), Lines{});
}

TEST(SceneWarnings, SumUpManyRigidBodies) {
  SceneBuilder scene;
  for (int i = 0; i < 6; ++i) add_box(scene, "stone " + std::to_string(i), true);
  const Lines lines = warnings_of_description(scene.description);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines.back(), "so do 7 more pairs of rigid bodies");
}

TEST(SceneWarnings, NameAHalfSpaceThatIsSofterThanABodyOnIt) {
  SceneBuilder scene;
  add_box(scene, "cube", false).modulus = 1e6;
  Body& ground = scene.add_ground(0.5);
  ground.rigid = false;
  ground.modulus = 1e4;
  EXPECT_EQ(
      warnings_of_description(scene.description),
      Lines{"the half space of 'ground' (10000 Pa) is softer than 'cube' (1e+06 Pa), which can sink into it until "
            "there is no contact surface; make it rigid, or its modulus larger"});
  ground.modulus = 1e6;
  EXPECT_EQ(warnings_of_description(scene.description), Lines{});
}

TEST(SceneWarnings, NameAPairWithoutFrictionUnlessThatIsSaid) {
  SceneDescription scene = bottle_on_table();
  scene.bodies[0].rigid = false;
  scene.bodies[1].friction = 0;  // of the table, which touches two bodies
  EXPECT_EQ(
      warnings_of_description(scene),
      Lines{"there is no friction between 'bottle' and 'table' (and in 1 more pair): it is 0 where one of the two "
            "bodies has none; give it to both, or to the pair, 0 if that is meant"});
  scene.pairs = {{0, 1, {}, 0.0}, {1, 2, {}, 0.3}};
  EXPECT_EQ(warnings_of_description(scene), Lines{});
}

TEST(Pairs, LeftOutAreAllAndAnEmptyListIsNone) {
  SceneDescription scene = bottle_on_table();
  EXPECT_EQ(Scene(scene).num_pairs(), 2);
  ASSERT_TRUE(Scene(scene).description().pairs.has_value());
  EXPECT_EQ(Scene(scene).pairs()[1].b, 2);
  EXPECT_EQ(StateArrays(scene, 1).num_pairs, 2);
  scene.exclude = {{2, 1}};
  EXPECT_EQ(Scene(scene).num_pairs(), 1);
  scene.pairs.emplace();
  EXPECT_EQ(Scene(scene).num_pairs(), 0);
}

}  // namespace
}  // namespace isopatch::test
