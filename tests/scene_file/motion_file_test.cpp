// SPDX-License-Identifier: Apache-2.0
//
// Masses, motions and rollout options of scene files.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "isopatch/error.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch {
namespace {

// A fixed base, a prescribed hand, a free ball with `ball` as further fields, and the ground with `ground`.
std::string scene_text(const std::string& ball, const std::string& ground = R"(, "fixed": true)",
                       const std::string& rest = "") {
  return R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
             "ground": {"type": "half_space"}},
             "bodies": [{"name": "base", "geometry": "ball", "fixed": true},
                        {"name": "ball", "geometry": "ball")" +
         ball + R"(}, {"name": "hand", "geometry": "ball", "motion": "prescribed"},
                        {"name": "arm", "geometry": "ball", "motion": {"type": "prismatic", "axis": [1, 0, 0]}},
                        {"name": "ground", "geometry": "ground", "rigid": true)" +
         ground + "}]" + rest + "}";
}

SceneDescription parse(const std::string& text) { return parse_scene(text, ".", "test.json"); }

/// The ball with these further fields; all of it is a Scene too.
Body ball_with(const std::string& fields) {
  SceneDescription scene = parse(scene_text(", " + fields));
  EXPECT_NO_THROW(Scene{scene}) << fields;
  return scene.bodies.at(1);
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The error of the ball with these further fields.
void expect_error(const std::string& fields, const std::string& expected) {
  EXPECT_EQ(error_of(scene_text(", " + fields)), "test.json: bodies[1]" + expected) << fields;
}

using Rows = std::vector<std::pair<double, double>>;

Rows rows_of(const std::vector<TimedValue>& values) {
  Rows rows;
  for (const TimedValue& row : values) rows.emplace_back(row.time, row.value);
  return rows;
}

// --- masses

TEST(MotionInFiles, LeavesDefaultsWhereTheFileSaysNothing) {
  const Body ball = ball_with(R"("friction": 0)");
  EXPECT_FALSE(ball.mass || ball.density || ball.center_of_mass || ball.inertia);
  EXPECT_EQ(ball.motion.type, MotionType::kFree);
}

TEST(MotionInFiles, ReadsMasses) {
  const Body ball = ball_with(R"("mass": 0.2, "center_of_mass": [1, 2, 3], "inertia": [4, 5, 6, -0.1, 0.2, 0.3])");
  EXPECT_EQ(ball.mass, 0.2);
  EXPECT_EQ(ball.center_of_mass, (Point3{1, 2, 3}));
  EXPECT_EQ(ball.inertia, (std::array<double, 6>{4, 5, 6, -0.1, 0.2, 0.3}));
  EXPECT_EQ(ball_with(R"("density": 7850)").density, 7850);
}

TEST(MotionInFiles, RefusesMasses) {
  expect_error(R"("mass": 1, "density": 1000)", R"(: has "mass" and "density"; give one)");
  expect_error(R"("mass": 0)", ".mass: is 0 kg; it must be in [1e-30, 1e+36]");
  expect_error(R"("mass": -2)", ".mass: is -2 kg; it must be in [1e-30, 1e+36]");
  expect_error(R"("mass": "1 kg")", R"(.mass: must be a number, found "1 kg")");
  expect_error(R"("density": 0)", ".density: is 0 kg/m^3; it must be in [1e-06, 1000000000]");
  expect_error(R"("density": -1000)", ".density: is -1000 kg/m^3; it must be in [1e-06, 1000000000]");
  expect_error(R"("center_of_mass": [0, 0])", ".center_of_mass: must be an array of 3 numbers, found an array of 2");
  expect_error(R"("center_of_mass": [0, 2e9, 0])",
               ".center_of_mass[1]: is 2000000000 m; it must be in [-1000000000, 1000000000]");
  expect_error(R"("inertia": [1, 1, 1])", ".inertia: must be an array of 6 numbers, found an array of 3");
  expect_error(R"("inertia": [1, -1, 1, 0, 0, 0])",
               ".inertia: has the principal moments -1, 1 and 1 kg m^2; all three must be positive");
  expect_error(R"("inertia": [1, 1, 3, 0, 0, 0])",
               ".inertia: has the principal moments 1, 1 and 3 kg m^2; none can be above the sum of the others");
}

// --- motions

TEST(MotionInFiles, ReadsFreeAndPrescribedBodies) {
  EXPECT_EQ(ball_with(R"("motion": "free")").motion.type, MotionType::kFree);
  EXPECT_EQ(ball_with(R"("motion": {"type": "free"}, "linear_velocity": [1, 0, 0])").motion.type, MotionType::kFree);
  for (const char* text : {R"("motion": "prescribed", "angular_velocity": [0, 0, 1])",
                           R"("motion": {"type": "prescribed"}, "angular_velocity": [0, 0, 1])"}) {
    const Body ball = ball_with(text);
    EXPECT_EQ(ball.motion.type, MotionType::kPrescribed);
    EXPECT_TRUE(ball.motion.path.times.empty());
    EXPECT_EQ(ball.velocity[5], 1);
  }
}

TEST(MotionInFiles, ReadsPaths) {
  const Body ball = ball_with(R"("position": [0, 0, 0.2], "motion": {"type": "prescribed", "times": [0, 0.5],
                                 "poses": [[0, 0, 0.2, 1, 0, 0, 0], [0, 0, 0.3, 0, 1, 0, 0]]})");
  EXPECT_EQ(ball.motion.path.times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(ball.motion.path.poses.at(1), (std::array<double, 7>{0, 0, 0.3, 0, 1, 0, 0}));
}

TEST(MotionInFiles, LeavesDefaultsOfJoints) {
  const Motion motion = ball_with(R"("motion": {"type": "prismatic", "axis": [0, 0, 2]})").motion;
  EXPECT_EQ(motion.type, MotionType::kPrismatic);
  EXPECT_EQ(motion.axis, (std::array<double, 3>{0, 0, 2}));
  EXPECT_FALSE(motion.parent || motion.anchor || motion.drive.force_limit);
  EXPECT_EQ(motion.position, 0);
  EXPECT_EQ(motion.velocity, 0);
  EXPECT_TRUE(motion.drive.force.empty() && motion.drive.target.empty());
  EXPECT_EQ(motion.drive.stiffness, 0);
  EXPECT_EQ(motion.drive.damping, 0);
}

TEST(MotionInFiles, ReadsEveryFieldOfAJoint) {
  const Motion motion = ball_with(R"("motion": {"type": "revolute", "parent": "hand", "axis": [0, 1, 0],
      "anchor": [1, 2, 3], "position": -0.5, "velocity": 0.25, "force": [[0, 16], [4.5, 1], [6, 16]],
      "stiffness": 100, "damping": 2, "target": [[0, 0], [0.2, 0.3]], "force_limit": 50})")
                            .motion;
  EXPECT_EQ(motion.type, MotionType::kRevolute);
  EXPECT_EQ(motion.parent, 2) << "a body further down in the file";
  EXPECT_EQ(motion.anchor, (Point3{1, 2, 3}));
  EXPECT_EQ(motion.position, -0.5);
  EXPECT_EQ(motion.velocity, 0.25);
  EXPECT_EQ(rows_of(motion.drive.force), (Rows{{0, 16}, {4.5, 1}, {6, 16}}));
  EXPECT_EQ(rows_of(motion.drive.target), (Rows{{0, 0}, {0.2, 0.3}}));
  EXPECT_EQ(motion.drive.stiffness, 100);
  EXPECT_EQ(motion.drive.damping, 2);
  EXPECT_EQ(motion.drive.force_limit, 50);
}

TEST(MotionInFiles, ReadsWhatElseAJointHas) {
  const Motion motion = ball_with(R"("motion": {"type": "prismatic", "axis": [0, 1, 0], "lower": -0.5, "upper": 0.25,
      "bounce": 0.75, "joint_friction": 3, "joint_damping": 4, "armature": 5})")
                            .motion;
  EXPECT_EQ(motion.lower, -0.5);
  EXPECT_EQ(motion.upper, 0.25);
  EXPECT_EQ(motion.bounce, 0.75);
  EXPECT_EQ(motion.friction, 3);
  EXPECT_EQ(motion.damping, 4);
  EXPECT_EQ(motion.armature, 5);
  const Motion follower =
      ball_with(R"("motion": {"type": "prismatic", "axis": [0, 1, 0], "mimic": {"body": "arm", "ratio": -2}})").motion;
  ASSERT_TRUE(follower.mimic.has_value());
  EXPECT_EQ(follower.mimic->ratio, -2);
  EXPECT_EQ(follower.mimic->offset, 0);
}

