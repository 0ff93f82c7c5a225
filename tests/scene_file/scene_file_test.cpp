// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "isopatch/error.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"
#include "tests/support/data_folder.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

const std::string kSource = source_path();

// A scene with `body` as further fields of its first body and `rest` as further top-level fields.
std::string scene_text(const std::string& body = "", const std::string& rest = "") {
  return R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
             "ground": {"type": "half_space"}},
             "bodies": [{"name": "ball", "geometry": "ball")" +
         body + R"(}, {"name": "ground", "geometry": "ground", "rigid": true, "modulus": 3}])" + rest + "}";
}

SceneDescription parse(const std::string& text) { return parse_scene(text, ".", "test.json"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneFile, LeavesDefaultsWhereTheFileSaysNothing) {
  const SceneDescription scene = parse(scene_text());
  const Body& ball = scene.bodies.at(0);
  const Body expected;
  EXPECT_EQ(ball.modulus, expected.modulus);
  EXPECT_EQ(ball.dissipation, expected.dissipation);
  EXPECT_EQ(ball.friction, expected.friction);
  EXPECT_EQ(ball.pose, expected.pose);
  EXPECT_EQ(ball.velocity, expected.velocity);
  EXPECT_FALSE(ball.rigid);
  EXPECT_FALSE(ball.fixed);
  EXPECT_EQ(scene.contact.quadrature, Quadrature::kExact);
  EXPECT_EQ(scene.geometries.at(1).thickness, 1);
}

TEST(SceneFile, ReadsEveryFieldOfABody) {
  const SceneDescription scene = parse(scene_text(
      R"(, "modulus": 2e6, "dissipation": 0.5, "friction": 0.25, "fixed": true, "position": [1, 2, 3],
         "orientation": [0, 1, 0, 0], "linear_velocity": [4, 5, 6], "angular_velocity": [7, 8, 9])"));
  const Body& ball = scene.bodies.at(0);
  EXPECT_EQ(ball.modulus, 2e6);
  EXPECT_EQ(ball.dissipation, 0.5);
  EXPECT_EQ(ball.friction, 0.25);
  EXPECT_TRUE(ball.fixed);
  EXPECT_EQ(ball.pose, (std::array<double, 7>{1, 2, 3, 0, 1, 0, 0}));
  EXPECT_EQ(ball.velocity, (std::array<double, 6>{4, 5, 6, 7, 8, 9}));
}

TEST(SceneFile, ReadsBothFormsOfAPair) {
  const SceneDescription plain = parse(scene_text("", R"(, "pairs": [["ground", "ball"]])"));
  ASSERT_EQ(plain.pairs->size(), 1u);
  EXPECT_EQ((*plain.pairs)[0].a, 1);
  EXPECT_EQ((*plain.pairs)[0].b, 0);
  EXPECT_FALSE((*plain.pairs)[0].friction);

  const SceneDescription own = parse(scene_text("", R"(, "pairs": [{"bodies": ["ball", "ground"], "friction": 0.3}])"));
  EXPECT_EQ(own.pairs->at(0).friction, 0.3);
  EXPECT_FALSE(own.pairs->at(0).dissipation);
}

TEST(SceneFile, PairsLeftOutMeansAllPairsAndAnEmptyListNone) {
  EXPECT_EQ(parse(scene_text()).pairs->size(), 1u);
  EXPECT_EQ(parse(scene_text("", R"(, "pairs": [])")).pairs->size(), 0u);
}

// Three bodies, of which `a` and `wall` are fixed: two default pairs, a and b, b and wall.
std::string scene_of_three(const std::string& rest) {
  return R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
             "ground": {"type": "half_space"}},
             "bodies": [{"name": "a", "geometry": "ball", "fixed": true}, {"name": "b", "geometry": "ball"},
                        {"name": "wall", "geometry": "ground", "fixed": true}])" +
         rest + "}";
}

