// SPDX-License-Identifier: Apache-2.0
//
// Joints on bodies that move by forces: what stays without forces, what is known in closed form, and what programs
// write.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "isopatch/scene/mass_properties.h"
#include "tests/support/tree_scenes.h"

namespace isopatch::test {
namespace {

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

/// The energy of rods that whip about, in play: what their fall from the horizontal gives.
TEST(Tree, AWhipKeepsItsEnergy) {
  for (const double h : {5e-3, 2e-3}) {
    SceneDescription scene = rods(3, 0.3, 0.5);
    scene.rollout.time_step = h;
    Rollout rollout(scene);
    rollout.step(0);
    const double begin = rollout.energy(), in_play = 0.5 * 3 * 9.81 * 0.45;
    double least = begin, most = begin;
    rollout.step(static_cast<int>(std::lround(10 / h)), [&] {
      least = std::min(least, rollout.energy());
      most = std::max(most, rollout.energy());
    });
    EXPECT_GT(least - begin, -2e-2 * in_play) << h;
    EXPECT_LT(most - begin, 2e-3 * in_play) << h;
    EXPECT_EQ(rollout.state.status[0], kOk);
  }
}

/// Of one rod the period, of small swings: 2 pi sqrt(2 l / (3 g)); and a chain of one is no tree, with the bits of it.
TEST(Tree, AChainOfOneSwingsAsAJoint) {
  SceneDescription scene = rods(1, 0.5, 1);
  scene.rollout.time_step = 1e-3;
  scene.bodies[0].motion.position = 3.141592653589793 / 2 - 1e-3;
  Rollout rollout(scene);
  int crossings = 0;
  double before = -1, first = 0, last = 0;
  rollout.step(4000, [&] {
    const double at = rollout.state.joints[0] - 3.141592653589793 / 2;
    if (before < 0 && at >= 0) {
      last = rollout.time();
      if (crossings++ == 0) first = last;
    }
    before = at;
  });
  ASSERT_GT(crossings, 2);
  EXPECT_NEAR((last - first) / (crossings - 1), 2 * 3.141592653589793 * std::sqrt(2 * 0.5 / (3 * 9.81)), 1e-3);
}

/// With a light link it turns as alone; with a heavy one energy and momenta stay.
TEST(Tree, SpinningRootsKeepMomentaAndEnergy) {
  struct Shape {
    const char* name;
    Vector size;
  };
  for (const Shape& shape :
       {Shape{"pen", {0.19, 0.01, 0.01}}, Shape{"needle", {0.1, 0.002, 0.002}}, Shape{"plate", {0.1, 0.1, 0.004}}}) {
    for (const double share : {1e-6, 0.01, 0.3}) {
      for (const double spin : {5.0, 20.0, 50.0}) {
        for (const double h : {1e-3, 1e-2}) {
          SCOPED_TRACE(::testing::Message() << shape.name << ", " << share << ", " << spin << " rad/s, " << h << " s");
          SceneBuilder builder;
          Body& root = builder.add("root", make_box("root", shape.size));
          root.rigid = true;
          root.mass = 0.1;
          root.velocity = {0, 0, 0, 0.6 * spin, 0.5 * spin, 0.62 * spin};
          const double x = shape.size[0] / 2, length = 0.3 * shape.size[0];
          SceneDescription alone = builder.description;
          add_link(builder, "link", 0, MotionType::kRevolute, {0, 1, 0}, {x, 0, 0}, {x + length / 2, 0, 0},
                   {length, shape.size[1], shape.size[2]}, 0.1 * share);
          for (SceneDescription* scene : {&builder.description, &alone}) {
            scene->pairs.emplace();
            scene->rollout.gravity = {0, 0, 0};
            scene->rollout.time_step = h;
          }
          Rollout rollout(builder.description), without(alone);
          rollout.step(0);
          const RolloutOutputArrays begin = rollout.output;
          const int steps = static_cast<int>(std::lround(1 / h));
          rollout.step(steps);
          without.step(steps);
          EXPECT_NEAR(rollout.output.kinetic_energy[0] / begin.kinetic_energy[0], 1, 1e-5);
          double linear = 0, angular = 0, size = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            linear = std::max(linear, std::fabs(rollout.output.momentum[k] - begin.momentum[k]));
            angular = std::max(angular, std::fabs(rollout.output.momentum[3 + k] - begin.momentum[3 + k]));
            size = std::max(size, std::fabs(begin.momentum[3 + k]));
          }
          EXPECT_LT(linear, 1e-13);
          EXPECT_LT(angular, 1e-12 * size);
          EXPECT_EQ(rollout.state.status[0], kOk);
          if (share > 1e-6) continue;
          // the link itself changes how the body turns, by up to four times its share of the mass for each radian
          for (std::size_t k = 3; k < 7; ++k) {
            EXPECT_NEAR(rollout.state.poses[k], without.state.poses[k], 1e-6 + 8e-6 * spin);
          }
        }
      }
    }
  }
}

TEST(Tree, AFreeRootWithTwoArmsKeepsMomenta) {
  SceneDescription scene = rods(2, 0.2, 0.5, true);
  SceneBuilder builder;
  builder.description = scene;
  add_link(builder, "other", 0, MotionType::kRevolute, {0, 0, 1}, {-0.2, 0, 0}, {-0.3, 0, 0}, {0.2, 0.03, 0.03}, 0.4);
  add_link(builder, "end", 3, MotionType::kPrismatic, {1, 1, 0}, {}, {-0.45, 0, 0}, {0.1, 0.03, 0.03}, 0.2);
  builder.description.pairs.emplace();
  builder.description.bodies[0].velocity = {0.1, 0.2, -0.3, 1, 2, -1};
  const double rates[] = {3, -4, 5, 0.3};
  for (std::size_t i = 0; i < 4; ++i) builder.description.bodies[i + 1].motion.velocity = rates[i];
  builder.description.rollout.gravity = {0, 0, 0};
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler}) {
    for (const double h : {1e-2, 2e-3}) {
      builder.description.rollout.integrator = integrator;
      builder.description.rollout.time_step = h;
      Rollout rollout(builder.description);
      rollout.step(0);
      const RolloutOutputArrays begin = rollout.output;
      rollout.step(static_cast<int>(std::lround(1 / h)));
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(rollout.output.momentum[k], begin.momentum[k], 1e-12) << k;
      EXPECT_NEAR(rollout.output.kinetic_energy[0] / begin.kinetic_energy[0], 1, 1e-6);
    }
  }
}