TEST(MotionInFiles, NotesTheOldNameOfAForceLimit) {
  const SceneDescription scene =
      parse(scene_text(R"(, "motion": {"type": "prismatic", "axis": [0, 1, 0], "limit": 50})"));
  EXPECT_EQ(scene.notes, std::vector<std::string>{"body 'ball': motion: \"limit\" is now called \"force_limit\""});
  const std::vector<std::string> warnings = warnings_of(Scene(scene));
  EXPECT_NE(std::find(warnings.begin(), warnings.end(), scene.notes[0]), warnings.end());
}

TEST(MotionInFiles, ReadsNumbersAsOneRow) {
  const Motion motion =
      ball_with(R"("motion": {"type": "prismatic", "axis": [1, 0, 0], "force": -3, "target": 0.1})").motion;
  EXPECT_EQ(rows_of(motion.drive.force), (Rows{{0, -3}}));
  EXPECT_EQ(rows_of(motion.drive.target), (Rows{{0, 0.1}}));
}

TEST(MotionInFiles, LeavesAJointsBodyAndItsParentOutOfTheDefaultPairs) {
  const auto has_pair = [](const std::string& rest) {
    const std::string joint = R"(, "motion": {"type": "prismatic", "parent": "base", "axis": [1, 0, 0]})";
    const SceneDescription scene = parse(scene_text(joint, R"(, "fixed": true)", rest));
    for (const Pair& pair : *scene.pairs) {
      if (pair.a == 0 && pair.b == 1) return true;
    }
    return false;
  };
  EXPECT_FALSE(has_pair(""));
  EXPECT_FALSE(has_pair(R"(, "exclude": [["hand", "ground"]])"));
  EXPECT_TRUE(has_pair(R"(, "pairs": [["base", "ball"]])"));
}

