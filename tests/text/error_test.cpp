// SPDX-License-Identifier: Apache-2.0
#include "isopatch/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <string>
#include <type_traits>

#include "host/text/throw_error.h"
#include "isopatch/isopatch.h"
#include "tests/support/message_check.h"

namespace isopatch {
namespace {

const std::string kBallOnGround =
    R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
        "ground": {"type": "half_space"}},
        "bodies": [{"name": "ball", "geometry": "ball"BODY}, {"name": "ground", "geometry": "ground", "rigid": true}]})";

Scene ball_on_ground() {
  std::string text = kBallOnGround;
  return Scene(parse_scene(text.replace(text.find("BODY"), 4, ""), ".", "scene.json"));
}

/// The error of a scene's text with these fields in its first body.
std::function<void()> reading(const std::string& fields) {
  return [fields] {
    std::string text = kBallOnGround;
    parse_scene(text.replace(text.find("BODY"), 4, ", " + fields), ".", "scene.json");
  };
}

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(testing::message_problem(error.what()), "");
    return error;
  }
  return Error("no error", ErrorKind::kMemory);
}

void expect_parts(const Error& error, ErrorKind kind, const std::string& where, const std::string& found,
                  const std::string& wanted) {
  EXPECT_EQ(error.kind(), kind) << error.what();
  EXPECT_EQ(error.parts().where, where) << error.what();
  EXPECT_EQ(error.parts().found, found) << error.what();
  EXPECT_EQ(error.parts().wanted, wanted) << error.what();
}

TEST(Error, OfAMessageAloneIsAboutInput) {
  expect_parts(Error("wrong"), ErrorKind::kInput, "", "", "");
  static_assert(std::is_nothrow_copy_constructible_v<Error>);
}

TEST(Error, PartsArePrintableAndNotTooLong) {
  const Error error("x", ErrorKind::kFile, {.where = "a\nb", .found = std::string(3000, 'x'), .code = 7});
  EXPECT_EQ(error.parts().where, "a\\nb");
  EXPECT_EQ(error.parts().found.size(), 1000u);
  EXPECT_EQ(error.parts().code, 7);
}

TEST(Error, OfASceneFileHasThePathTheValueAndWhatWouldBeRight) {
  const ErrorKind input = ErrorKind::kInput;
  expect_parts(error_of(reading(R"("friction": "x")")), input, "scene.json: bodies[0].friction", "\"x\"", "a number");
  expect_parts(error_of(reading(R"("friction": -1)")), input, "scene.json: bodies[0].friction", "-1", "in [0, 10000]");
  expect_parts(
      error_of(reading(R"("color": 1)")), input, "scene.json: bodies[0].color", "\"color\"",
      "one of \"name\", \"geometry\", \"offset\", \"alternatives\", \"geometries\", \"modulus\", "
      "\"dissipation\", \"friction\", \"foundation_depth\", \"rigid\", \"one_sided\", \"fixed\", \"position\", "
      "\"orientation\", \"linear_velocity\", \"angular_velocity\", \"mass\", \"density\", \"center_of_mass\", "
      "\"inertia\", \"motion\"");
  expect_parts(error_of(reading(R"("motion": "fre")")), input, "scene.json: bodies[0].motion", "\"fre\"",
               "one of \"free\", \"prescribed\", \"prismatic\", \"revolute\", \"planar\"");
  expect_parts(error_of([] { parse_scene("{}", ".", "scene.json"); }), input, "scene.json", "", "a field \"isopatch\"");
  EXPECT_EQ(error_of([] { parse_scene("{\n x", ".", "scene.json"); }).parts().where, "scene.json");
}

TEST(Error, OfASceneNamesTheObjectAndItsValue) {
  SceneDescription description = ball_on_ground().description();
  description.bodies[0].friction = 1e5;
  expect_parts(error_of([&] { Scene{description}; }), ErrorKind::kInput, "scene: body 'ball': friction", "100000",
               "in [0, 10000]");
}