TEST(SceneFile, TakesExcludedPairsOutOfTheDefaultOnes) {
  const auto pairs = [](const std::string& list) {
    std::vector<std::pair<int, int>> found;
    const SceneDescription scene = parse(scene_of_three(R"(, "exclude": )" + list));
    for (const Pair& pair : *scene.pairs) found.emplace_back(pair.a, pair.b);
    return found;
  };
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(pairs("[]"), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(pairs(R"([["a", "b"]])"), (Pairs{{1, 2}}));
  EXPECT_EQ(pairs(R"([["wall", "b"]])"), (Pairs{{0, 1}})) << "the order of the names does not count";
  EXPECT_EQ(pairs(R"([["a", "wall"]])"), (Pairs{{0, 1}, {1, 2}})) << "both are fixed: no default pair";
  EXPECT_EQ(pairs(R"([["a", "b"], ["b", "wall"]])"), Pairs());
}

TEST(SceneFile, WithAllPairsExcludedIsAScene) {
  EXPECT_EQ(Scene(parse(scene_text("", R"(, "exclude": [["ball", "ground"]])"))).num_pairs(), 0);
}

TEST(SceneFile, ReadsTheContactLaw) {
  const SceneDescription scene = parse(scene_text("", R"(, "contact": {"dissipation_model": "pfc", "quadrature": "fan6",
                                                          "slip_tolerance": 1e-3, "gradient_filter": true})"));
  EXPECT_EQ(scene.contact.dissipation_model, DissipationModel::kPfc);
  EXPECT_EQ(scene.contact.quadrature, Quadrature::kFan6);
  EXPECT_EQ(scene.contact.slip_tolerance, 1e-3);
  EXPECT_TRUE(scene.contact.gradient_filter);
}

TEST(SceneFile, KeepsTheOrderOfGeometriesBecauseIndicesCountOnIt) {
  const SceneDescription scene = parse(R"({"isopatch": 1, "geometries": {"z": {"type": "half_space"},
    "a": {"type": "sphere", "radius": 1, "subdivisions": 0}}, "bodies": [{"name": "a", "geometry": "a"}]})");
  EXPECT_EQ(scene.geometries.at(0).name, "z");
  EXPECT_EQ(scene.bodies.at(0).geometry, 1);
}

TEST(SceneFile, NamesTheSourceThePathAndTheFieldMeant) {
  EXPECT_EQ(error_of(scene_text(R"(, "frction": 1)")),
            R"(test.json: bodies[0].frction: unknown field; did you mean "friction"?)");
  EXPECT_EQ(error_of(scene_text(R"(, "rigid": 1)")), "test.json: bodies[0].rigid: must be true or false, found 1");
  EXPECT_EQ(error_of(scene_text("", R"(, "contact": {"quadrature": "fan4"})")),
            R"(test.json: contact.quadrature: unknown value "fan4"; did you mean "fan3"?)");
}

// What a Scene or an evaluation would not take is an error of the file.
TEST(SceneFile, RefusesNumbersBeyondTheLimits) {
  const auto body = [](const std::string& field) { return error_of(scene_text(", " + field)); };
  EXPECT_EQ(body(R"("modulus": 1e31)"), "test.json: bodies[0].modulus: is 1e+31 Pa; it must be in [0.001, 1e+18]");
  EXPECT_EQ(body(R"("modulus": 1e-4)"), "test.json: bodies[0].modulus: is 0.0001 Pa; it must be in [0.001, 1e+18]");
  EXPECT_EQ(body(R"("friction": 1e31)"), "test.json: bodies[0].friction: is 1e+31; it must be in [0, 10000]");
  EXPECT_EQ(body(R"("dissipation": 1e18)"), "test.json: bodies[0].dissipation: is 1e+18; it must be in [0, 1000000]");
  EXPECT_EQ(body(R"("position": [0, -1e13, 0])"),
            "test.json: bodies[0].position[1]: is -10000000000000 m; it must be in [-1000000000000, 1000000000000]");
  EXPECT_EQ(body(R"("linear_velocity": [2e9, 0, 0])"),
            "test.json: bodies[0].linear_velocity[0]: is 2000000000 m/s; it must be in [-1000000000, 1000000000]");
  EXPECT_EQ(body(R"("angular_velocity": [0, 0, 2e6])"),
            "test.json: bodies[0].angular_velocity[2]: is 2000000 rad/s; it must be in [-1000000, 1000000]");
  EXPECT_EQ(error_of(scene_text("", R"(, "pairs": [{"bodies": ["ball", "ground"], "friction": 1e300}])")),
            "test.json: pairs[0].friction: is 1e+300; it must be in [0, 10000]");
  EXPECT_EQ(error_of(scene_text("", R"(, "contact": {"slip_tolerance": 1e-30})")),
            "test.json: contact.slip_tolerance: is 1e-30 m/s; it must be in [1e-12, 1000000]");
}