TEST(MotionInFiles, RefusesUnknownMotions) {
  expect_error(R"("motion": "prescribd")", R"(.motion: unknown value "prescribd"; did you mean "prescribed"?)");
  expect_error(
      R"("motion": {"type": "hinge", "axis": [0, 0, 1]})",
      R"(.motion.type: unknown value "hinge"; known: "free", "prescribed", "prismatic", "revolute", "planar")");
  expect_error(R"("motion": "fixed")",
               R"(.motion: is not said here; instead of "motion", give the body "fixed": true)");
  expect_error(R"("motion": "revolute")",
               R"(.motion: a revolute joint needs an axis; write {"type": "revolute", "axis": [x, y, z], ...})");
  expect_error(R"("motion": {"axis": [0, 0, 1]})", R"(.motion: missing field "type")");
  expect_error(R"("motion": 6)", ".motion: must be an object, found 6");
  expect_error(R"("motion": {"type": "prismatic", "axis": [0, 0, 1], "stifness": 1})",
               R"(.motion.stifness: unknown field; did you mean "stiffness"?)");
  expect_error(R"("motion": {"type": "prescribed", "axis": [0, 0, 1]})",
               R"(.motion.axis: unknown field; known: "type", "times", "poses")");
  expect_error(R"("motion": {"type": "free", "times": [0]})", R"(.motion.times: unknown field; known: "type")");
}

TEST(MotionInFiles, RefusesWhatExcludesAMotion) {
  const std::string joint = R"("motion": {"type": "prismatic", "axis": [0, 0, 1]})";
  expect_error(R"("fixed": true, "motion": "free")", R"(: has "fixed" and "motion"; give one)");
  expect_error(R"("fixed": false, "motion": "free")", R"(: has "fixed" and "motion"; give one)");
  expect_error(R"("linear_velocity": [0, 0, 0], )" + joint,
               R"(.linear_velocity: a joint moves the body; leave it out, and give "velocity" in "motion")");
  expect_error(R"("angular_velocity": [0, 0, 1], )" + joint,
               R"(.angular_velocity: a joint moves the body; leave it out, and give "velocity" in "motion")");
  expect_error(R"("linear_velocity": [0, 0, 0], "motion": {"type": "prescribed", "times": [0],
                  "poses": [[0, 0, 0, 1, 0, 0, 0]]})",
               ".linear_velocity: the path moves the body; leave it out");
}

