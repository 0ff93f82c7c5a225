// SPDX-License-Identifier: Apache-2.0
//
// Masses and motions of a Scene made in C++: what is refused, and which pairs are left out.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/scene/motion_rules.h"
#include "host/scene/scene_check.h"
#include "tests/support/misuses.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using namespace detail;

Motion prismatic(std::optional<int> parent = {}) {
  Motion motion;
  motion.type = MotionType::kPrismatic;
  motion.parent = parent;
  motion.axis = {0, 2, 0};
  return motion;
}

Motion revolute(std::optional<int> parent = {}) {
  Motion motion = prismatic(parent);
  motion.type = MotionType::kRevolute;
  motion.anchor = {0, 0, 0.1};
  return motion;
}

Motion prescribed(Path path = {}) {
  Motion motion;
  motion.type = MotionType::kPrescribed;
  motion.path = std::move(path);
  return motion;
}

/// A hand on a path, a finger that slides on it, a lid that turns about the fixed ground, and a free ball.
SceneDescription gripper() {
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 0.05, 0), make_half_space("ground", 0.1)};
  scene.bodies = {
      {.name = "hand"}, {.name = "finger"}, {.name = "lid"}, {.name = "ground", .geometry = 1}, {.name = "ball"}};
  scene.bodies[0].motion = prescribed({{0, 1}, {{0, 0, 0, 1, 0, 0, 0}, {0, 0, 1, 1, 0, 0, 0}}});
  scene.bodies[1].motion = prismatic(0);
  scene.bodies[2].motion = revolute(3);
  scene.bodies[3].fixed = true;
  return scene;
}

void expect_error(const std::string& expected, const std::function<void(SceneDescription&)>& change) {
  SceneDescription scene = gripper();
  change(scene);
  try {
    const Scene made(scene);
    ADD_FAILURE() << "no error: " << expected;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

void expect_error_of_body(int index, const std::string& expected, const std::function<void(Body&)>& change) {
  expect_error(expected, [&](SceneDescription& scene) { change(scene.bodies[static_cast<std::size_t>(index)]); });
}

TEST(Motion, OfEveryTypeIsAccepted) {
  SceneDescription scene = gripper();
  scene.bodies[1].motion.drive = {
      .force = {{0, 16}, {4.5, 1}}, .stiffness = 10, .damping = 1, .target = {{0, 0}, {1, 0.1}}, .force_limit = 50};
  scene.bodies[1].motion.position = -0.01;
  scene.bodies[1].motion.velocity = 0.2;
  scene.bodies[4].motion = prescribed();
  scene.bodies[4].velocity = {1, 0, 0, 0, 0, 3};
  EXPECT_NO_THROW(Scene{scene});
  EXPECT_NO_THROW(check_movable(scene));
}

TEST(Motion, IsFreeWhereNothingIsSaid) {
  const Body body;
  EXPECT_EQ(body.motion.type, MotionType::kFree);
  EXPECT_FALSE(body.mass || body.density || body.center_of_mass || body.inertia);
  EXPECT_EQ(degrees_of_freedom(body), 6);
}

TEST(Motion, HasItsDegreesOfFreedom) {
  const SceneDescription scene = gripper();
  std::vector<int> found;
  for (const Body& body : scene.bodies) found.push_back(degrees_of_freedom(body));
  EXPECT_EQ(found, (std::vector<int>{0, 1, 1, 0, 6}));
}

// --- pairs

TEST(Motion, LeavesAJointsBodyAndItsParentOutOfTheDefaultPairs) {
  std::vector<std::pair<int, int>> found;
  for (const Pair& pair : all_pairs(gripper())) found.emplace_back(pair.a, pair.b);
  // not (0, 1) and (2, 3); the prescribed hand and the fixed ground are a pair
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 4}, {3, 4}}));
}

TEST(Motion, CanHaveAJointsBodyAndItsParentAsAPair) {
  SceneDescription scene = gripper();
  scene.pairs = {{0, 1, {}, {}}, {2, 3, {}, {}}};
  EXPECT_EQ(Scene(scene).num_pairs(), 2);
}

// --- masses