TEST(SceneFile, TakesNumbersAtTheLimits) {
  const SceneDescription scene = parse(scene_text(
      R"(, "modulus": 1e18, "dissipation": 1e6, "friction": 1e4, "position": [1e12, -1e12, 0],
         "linear_velocity": [1e9, 0, 0], "angular_velocity": [0, 1e6, 0])",
      R"(, "contact": {"slip_tolerance": 1e-12})"));
  EXPECT_NO_THROW(Scene{scene});
}

TEST(SceneFile, NamesTheMeshAndItsPlaceInTheScene) {
  const std::string error = error_of(R"({"isopatch": 1, "geometries": {"m": {"type": "tet_mesh", "file": "none.vtk"}},
                                         "bodies": [{"name": "m", "geometry": "m"}]})");
  EXPECT_NE(error.find("test.json: geometries.m: "), std::string::npos) << error;
  EXPECT_NE(error.find("none.vtk: no such file"), std::string::npos) << error;
}

TEST(SceneFile, SurvivesDeepNesting) {
  for (const char* open : {"[", R"({"a":)"}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += open;
    EXPECT_NE(error_of(text).find("nested more than 32 levels deep"), std::string::npos);
  }
}

TEST(SceneFile, RefusesEveryBrokenSceneForTheRightReason) {
  const std::string directory = kSource + "/tests/broken/scenes/";
  std::ifstream manifest(directory + "manifest.json");
  const auto cases = nlohmann::json::parse(manifest);
  ASSERT_GE(cases.size(), 20u);
  for (const auto& [file, expected] : cases.items()) {
    try {
      read_scene(directory + file);
      ADD_FAILURE() << file << " was accepted";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind(directory + file + ": ", 0), 0u) << message;
      EXPECT_NE(message.find(expected.get<std::string>()), std::string::npos) << file << ": " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

TEST(SceneFile, RefusesWhatIsNoFile) {
  EXPECT_THROW(read_scene("no_such_scene.json"), Error);
  EXPECT_THROW(read_scene("/dev/zero"), Error);
  EXPECT_THROW(read_scene(kSource), Error);
}

TEST(SceneFile, ReadsTheShippedScenes) {
  for (const char* file :
       {"/bench/scenes/sphere_on_box.json", "/bench/scenes/box_on_box.json", "/bench/scenes/box_stack.json",
        "/bench/scenes/gripper.json", "/bench/scenes/nut_on_bolt.json", "/bench/scenes/bouncing_ball.json",
        "/bench/scenes/incline.json", "/bench/scenes/pinch.json", "/bench/scenes/lift.json",
        "/bench/scenes/stack_of_ten.json", "/bench/scenes/nut_spinning.json", "/bench/scenes/coin.json",
        "/bench/scenes/spoon.json", "/tests/scenes/oracle6.json", "/tests/scenes/oracle8.json",
        "/tests/scenes/oracle9.json"})
    EXPECT_GE(read_scene(kSource + file).pairs->size(), 1u) << file;
}

TEST(SceneFile, ReadsASceneWithMeshesOfAnotherFolder) {
  if (!have_data_file("evo_bowl_coarse3k.vtk")) GTEST_SKIP() << missing_data_file("evo_bowl_coarse3k.vtk");
  const std::string file = kSource + "/bench/scenes/pepper_drop.json";
  EXPECT_EQ(Scene(read_scene(file, data_folder())).num_pairs(), 3);
  EXPECT_THROW(read_scene(file), Error);
}

}  // namespace
}  // namespace isopatch