TEST(Error, OfACallNamesTheArgument) {
  const Evaluator evaluator(ball_on_ground());
  const ErrorKind input = ErrorKind::kInput;
  const StateArrays states(evaluator.scene().description(), 2);
  const auto evaluating = [&](const std::function<void(State&, Results&)>& change) {
    return error_of([&] {
      State state = states.view();
      Results results;
      change(state, results);
      evaluator.evaluate(state, results);
    });
  };
  expect_parts(evaluating([](State& state, Results&) { state.poses.data = nullptr; }), input, "evaluate: state.poses",
               "null", "poses are required");
  expect_parts(evaluating([](State& state, Results&) { state.num_environments = -3; }), input,
               "evaluate: state.num_environments", "-3", "it must not be negative");
  expect_parts(evaluating([](State& state, Results&) { state.poses.stride = 13; }), input, "evaluate: state.poses",
               "a stride of 13 elements", "a stride of at least 14, and 0 repeats one row");
  expect_parts(evaluating([](State& state, Results&) { state.poses.type = static_cast<ScalarType>(9); }), input,
               "evaluate: state.poses", "type 9", "one of ScalarType");
  expect_parts(error_of([] { Evaluator(ball_on_ground(), {.num_threads = -1}); }), input, "evaluator: num_threads",
               "-1", "give 0 for all cores, or a positive number");
}

TEST(Error, OfAFileHasItsPathAndErrno) {
  const Error missing = error_of([] { read_scene("/no/such/scene.json"); });
  expect_parts(missing, ErrorKind::kFile, "/no/such/scene.json", "no such file", "");
  EXPECT_EQ(missing.parts().code, ENOENT);

  const Error folder = error_of([] { read_scene("/"); });
  EXPECT_EQ(folder.kind(), ErrorKind::kFile);
  EXPECT_EQ(folder.parts().code, EISDIR);

  const Error unwritable = error_of([] { write_vtk(make_box_mesh({1, 1, 1}), "/no/such/folder/box.vtk"); });
  EXPECT_EQ(unwritable.kind(), ErrorKind::kFile);
  EXPECT_EQ(unwritable.parts().where, "/no/such/folder/box.vtk");
  EXPECT_EQ(unwritable.parts().code, ENOENT);
}

TEST(Error, OfAMeshThatASceneNamesKeepsTheMeshsPath) {
  const Error error = error_of([] {
    parse_scene(R"({"isopatch": 1, "geometries": {"a": {"type": "tet_mesh", "file": "none.vtk"}}, "bodies": []})",
                "/no", "scene.json");
  });
  EXPECT_EQ(error.kind(), ErrorKind::kFile);
  EXPECT_EQ(error.parts().where, "/no/none.vtk");
  EXPECT_STREQ(error.what(), "scene.json: geometries.a: /no/none.vtk: no such file");
}

TEST(Error, WithoutADeviceIsAboutTheDevice) {
  if (cuda_available()) GTEST_SKIP() << "there is a CUDA device";
  EXPECT_EQ(error_of([] { Evaluator(ball_on_ground(), {.backend = Backend::kCuda}); }).kind(), ErrorKind::kDevice);
}

TEST(Error, PlacesGoBeforeTheMessageAndBeforeWhereItIs) {
  const Error inner("row 3: is 7", ErrorKind::kMemory, {.where = "row 3", .found = "7"});
  const Error outer = detail::with_location("body 'a': path ", inner);
  EXPECT_STREQ(outer.what(), "body 'a': path row 3: is 7");
  expect_parts(outer, ErrorKind::kMemory, "body 'a': path row 3", "7", "");
  EXPECT_EQ(detail::with_location("body 'a': path: ", Error("is 7")).parts().where, "body 'a': path");
}

}  // namespace
}  // namespace isopatch