TEST(Motion, RefusesImpossibleMasses) {
  for (const double value : {kNan, kInfinity, -1.0, 0.0, 1e-31, 1e37}) {
    expect_error_of_body(4, "scene: body 'ball': mass is ", [&](Body& b) { b.mass = value; });
    expect_error_of_body(3, "scene: body 'ground': density is ", [&](Body& b) { b.density = value; });
  }
  expect_error_of_body(4, "body 'ball': has a mass of 1 kg and a density of 500 kg/m^3; give one", [](Body& b) {
    b.mass = 1;
    b.density = 500;
  });
  for (const double value : {kNan, kInfinity, 1.1e9}) {
    expect_error_of_body(4, "body 'ball': center_of_mass is ", [&](Body& b) { b.center_of_mass = {0, value, 0}; });
    expect_error_of_body(4, "body 'ball': inertia ", [&](Body& b) { b.inertia = {1, 1, 1, 0, 0, 1e46 * value}; });
  }
}

TEST(Motion, RefusesImpossibleInertias) {
  const auto expect_bad = [](const std::array<double, 6>& inertia, const std::string& expected) {
    expect_error_of_body(4, "scene: body 'ball': inertia has the principal moments " + expected,
                         [&](Body& b) { b.inertia = inertia; });
  };
  expect_bad({0, 0, 0, 0, 0, 0}, "0, 0 and 0 kg m^2; all three must be positive");
  expect_bad({2, -1, 2, 0, 0, 0}, "-1, 2 and 2 kg m^2; all three must be positive");
  expect_bad({1, 1, 1, 2, 0, 0}, "-1, 1 and 3 kg m^2; all three must be positive");
  expect_bad({1, 1, 2.1, 0, 0, 0}, "1, 1 and 2.1 kg m^2; none can be above the sum of the others");
  expect_bad({2, 2, 2, 1.5, 0, 0}, "0.5, 2 and 3.5 kg m^2; none can be above the sum of the others");
}

TEST(Motion, TakesTheInertiaOfADiscAndOfARod) {
  for (const std::array<double, 6>& inertia : {std::array<double, 6>{1, 1, 2, 0, 0, 0},
                                               {0.333333, 0.333333, 0.666667, 0, 0, 0},
                                               {1e-9, 1, 1, 0, 0, 0},
                                               {1e-45, 1e-45, 1e-45, 0, 0, 0},
                                               {1e54, 1e54, 1e54, 0, 0, 0},
                                               {2, 2, 2, 0.5, 0.5, -0.5}}) {
    SceneDescription scene = gripper();
    scene.bodies[4].inertia = inertia;
    EXPECT_NO_THROW(Scene{scene}) << inertia[0];
  }
}

// --- what does not fit together

TEST(Motion, IsOfOneType) {
  expect_error_of_body(1, "body 'finger': motion: the body is fixed and a prismatic joint; give one of the two",
                       [](Body& b) { b.fixed = true; });
  expect_error_of_body(4, "motion: type is 5; it must be one of MotionType",
                       [](Body& b) { b.motion.type = static_cast<MotionType>(5); });
  expect_error_of_body(4, "motion: path is given, but this is a free body", [](Body& b) {
    b.motion.path = {{0}, {b.pose}};
  });
  expect_error_of_body(1, "motion: path is given, but this is a prismatic joint", [](Body& b) {
    b.motion.path = {{0}, {b.pose}};
  });
  for (const std::function<void(Motion&)>& change : std::vector<std::function<void(Motion&)>>{
           [](Motion& m) {
             m.axis = {0, 0, 1};
           },
           [](Motion& m) {
             m.anchor = {0, 0, 0};
           },
           [](Motion& m) { m.parent = 0; }, [](Motion& m) { m.position = 1; }, [](Motion& m) { m.velocity = 1; },
           [](Motion& m) { m.drive.stiffness = 1; }, [](Motion& m) { m.drive.damping = 1; },
           [](Motion& m) { m.drive.force_limit = 1; },
           [](Motion& m) {
             m.drive.force = {{0, 1}};
           },
           [](Motion& m) {
             m.drive.target = {{0, 1}};
           }}) {
    expect_error_of_body(4, "motion: has values of a joint, but this is a free body; choose a prismatic or revolute",
                         [&](Body& b) { change(b.motion); });
    expect_error_of_body(0, "motion: has values of a joint, but this is a prescribed body",
                         [&](Body& b) { change(b.motion); });
  }
}

TEST(Motion, OfAJointFitsItsParent) {
  for (const int parent : {-1, 5, 1 << 30}) {
    expect_error_of_body(1, "body 'finger': motion: parent is " + std::to_string(parent) + "; it must be in [0, 5)",
                         [&](Body& b) { b.motion.parent = parent; });
  }
  expect_error_of_body(1, "motion: parent is the body itself", [](Body& b) { b.motion.parent = 1; });
  expect_error("body 'finger': motion: parent 'lid' is carried by this body itself", [](SceneDescription& scene) {
    scene.bodies[1].motion.parent = 2;  // each carries the other
    scene.bodies[2].motion.parent = 1;
  });
}