/// What a program writes to a free root or to joints is a new state: nothing else changes by it, and links follow.
TEST(Tree, LinksFollowWhatIsWritten) {
  SceneDescription scene = rods(2, 0.2, 0.5, true);
  scene.rollout.gravity = {0, 0, 0};
  scene.rollout.time_step = 1e-3;
  Rollout rollout(scene), fresh(scene);
  rollout.step(10);
  const double velocity[] = {0.3, -0.1, 0.2, 1, -2, 3}, joints[] = {0.4, 2, -0.7, -5};
  for (Rollout* each : {&rollout, &fresh}) {
    std::copy(std::begin(velocity), std::end(velocity), each->state.velocities.begin());
    std::copy(std::begin(joints), std::end(joints), each->state.joints.begin());
  }
  std::copy_n(rollout.state.poses.begin(), 7, fresh.state.poses.begin());
  rollout.step(0);
  fresh.step(0);
  EXPECT_LT(difference(rollout.state.poses, fresh.state.poses), 1e-15);
  EXPECT_LT(difference(rollout.state.velocities, fresh.state.velocities), 1e-14);
  const double momentum = rollout.output.momentum[3];
  rollout.step(20);
  fresh.step(20);
  EXPECT_LT(difference(rollout.state.joints, fresh.state.joints), 1e-13);
  EXPECT_NEAR(rollout.output.momentum[3], momentum, 1e-14);  // no jolt
}