TEST(MotionInFiles, RefusesJoints) {
  const auto expect_bad = [](const std::string& fields, const std::string& expected) {
    expect_error(R"("motion": {"type": "prismatic", )" + fields + "}", ".motion" + expected);
  };
  const std::string axis = R"("axis": [0, 0, 1], )";
  expect_bad(R"("parent": "base")", R"(: missing field "axis")");
  expect_bad(R"("axis": [0, 0, 0])",
             ".axis: is [0, 0, 0], of length 0; it must be a direction, of a length in [1e-06, 1000000]");
  expect_bad(axis + R"("anchor": [0, 0, 0])", ".anchor: a prismatic joint needs no anchor; leave it out");
  expect_bad(axis + R"("parent": "hnad")", R"(.parent: no body is named "hnad"; did you mean "hand"?)");
  expect_bad(axis + R"("parent": 2)", ".parent: must be a string, found 2");
  expect_bad(axis + R"("parent": "ball")",
             ".parent: is the body itself; a joint needs another body, or none for the world");
  expect_bad(axis + R"("force": [[0, 1], [0, 2]])", ".force: row 1: time is 0 s after 0 s; times must increase");
  expect_bad(axis + R"("force": [[0, 1], [1, 2e30]])",
             ".force: row 1: value is 2e+30 N; it must be in [-1e+30, 1e+30]");
  expect_bad(axis + R"("force": [])", ".force: must be a number or at least one row [time, value], found no rows");
  expect_bad(axis + R"("force": [0, 1])", ".force[0]: must be an array of 2 numbers, found 0");
  expect_bad(axis + R"("force": "1 N")", R"(.force: must be a number, found "1 N")");
  expect_bad(axis + R"("target": [[1, 0], [0, 1]])", ".target: row 1: time is 0 s after 1 s; times must increase");
  expect_bad(axis + R"("stiffness": -1)", ".stiffness: is -1 N/m; it must be in [0, 1e+30]");
  expect_bad(axis + R"("damping": -1)", ".damping: is -1 N s/m; it must be in [0, 1e+30]");
  expect_bad(axis + R"("force_limit": 0)", ".force_limit: is 0 N; it must be in [1e-30, 1e+30]");
  expect_bad(axis + R"("force_limit": -5)", ".force_limit: is -5 N; it must be in [1e-30, 1e+30]");
  expect_bad(axis + R"("force_limit": 5, "limit": 5)", R"(: has "limit" and "force_limit"; give one)");
  expect_bad(axis + R"("lower": 0.1, "upper": -0.1)", ".upper: is -0.1, not above the lower one, 0.1");
  expect_bad(axis + R"("position": 0.5, "upper": 0.1)",
             ": position is 0.5, beyond the upper stop, 0.1; a joint begins between its stops");
  expect_bad(axis + R"("lower": 0.1)", ": position is 0, beyond the lower stop, 0.1; a joint begins between its stops");
  expect_bad(axis + R"("lower": "low")", R"(.lower: must be a number, found "low")");
  expect_bad(axis + R"("bounce": 1.5)", ".bounce: is 1.5; it must be in [0, 1]");
  expect_bad(axis + R"("joint_friction": -1)", ".joint_friction: is -1 N; it must be in [0, 1e+30]");
  expect_bad(axis + R"("joint_damping": -1)", ".joint_damping: is -1 N s/m; it must be in [0, 1e+30]");
  expect_bad(axis + R"("mimic": {"ratio": 2})", R"(.mimic: missing field "body")");
  expect_bad(axis + R"("mimic": {"body": "ball"})",
             ".mimic.body: is the body itself; a joint mimics that of another body");
  expect_bad(axis + R"("mimic": {"body": "ball", "ratio": 0})",
             ".mimic: ratio is 0; a joint that mimics another has one of at least 1e-06, of either sign");
  expect_bad(axis + R"("mimic": {"body": "ball"}, "force": 1)",
             R"(.force: the joint follows that of "mimic"; leave it out)");
  expect_bad(axis + R"("position": 2e12)",
             ".position: is 2000000000000 m; it must be in [-1000000000000, 1000000000000]");
  expect_bad(axis + R"("velocity": 2e9)", ".velocity: is 2000000000 m/s; it must be in [-1000000000, 1000000000]");
  expect_error(R"("motion": {"type": "revolute", "axis": [0, 0, 1]})", R"(.motion: missing field "anchor")");
  expect_error(R"("motion": {"type": "revolute", "axis": [0, 0, 1], "anchor": [0, 0, 0], "position": 2e6})",
               ".motion.position: is 2000000 rad; it must be in [-1000000, 1000000]");
}

TEST(MotionInFiles, RefusesParentsInACircle) {
  const std::string text = scene_text(
      R"(, "motion": {"type": "prismatic", "axis": [0, 0, 1], "parent": "lid"})",
      R"(, "fixed": true}, {"name": "lid", "geometry": "ball", "motion": {"type": "prismatic", "axis": [1, 0, 0],
             "parent": "ball"})");
  EXPECT_NE(error_of(text).find("bodies[5].motion.parent: 'ball' is carried by this body itself; the parent of a joint "
                                "must be one that it does not carry"),
            std::string::npos)
      << error_of(text);
}