TEST(Motion, OfAJointHasAnAxis) {
  expect_error_of_body(1, "motion: axis is [0, 0, 0], of length 0; it must be a direction", [](Body& b) {
    b.motion.axis = {0, 0, 0};
  });
  for (const double value : {kNan, kInfinity, 1e-7, 1e7}) {
    expect_error_of_body(1, "motion: axis is ", [&](Body& b) { b.motion.axis = {0, value, 0}; });
    if (value < 1) continue;
    expect_error_of_body(2, "motion: anchor is ", [&](Body& b) { b.motion.anchor = {1e6 * value, 0, 0}; });
  }
  expect_error_of_body(1, "motion: has an anchor, but a prismatic joint needs none", [](Body& b) {
    b.motion.anchor = {0, 0, 0};
  });
  expect_error_of_body(2, "motion: has no anchor; a revolute joint needs a point of its axis",
                       [](Body& b) { b.motion.anchor = {}; });
}

TEST(Motion, OfAJointHasValuesInRange) {
  for (const double value : {kNan, kInfinity, -kInfinity, 1e31}) {
    for (const int index : {1, 2}) {
      expect_error_of_body(index, "motion: position is ", [&](Body& b) { b.motion.position = value; });
      expect_error_of_body(index, "motion: velocity is ", [&](Body& b) { b.motion.velocity = value; });
      expect_error_of_body(index, "motion: force row 0: value is ", [&](Body& b) {
        b.motion.drive.force = {{0, value}};
      });
      expect_error_of_body(index, "motion: force row 0: time is ", [&](Body& b) {
        b.motion.drive.force = {{value, 1}};
      });
      expect_error_of_body(index, "motion: target row 0: value is ", [&](Body& b) {
        b.motion.drive.target = {{0, value}};
      });
    }
  }
  for (const double value : {kNan, kInfinity, -1e-9, 1e31}) {
    expect_error_of_body(1, "motion: stiffness is ", [&](Body& b) { b.motion.drive.stiffness = value; });
    expect_error_of_body(1, "motion: damping is ", [&](Body& b) { b.motion.drive.damping = value; });
  }
  for (const double value : {kNan, -1.0, 0.0, kInfinity}) {
    expect_error_of_body(2, "motion: force_limit is ", [&](Body& b) { b.motion.drive.force_limit = value; });
  }
  expect_error_of_body(1, "motion: force_limit is 0 N; it must be in [1e-30, 1e+30]",
                       [](Body& b) { b.motion.drive.force_limit = 0; });
  expect_error_of_body(2, "motion: force_limit is 0 N m; it must be in [1e-30, 1e+30]",
                       [](Body& b) { b.motion.drive.force_limit = 0; });
  expect_error_of_body(1, "motion: force row 2: time is 1 s after 1 s; times must increase", [](Body& b) {
    b.motion.drive.force = {{0, 1}, {1, 2}, {1, 3}};
  });
  expect_error_of_body(1, "motion: target row 1: time is -1 s after 0 s; times must increase", [](Body& b) {
    b.motion.drive.target = {{0, 1}, {-1, 2}};
  });
}

TEST(Motion, OnAJointHasStopsInOrderAndNumbersInTheirRanges) {
  for (const double value : {kNan, kInfinity, -kInfinity, 1e31}) {
    expect_error_of_body(1, "motion: lower is ", [&](Body& b) { b.motion.lower = value; });
    expect_error_of_body(2, "motion: upper is ", [&](Body& b) { b.motion.upper = value; });
  }
  expect_error_of_body(1, "motion: upper is 0.1, not above the lower one, 0.1",
                       [](Body& b) { b.motion.lower = b.motion.upper = 0.1; });
  expect_error_of_body(1, "motion: upper is -0.2, not above the lower one, 0.1", [](Body& b) {
    b.motion.lower = 0.1;
    b.motion.upper = -0.2;
  });
  expect_error_of_body(1, "motion: position is 0, beyond the lower stop, 0.1; a joint begins between its stops",
                       [](Body& b) { b.motion.lower = 0.1; });
  expect_error_of_body(2, "motion: position is 0.5, beyond the upper stop, 0.2", [](Body& b) {
    b.motion.position = 0.5;
    b.motion.upper = 0.2;
  });
  for (const double value : {kNan, -1e-9, kInfinity}) {
    expect_error_of_body(1, "motion: bounce is ", [&](Body& b) { b.motion.bounce = value; });
    expect_error_of_body(1, "motion: joint_friction is ", [&](Body& b) { b.motion.friction = value; });
    expect_error_of_body(2, "motion: joint_damping is ", [&](Body& b) { b.motion.damping = value; });
    expect_error_of_body(2, "motion: armature is ", [&](Body& b) { b.motion.armature = value; });
  }
  expect_error_of_body(1, "motion: bounce is 1.5", [](Body& b) { b.motion.bounce = 1.5; });
}