/// A velocity that is written to what carries a chain is a jump that its joints feel: their momenta stay.
TEST(Tree, AChainFeelsAJumpOfWhatCarriesIt) {
  SceneDescription scene = rods(2, 0.2, 0.5);
  Body base = scene.bodies[0];
  base.name = "base";
  base.mass.reset();
  base.pose = pose_at({0, 0, 0});
  base.motion = {};
  base.motion.type = MotionType::kPrescribed;
  scene.bodies.push_back(base);
  scene.bodies[0].motion.parent = 2;
  scene.rollout.gravity = {0, 0, 0};
  scene.rollout.time_step = 1e-5;
  Rollout rollout(scene);
  rollout.step(3);
  EXPECT_EQ(difference(rollout.state.joints, std::vector<double>(4, 0)), 0);
  rollout.state.velocities[6 * 2 + 2] = 1;  // upwards
  rollout.step();
  // what two rods at rest get as the end of the first one is moved at 1 m/s: M w = -(momenta of the motion alone)
  const double m = 0.5, l = 0.2, I = m / 12 * (l * l + 0.02 * 0.02);
  const double a = I + m * l * l / 4, M22 = a, M12 = a + m * l * l / 2, M11 = 2 * a + 2 * m * l * l;
  const double b1 = m * l / 2 + m * 1.5 * l, b2 = m * l / 2, det = M11 * M22 - M12 * M12;
  // a turn about y by the right-hand rule moves what is at +x down, and a base that goes up leaves the rods behind
  EXPECT_NEAR(rollout.state.joints[1], (M22 * b1 - M12 * b2) / det, 1e-3 * b1 / M11);
  EXPECT_NEAR(rollout.state.joints[3], (M11 * b2 - M12 * b1) / det, 1e-3 * b1 / M11);
}

/// On a free body that a weld holds, drives are at rest where they are on the world.
TEST(Tree, DrivesOnABodyThatAWeldHoldsReachTheirTargets) {
  SceneBuilder builder;
  builder.add("base", make_box("box", {0.1, 0.1, 0.1})).mass = 1;
  builder.add("wall", make_box("box", {0.1, 0.1, 0.1}), pose_at({0, 0, 1})).fixed = true;
  for (int i = 0; i < 2; ++i) {
    Body& body = builder.add(i == 0 ? "held" : "weak", make_box("box", {0.1, 0.1, 0.1}), pose_at({i + 1.0, 0, 0}));
    body.motion.type = MotionType::kPrismatic;
    body.motion.parent = 0;
    body.motion.axis = {0, 0, 1};
    body.motion.drive.stiffness = 1e6;
    body.motion.drive.damping = 1e4;
    body.motion.drive.target = {{0, 0}, {0.5, 0.2}};
    if (i == 1) body.motion.drive.force_limit = 5.0;  // less than its weight of 9.81 N
  }
  builder.description.pairs.emplace();
  builder.description.loops = {{LoopType::kWeld, 0, 1, {0, 0, 0.5}, {0, 0, 0}}};
  Rollout rollout(builder.description);
  rollout.step(1000);
  EXPECT_NEAR(rollout.state.joints[0], 0.2 - 9.81 / 1e6, 1e-9);
  EXPECT_NEAR(rollout.state.joints[3], -(9.81 - 5), 1e-9);  // m/s after 1 s
  EXPECT_NEAR(rollout.state.poses[2], 0, 1e-6);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_LT(std::fabs(rollout.output.loop_gap[k]), 1e-6) << k;
}

/// The wrench in a joint holds what is behind it; along the joint it is the drive's.
TEST(Tree, WrenchesOfJointsHoldWhatIsBehindThem) {
  SceneDescription scene = rods(3, 0.3, 0.5);
  for (Body& body : scene.bodies) body.motion.drive = {.stiffness = 1e5, .damping = 500};
  scene.rollout.time_step = 2e-3;
  Rollout rollout(scene);
  rollout.step(2000);
  for (std::size_t i = 0; i < 3; ++i) {
    const double links = 3.0 - static_cast<double>(i), weight = links * 0.5 * 9.81;
    const double* const w = &rollout.output.joint_wrench[6 * i];
    EXPECT_NEAR(w[2], weight, 1e-6 * weight);
    EXPECT_NEAR(w[4], -weight * links * 0.15, 2e-3 * weight);  // joints give way a little
    EXPECT_NEAR(w[4], rollout.output.joint_drive_force[i], 1e-9 * weight);
    for (const std::size_t k : {0u, 1u, 3u, 5u}) EXPECT_NEAR(w[k], 0, 1e-8) << k;
  }
}