TEST(MotionInFiles, RefusesPaths) {
  const auto expect_bad = [](const std::string& times, const std::string& poses, const std::string& expected) {
    expect_error(R"("motion": {"type": "prescribed", "times": )" + times + R"(, "poses": )" + poses + "}",
                 ".motion" + expected);
  };
  const std::string here = "[0, 0, 0, 1, 0, 0, 0]", there = "[0, 0, 1, 1, 0, 0, 0]";
  expect_error(R"("motion": {"type": "prescribed", "times": [0]})", R"(.motion: missing field "poses")");
  expect_error(R"("motion": {"type": "prescribed", "poses": []})", R"(.motion: missing field "times")");
  expect_bad("[]", "[]", ".times: must have at least one time, found none");
  expect_bad("[0, 1]", "[" + here + "]", ".poses: 1 poses at 2 times; each time needs one pose");
  expect_bad("[0, 0]", "[" + here + "," + there + "]", ".times: row 1: time is 0 s after 0 s; times must increase");
  expect_bad("[0.5, 1]", "[" + here + "," + there + "]",
             ".times: row 0: time is 0.5 s; a path begins at time 0 or before");
  expect_bad("[0]", "[[0, 0, 0]]", ".poses[0]: must be an array of 7 numbers, found an array of 3");
  expect_bad(
      "[0]", "[[0, 0, 0, 0, 0, 0, 0]]",
      ".poses: row 0: orientation: a quaternion [w, x, y, z] of norm 0 cannot be normalised; the norm must be in "
      "[1e-06, 1000000]");
  expect_bad("[0]", "[" + there + "]",
             ".poses: is at time 0 1 m and 0 rad away from the body's pose; both must be the same pose");
  expect_bad("[0]", "[[0, 0, 0, 0, 1, 0, 0]]",
             ".poses: is at time 0 0 m and 3.14 rad away from the body's pose; both must be the same pose");
}

TEST(MotionInFiles, RefusesHalfSpacesThatYield) {
  const auto error = [](const std::string& ground) { return error_of(scene_text("", ", " + ground)); };
  EXPECT_EQ(error(R"("motion": "free")"),
            "test.json: bodies[4].motion: a half space cannot be a free body; make it fixed or prescribed");
  EXPECT_EQ(error(R"("motion": {"type": "prismatic", "axis": [0, 0, 1]})"),
            "test.json: bodies[4].motion: a half space cannot be a prismatic joint; make it fixed or prescribed");
  EXPECT_EQ(error(R"("motion": "prescribed")"), "no error");
  EXPECT_EQ(error(R"("friction": 1)"), "no error") << "scenes that are only evaluated say nothing";
  const std::string parts = R"({"isopatch": 1, "geometries": {"ball": {"type": "sphere", "radius": 0.05,
      "subdivisions": 0}, "ground": {"type": "half_space"}}, "bodies": [{"name": "both", "motion": "free",
      "geometries": [{"geometry": "ball"}, {"geometry": "ground"}]}]})";
  EXPECT_EQ(error_of(parts),
            "test.json: bodies[0].motion: a half space cannot be a free body; make it fixed or prescribed");
}

// --- options

RolloutOptions options_of(const std::string& fields) {
  return parse(scene_text("", R"(, "fixed": true)", R"(, "rollout": {)" + fields + "}")).rollout;
}

TEST(RolloutInFiles, LeavesDefaults) {
  const RolloutOptions options = options_of("");
  EXPECT_EQ(options.time_step, 1e-3);
  EXPECT_EQ(options.duration, 1);
  EXPECT_EQ(options.integrator, Integrator::kMidpoint);
  EXPECT_EQ(options.points, ContactPoints::kMatched);
  EXPECT_EQ(options.gravity, (std::array<double, 3>{0, 0, -9.81}));
  EXPECT_EQ(options.tolerance, 1e-8);
  EXPECT_EQ(options.max_iterations, 40);
  EXPECT_FALSE(options.friction_passes);
  EXPECT_EQ(options.max_substeps, 8);
  EXPECT_EQ(options.polygon_capacity, 0);
  EXPECT_FALSE(options.variation.position || options.variation.angle || options.variation.speed);
}