/// A joint follows one that follows none, so there is no circle.
TEST(Motion, MimicsAnotherJointThatMimicsNone) {
  const auto follower = [](Body& body, int of) {
    body.motion.drive = {};
    body.motion.position = body.motion.velocity = 0;
    body.motion.mimic = Mimic{of, 1, 0};
  };
  expect_error_of_body(1, "motion: mimic: body is the body itself", [&](Body& b) { follower(b, 1); });
  expect_error_of_body(1, "motion: mimic: body is 99; it must be in [0, ", [&](Body& b) { follower(b, 99); });
  expect_error_of_body(1, "it must be on a joint", [&](Body& b) { follower(b, 0); });
  for (const double value : {kNan, kInfinity, 0.0}) {
    expect_error_of_body(1, "motion: mimic: ratio is ", [&](Body& b) {
      follower(b, 2);
      b.motion.mimic->ratio = value;
    });
  }
  expect_error_of_body(1, "motion: mimic: offset is ", [&](Body& b) {
    follower(b, 2);
    b.motion.mimic->offset = kNan;
  });

  SceneDescription scene = gripper();
  follower(scene.bodies[1], 2);
  follower(scene.bodies[2], 1);
  try {
    const Scene circle(scene);
    ADD_FAILURE() << "two joints that mimic each other";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("mimics another joint itself"), std::string::npos) << error.what();
  }
}

TEST(Motion, MovesABodyWithoutAVelocityOfItsOwn) {
  for (std::size_t i = 0; i < 6; ++i) {
    expect_error_of_body(2, "motion: the body has a velocity, which follows from its joint's; leave it 0",
                         [&](Body& b) { b.velocity[i] = 1e-300; });
    expect_error_of_body(0, "motion: the body has a velocity beside its path; leave it 0",
                         [&](Body& b) { b.velocity[i] = 1e-300; });
  }
}

// --- paths

TEST(Motion, AlongAPathHasAPoseForEachTime) {
  expect_error_of_body(0, "motion: path: 2 poses at 1 times; each time needs one pose",
                       [](Body& b) { b.motion.path.times.pop_back(); });
  expect_error_of_body(0, "motion: path: 0 poses at 2 times", [](Body& b) { b.motion.path.poses.clear(); });
  expect_error_of_body(0, "motion: path: 2 poses at 0 times", [](Body& b) { b.motion.path.times.clear(); });
  expect_error_of_body(0, "motion: path: row 1: time is 0 s after 0 s; times must increase",
                       [](Body& b) { b.motion.path.times[1] = 0; });
  expect_error_of_body(0, "motion: path: row 0: time is 0.5 s; a path begins at time 0 or before",
                       [](Body& b) { b.motion.path.times[0] = 0.5; });
  expect_error_of_body(0, "motion: path: row 1: time is ", [](Body& b) { b.motion.path.times[1] = kNan; });
  expect_error_of_body(0, "motion: path: row 1: position is ", [](Body& b) { b.motion.path.poses[1][2] = kNan; });
  expect_error_of_body(0, "motion: path: row 1: orientation: a quaternion",
                       [](Body& b) { b.motion.path.poses[1][3] = 0; });
}

