// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "isopatch/error.h"
#include "isopatch/scene/scene.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::error_of;

SceneDescription three_balls() {
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 0.05, 0)};
  scene.bodies = {{.name = "left"}, {.name = "middle"}, {.name = "right"}};
  scene.pairs = {{.a = 0, .b = 1, .dissipation = {}, .friction = {}},
                 {.a = 2, .b = 1, .dissipation = {}, .friction = {}}};
  return scene;
}

TEST(SceneNames, FindBodies) {
  const Scene scene(three_balls());
  EXPECT_EQ(scene.body_index("left"), 0);
  EXPECT_EQ(scene.body_index("right"), 2);
  EXPECT_EQ(error_of([&] { scene.body_index("rigth"); }), "scene: no body is named \"rigth\"; did you mean \"right\"?");
  EXPECT_EQ(error_of([&] { scene.body_index("table"); }),
            "scene: no body is named \"table\"; known: \"left\", \"middle\", \"right\"");
}

TEST(SceneNames, FindPairs) {
  const Scene scene(three_balls());
  EXPECT_EQ(scene.pair_index("left", "middle"), 0);
  EXPECT_EQ(scene.pair_index("right", "middle"), 1);
  EXPECT_EQ(scene.pair_index(2, 1), 1);
}

TEST(SceneNames, SayWhichPairsThereAre) {
  const Scene scene(three_balls());
  EXPECT_EQ(
      error_of([&] { scene.pair_index("left", "right"); }),
      "scene: (\"left\", \"right\") is not a pair; the pairs are (\"left\", \"middle\"), (\"right\", \"middle\")");
  EXPECT_EQ(
      error_of([&] { scene.pair_index("middle", "right"); }),
      "scene: the pair (\"middle\", \"right\") is listed as (\"right\", \"middle\"), with wrenches on \"right\"; ask "
      "for (\"right\", \"middle\")");
  EXPECT_EQ(error_of([&] { scene.pair_index(0, 3); }), "scene: the body index 3 must be in [0, 3)");
  EXPECT_EQ(error_of([&] { scene.pair_index(-1, 0); }), "scene: the body index -1 must be in [0, 3)");
}

TEST(SceneNames, OfTwoBodiesOrPartsDiffer) {
  SceneDescription description = three_balls();
  description.bodies[2].name = "left";
  EXPECT_EQ(error_of([&] { Scene{description}; }), "scene: body 2: another body is already named \"left\"");
  description = three_balls();
  description.bodies[1].parts = {{.geometry = 0, .name = "tip"}, {.geometry = 0}, {.geometry = 0, .name = "tip"}};
  EXPECT_EQ(error_of([&] { Scene{description}; }),
            "scene: body 'middle': another part of the body is already named \"tip\"");
  description.bodies[1].parts[2].name = "";
  EXPECT_NO_THROW(Scene{description});
}

TEST(SceneNames, ThatSeveralBodiesHaveFindNone) {
  SceneDescription description = three_balls();
  description.bodies[0].name = description.bodies[2].name = "";
  const Scene scene(description);
  EXPECT_EQ(scene.body_index("middle"), 1);
  EXPECT_EQ(error_of([&] { scene.body_index(""); }), "scene: more than one body is named \"\"; use their indices");
}

TEST(SceneNames, OfASceneThatWasMovedFromAreAnError) {
  Scene scene(three_balls());
  const Scene other(std::move(scene));
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_NE(error_of([&] { scene.body_index("left"); }).find("moved from"), std::string::npos);
  EXPECT_NE(error_of([&] { scene.pair_index(0, 1); }).find("moved from"), std::string::npos);
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
}  // namespace isopatch