/// A stop, and the follower's share of what moves both.
TEST(Tree, WrenchesOfStopsAndFollowers) {
  SceneBuilder builder;
  add_link(builder, "hand", std::nullopt, MotionType::kPrismatic, {0, 0, 1}, {}, {0, 0, 0}, {0.1, 0.1, 0.02}, 1);
  for (const double side : {-1.0, 1.0}) {
    add_link(builder, side < 0 ? "left" : "right", 0, MotionType::kPrismatic, {0, -side, 0}, {},
             {0, side * 0.04, -0.03}, {0.01, 0.01, 0.04}, 0.2);
  }
  SceneDescription& scene = builder.description;
  scene.bodies[0].motion.upper = 0.01;
  scene.bodies[0].motion.drive.force = {{0, 50}};
  scene.bodies[1].motion.drive.force = {{0, 8}};
  scene.bodies[2].motion.mimic = Mimic{1, 1, 0};
  scene.pairs.emplace();
  scene.rollout.time_step = 1e-3;
  Rollout rollout(scene);
  rollout.step(60);
  EXPECT_NEAR(rollout.output.joint_drive_force[0], 50, 1e-9);
  EXPECT_NEAR(rollout.output.joint_limit_force[0], -(50 - 1.4 * 9.81), 1e-4);
  EXPECT_NEAR(rollout.output.joint_wrench[2], 1.4 * 9.81, 1e-4);
  EXPECT_NEAR(rollout.state.joints[3], 0.06 * 8 / 0.4, 1e-9);  // 20 m/s^2 each
  EXPECT_NEAR(rollout.output.joint_wrench[6 + 1], 8, 1e-9);    // of the leader all of the drive
  EXPECT_NEAR(rollout.output.joint_wrench[12 + 1], -4, 1e-9);  // of the follower what moves it
}

TEST(Tree, IsRefusedBySdirk2) {
  SceneDescription scene = rods(2, 0.2, 0.5);
  scene.rollout.integrator = Integrator::kSdirk2;
  try {
    const Simulator simulator{Scene(scene)};
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sdirk2"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("'rod1' is on a joint of 'rod0'"), std::string::npos) << error.what();
  }
}

TEST(Tree, ACircleIsRefused) {
  SceneDescription scene = rods(3, 0.2, 0.5);
  scene.bodies[0].motion.parent = 2;
  EXPECT_THROW(Scene{scene}, Error);
}

/// One that is beyond a stop, and one that is not a number, freeze their environments alone.
TEST(Tree, FaultsFreezeTheirEnvironmentsAlone) {
  SceneDescription scene = all_kinds_of_trees(Integrator::kMidpoint);
  const RolloutStateArrays begin = random_states(scene, 4, 3);
  Rollout rollout(scene, 4), without(scene, 4);
  rollout.state = without.state = begin;
  const std::size_t joints = rollout.state.joints.size() / 4;
  rollout.state.joints[joints + 2 * 4] = 0.1;  // of the leg
  rollout.state.joints[2 * joints + 1] = std::nan("");
  rollout.step(5);
  without.step(5);
  EXPECT_EQ(rollout.state.status[1], kBadPose | kFrozen);
  EXPECT_NE(rollout.state.status[2] & kFrozen, 0u);
  for (const std::size_t e : {0u, 3u}) {
    EXPECT_EQ(rollout.state.status[e], kOk);
    EXPECT_TRUE(same_bytes(&rollout.state.joints[e * joints], &without.state.joints[e * joints], joints * 8)) << e;
  }
}

}  // namespace
}  // namespace isopatch::test