TEST(Motion, AlongAPathStartsAtThePoseOfTheBody) {
  expect_error_of_body(0, "motion: path is at time 0 1e-06 m and 0 rad away from the body's pose",
                       [](Body& b) { b.motion.path.poses[0][1] = 1e-6; });
  expect_error_of_body(0, "motion: path is at time 0 0 m and 0.002 rad away from the body's pose",
                       [](Body& b) { b.motion.path.poses[0][4] = 1e-3; });
  expect_error_of_body(0, "motion: path is at time 0 0.5 m and 0 rad away", [](Body& b) {
    b.motion.path.times = {-1, 1};
  });

  SceneDescription scene = gripper();
  Body& hand = scene.bodies[0];
  hand.motion.path.poses[0] = {0, 0.9e-9, 0, -3, 0, 0, 1e-9};  // within the tolerance, and with another sign
  EXPECT_NO_THROW(Scene{scene});
  hand.motion.path.times = {-1, 1};
  hand.pose[2] = 0.5;  // the middle
  EXPECT_NO_THROW(Scene{scene});
  hand.pose = {1e6, 0, 0, 1, 0, 0, 0};
  hand.motion.path = {{0}, {{1e6 + 0.9e-3, 0, 0, 1, 0, 0, 0}}};  // relative to coordinates above 1 m
  EXPECT_NO_THROW(Scene{scene});
}

// --- half spaces

TEST(Motion, IsNotForHalfSpacesThatYield) {
  expect_error("body 'ground': motion: a half space cannot be a prismatic joint; make it fixed or prescribed",
               [](SceneDescription& s) {
                 s.bodies[2].motion.parent = {};
                 s.bodies[3].fixed = false;
                 s.bodies[3].motion = prismatic();
               });
  expect_error("body 'finger': motion: a half space cannot be a prismatic joint", [](SceneDescription& s) {
    s.bodies[1].parts = {{.geometry = 0}, {.geometry = 1}};
  });
  expect_error("body 'finger': motion: a half space cannot be a prismatic joint",
               [](SceneDescription& s) { s.bodies[1].alternatives = {1}; });
}

TEST(Motion, CanBePrescribedForAHalfSpace) {
  SceneDescription scene = gripper();
  scene.bodies[3].fixed = false;
  scene.bodies[3].motion = prescribed();
  EXPECT_NO_THROW(Scene{scene});
  EXPECT_NO_THROW(check_movable(scene));
}

// Scenes that are only evaluated do not say that the ground is fixed.
TEST(Motion, OfAFreeHalfSpaceIsRefusedOnlyWhereItMustMove) {
  SceneDescription scene = gripper();
  scene.bodies[2].motion.parent = {};
  scene.bodies[3].fixed = false;
  EXPECT_NO_THROW(Scene{scene});
  try {
    check_movable(scene);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "scene: body 'ground': motion: a half space cannot be a free body; make it fixed or prescribed");
  }
}

// --- options

TEST(Motion, IsSteppedWithOptionsInRange) {
  const auto expect_bad = [](const std::string& expected, const std::function<void(RolloutOptions&)>& change) {
    expect_error("scene: rollout: " + expected, [&](SceneDescription& scene) { change(scene.rollout); });
  };
  for (const double value : {kNan, kInfinity, -1e-3, 0.0, 1e-10, 1.1e6}) {
    expect_bad("time_step is ", [&](RolloutOptions& o) { o.time_step = value; });
    expect_bad("duration is ", [&](RolloutOptions& o) { o.duration = value; });
  }
  for (const double value : {kNan, kInfinity, -1.0, 0.0, 0.2}) {
    expect_bad("tolerance is ", [&](RolloutOptions& o) { o.tolerance = value; });
  }
  for (const double value : {kNan, kInfinity, -1e10}) {
    expect_bad("gravity is ", [&](RolloutOptions& o) { o.gravity[1] = value; });
    expect_bad("variation: position is ", [&](RolloutOptions& o) { o.variation.position = value; });
    expect_bad("variation: angle is ", [&](RolloutOptions& o) { o.variation.angle = value; });
    expect_bad("variation: speed is ", [&](RolloutOptions& o) { o.variation.speed = value; });
  }
  for (const int value : {-1, 0, 1 << 30}) {
    expect_bad("max_iterations is ", [&](RolloutOptions& o) { o.max_iterations = value; });
    expect_bad("friction_passes is ", [&](RolloutOptions& o) { o.friction_passes = value; });
    expect_bad("max_substeps is ", [&](RolloutOptions& o) { o.max_substeps = value; });
    if (value != 0) expect_bad("polygon_capacity is ", [&](RolloutOptions& o) { o.polygon_capacity = value; });
  }
  expect_bad("integrator is 4", [](RolloutOptions& o) { o.integrator = static_cast<Integrator>(4); });
  expect_bad("points is 3", [](RolloutOptions& o) { o.points = static_cast<ContactPoints>(3); });
}

}  // namespace
}  // namespace isopatch::test
