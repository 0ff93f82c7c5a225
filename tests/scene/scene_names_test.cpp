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

TEST(SceneNames, ThatSeveralBodiesHaveFindNone) {
  SceneDescription description = three_balls();
  description.bodies[2].name = "left";
  const Scene scene(description);
  EXPECT_EQ(scene.body_index("middle"), 1);
  EXPECT_EQ(error_of([&] { scene.body_index("left"); }),
            "scene: more than one body is named \"left\"; use their indices");
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