TEST(RolloutInFiles, ReadsEveryField) {
  const RolloutOptions options = options_of(
      R"("time_step": 0.005, "duration": 6, "integrator": "sdirk2", "points": "centroid", "gravity": [0, 1, 2],
         "tolerance": 1e-10, "max_iterations": 100, "friction_passes": 1, "max_substeps": 5, "polygon_capacity": 512,
         "variation": {"position": 0.01, "angle": 0.2, "speed": 0})");
  EXPECT_EQ(options.time_step, 0.005);
  EXPECT_EQ(options.duration, 6);
  EXPECT_EQ(options.integrator, Integrator::kSdirk2);
  EXPECT_EQ(options.points, ContactPoints::kCentroid);
  EXPECT_EQ(options.gravity, (std::array<double, 3>{0, 1, 2}));
  EXPECT_EQ(options.tolerance, 1e-10);
  EXPECT_EQ(options.max_iterations, 100);
  EXPECT_EQ(options.friction_passes, 1);
  EXPECT_EQ(options.max_substeps, 5);
  EXPECT_EQ(options.polygon_capacity, 512);
  EXPECT_EQ(options.variation.position, 0.01);
  EXPECT_EQ(options.variation.angle, 0.2);
  EXPECT_EQ(options.variation.speed, 0);
  EXPECT_EQ(options_of(R"("integrator": "sdirk2", "points": "fan6")").integrator, Integrator::kSdirk2);
  EXPECT_EQ(options_of(R"("integrator": "euler", "points": "fan6")").points, ContactPoints::kFan6);
  EXPECT_EQ(options_of(R"("integrator": "midpoint")").integrator, Integrator::kMidpoint);
  EXPECT_EQ(options_of(R"("points": "matched")").points, ContactPoints::kMatched);
}

TEST(RolloutInFiles, RefusesFields) {
  const auto expect_bad = [](const std::string& fields, const std::string& expected) {
    EXPECT_EQ(error_of(scene_text("", R"(, "fixed": true)", R"(, "rollout": {)" + fields + "}")),
              "test.json: rollout." + expected);
  };
  expect_bad(R"("time_step": 0)", "time_step: is 0 s; it must be in [1e-09, 1000000]");
  expect_bad(R"("time_step": -0.01)", "time_step: is -0.01 s; it must be in [1e-09, 1000000]");
  expect_bad(R"("duration": 0)", "duration: is 0 s; it must be in [1e-09, 1000000]");
  expect_bad(R"("integrator": "eular")", R"(integrator: unknown value "eular"; did you mean "euler"?)");
  expect_bad(R"("points": "fan3")", R"(points: unknown value "fan3"; did you mean "fan6"?)");
  expect_bad(R"("gravity": 9.81)", "gravity: must be an array of 3 numbers, found 9.81");
  expect_bad(R"("gravity": [0, 0, -1e10])",
             "gravity[2]: is -10000000000 m/s^2; it must be in [-1000000000, 1000000000]");
  expect_bad(R"("tolerance": 0)", "tolerance: is 0; it must be in [1e-15, 0.1]");
  expect_bad(R"("max_iterations": 0)", "max_iterations: must be an integer from 1 to 10000, found 0");
  expect_bad(R"("friction_passes": 1.5)", "friction_passes: must be an integer from 1 to 100, found 1.5");
  expect_bad(R"("max_substeps": 65)", "max_substeps: must be an integer from 1 to 64, found 65");
  expect_bad(R"("polygon_capacity": -1)", "polygon_capacity: must be an integer from 0 to 16777216, found -1");
  expect_bad(R"("variation": {"position": -1})", "variation.position: is -1 m; it must be in [0, 1000000000000]");
  expect_bad(R"("variation": {"speeds": 1})", R"(variation.speeds: unknown field; did you mean "speed"?)");
  expect_bad(R"("steps": 1)",
             R"(steps: unknown field; known: "time_step", "duration", "integrator", "points", "gravity", "tolerance", )"
             R"("max_iterations", "friction_passes", "max_substeps", "polygon_capacity", "geometry_iterations", )"
             R"("relation_capacity", "speed_limit", "variation")");
  expect_bad(R"("geometry_iterations": 33)", "geometry_iterations: must be an integer from 1 to 32, found 33");
  expect_bad(R"("geometry_iterations": 2.5)", "geometry_iterations: must be an integer from 1 to 32, found 2.5");
  expect_bad(R"("relation_capacity": -1)", "relation_capacity: must be an integer from 0 to 1048576, found -1");
}

}  // namespace
}  // namespace isopatch
