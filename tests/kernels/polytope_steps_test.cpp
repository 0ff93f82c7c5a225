// SPDX-License-Identifier: Apache-2.0
//
// Steps of rigid polytopes on a GPU have the bits of the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "tests/kernels/stepped.h"
#include "tests/simulator/polytope/polytope_pour.h"
#include "tests/support/device_calls.h"
#include "tests/support/tree_scenes.h"

namespace isopatch::test {
namespace {

constexpr double kGravity = 9.81;

struct StepsOfPolytopes : ::testing::TestWithParam<Integrator> {
  PolytopeScene scene;

  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
    scene.description.rollout.integrator = GetParam();
    scene.description.rollout.time_step = 0.005;
  }

  void be_solid() { scene.description.rollout.gravity = {0, 0, -kGravity}; }

  /// The beginning of environments whose bodies, but in the first, are moved, turned and thrown a little.
  static RolloutStateArrays scattered(const SceneDescription& description, std::int64_t environments, unsigned seed) {
    RolloutStateArrays states(Scene(description), environments);
    Random random(seed);
    const std::size_t bodies = description.bodies.size();
    for (std::size_t at = bodies; at < static_cast<std::size_t>(environments) * bodies; ++at) {
      const Body& body = description.bodies[at % bodies];
      if (body.fixed || (body.motion.type != MotionType::kFree && body.motion.type != MotionType::kPlanar)) continue;
      const bool is_planar = body.motion.type == MotionType::kPlanar;
      double* const pose = &states.poses[7 * at];
      double* const velocity = &states.velocities[6 * at];
      const Vector axis = is_planar ? Vector{0, 0, 1} : Vector{random.uniform(-1, 1), random.uniform(-1, 1), 1};
      const auto turn = turn_about(axis, random.uniform(-0.2, 0.2));
      const std::array<double, 4> p = {turn[0], turn[1], turn[2], turn[3]}, q = {pose[3], pose[4], pose[5], pose[6]};
      pose[3] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
      pose[4] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
      pose[5] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
      pose[6] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
      for (std::size_t k = 0; k < 6; ++k) {
        const bool is_free = !is_planar || k < 2 || k == 5;
        if (is_free) velocity[k] += random.uniform(-1, 1) * (k < 3 ? 0.3 : 3);
        if (is_free && k < 3) pose[k] += random.uniform(-2e-3, 2e-3);
      }
    }
    return states;
  }

  /// Returns what the CPU leaves behind.
  static Stepped compare(const SceneDescription& description, const RolloutStateArrays& begin, int calls, int steps,
                         Precision precision = Precision::kDouble) {
    const auto take = [&](Backend backend) {
      return take_calls(description, {.backend = backend, .precision = precision}, begin, calls, steps);
    };
    Stepped cpu = take(Backend::kCpu);
    expect_same(cpu, take(Backend::kCuda));
    return cpu;
  }
  Stepped compare(std::int64_t environments, int calls, int steps) {
    const SceneDescription description = scene.finish();
    return compare(description, scattered(description, environments, 7), calls, steps);
  }

  /// Whether a pair bears anything.
  static bool any_bears(const Stepped& stepped) {
    return std::ranges::any_of(stepped.output.pair_wrench, [](double w) { return w != 0; });
  }

  void add_seam() {
    scene.add_polygon("square", rectangle(-0.1, -0.1, 0.1, 0.1), pose_at({-0.105, 0.1, 0})).velocity = {1, 0, 0,
                                                                                                        0, 0, 0};
    scene.add_fixed_polygon("left", rectangle(-2, -1, 0, 0));
    scene.add_fixed_polygon("right", rectangle(0, -1, 2, 0));
  }
  void add_stack(int bricks, double friction) {
    be_solid();
    for (int i = 0; i < bricks; ++i) {
      Body& body = scene.add_solid("brick " + std::to_string(i), make_box("brick", {0.1, 0.08, 0.04}),
                                   pose_at({0.01 * (i % 2), 0, 0.02 + 0.04 * i}, turn_about({0, 0, 1}, 0.4 * i)));
      body.density = 1000;
      body.friction = friction;
    }
    scene.add_ground(friction);
  }
};

INSTANTIATE_TEST_SUITE_P(OnGpu, StepsOfPolytopes, ::testing::Values(Integrator::kMidpoint, Integrator::kEuler),
                         [](const auto& of) { return of.param == Integrator::kMidpoint ? "Midpoint" : "Euler"; });

TEST_P(StepsOfPolytopes, GpuSmallSeamsHaveTheBitsOfTheCpu) {
  add_seam();
  for (Body& body : scene.description.bodies) body.friction = 0.2;
  EXPECT_TRUE(any_bears(compare(3, 2, 20)));
}

TEST_P(StepsOfPolytopes, GpuSmallJunctionsHaveTheBitsOfTheCpu) {
  be_solid();
  scene.add_solid("cube", make_box("cube", {0.2, 0.2, 0.2}), pose_at({-0.02, 0, 0.1}, turn_about({0, 0, 1}, 0.3)))
      .velocity = {1, 0.2, 0, 0, 0, 2};
  scene.add_fixed_solid("left", make_box("left", {2, 2, 1}), pose_at({-1, 0, -0.5}));
  scene.add_fixed_solid("near", make_box("near", {2, 1.03, 1}), pose_at({1, -0.485, -0.5}));
  scene.add_fixed_solid("far", make_box("far", {2, 0.97, 1}), pose_at({1, 0.515, -0.5}));
  EXPECT_TRUE(any_bears(compare(2, 2, 3)));
}

TEST_P(StepsOfPolytopes, GpuSmallStacksHaveTheBitsOfTheCpuWithAllRelations) {
  add_stack(2, 0);
  for (const ContactRelations relations : {ContactRelations::kExact, ContactRelations::kLnc,
                                           ContactRelations::kUnilateral, ContactRelations::kSeparating}) {
    SCOPED_TRACE(static_cast<int>(relations));
    scene.description.contact.polytope.relations = relations;
    EXPECT_TRUE(any_bears(compare(2, 1, 2)));
  }
}

TEST_P(StepsOfPolytopes, GpuSmallStacksWithFrictionHaveTheBitsOfTheCpu) {
  add_stack(2, 0.4);
  EXPECT_TRUE(any_bears(compare(2, 1, 1)));
}

/// A gantry carries a cube on two joints, and a hinge that no joint has holds a pair of bricks; all touch the ground.
TEST_P(StepsOfPolytopes, GpuSmallTreesAndLoopsHaveTheBitsOfTheCpu) {
  be_solid();
  add_link(scene, "beam", std::nullopt, MotionType::kPrismatic, {1, 0, 0}, {}, {0, 0, 1}, {0.1, 0.1, 0.1}, 2)
      .motion.velocity = 1;
  Body& cube = scene.add_solid("cube", make_box("cube", {0.2, 0.2, 0.2}), pose_at({0, 0, 0.1}));
  cube.density = 1000;
  cube.friction = 0.3;
  cube.motion.type = MotionType::kPrismatic;
  cube.motion.parent = 0;
  cube.motion.axis = {0, 0, 1};
  for (const double side : {-1.0, 1.0}) {
    Body& brick = scene.add_solid(side < 0 ? "left" : "right", make_box("brick", {0.2, 0.1, 0.06}),
                                  pose_at({side * 0.1, 1, 0.031}));
    brick.density = 1000;
    brick.velocity = {0, 0, -1, 0, 0, 0};
  }
  scene.description.loops = {{LoopType::kHinge, 2, 3, {0, 1, 0.031}, {0, 1, 0}}};
  scene.add_ground(0.3);
  SceneDescription description = scene.finish();
  std::erase_if(*description.pairs, [](const Pair& pair) { return pair.b != 4 || pair.a == 0; });
  EXPECT_TRUE(any_bears(compare(description, RolloutStateArrays(Scene(description), 2), 1, 2)));
}

/// Fingers on sliding joints with a drive.
TEST_P(StepsOfPolytopes, GpuSmallGripsHaveTheBitsOfTheCpu) {
  be_solid();
  Body& bar = scene.add_solid("bar", make_box("bar", {0.02, 0.02, 0.6}));
  bar.density.reset();
  bar.mass = 0.5;
  bar.friction = 0.25;
  for (const double side : {-1.0, 1.0}) {
    Body& finger = scene.add_solid(side < 0 ? "left" : "right", make_box("finger", {0.02, 0.01, 0.02}),
                                   pose_at({0, side * 0.015, 0}));
    finger.density.reset();
    finger.mass = 0.1;
    finger.friction = 0.25;
    finger.motion.type = MotionType::kPrismatic;
    finger.motion.axis = {0, -side, 0};
    finger.motion.drive.force = {{0, 10}};
  }
  EXPECT_TRUE(any_bears(compare(2, 1, 1)));
}

/// Of one pair, in one solve.
TEST_P(StepsOfPolytopes, GpuSmallSoftTipsBesideSteelHaveTheBitsOfTheCpu) {
  be_solid();
  Body& bar = scene.add_solid("bar", make_box("bar", {0.04, 0.04, 0.1}), pose_at({0, 0, 0.05}));
  bar.density.reset();
  bar.mass = 1;
  bar.friction = 0.3;
  scene.description.geometries.push_back(make_sphere("tip", 0.01, 1));
  Part steel, tip;
  steel.geometry = 0;
  tip.geometry = 1;
  tip.pose = pose_at({0, 0, -0.041});
  tip.rigid = false;
  tip.modulus = 1e6;
  tip.dissipation = 20;
  bar.parts = {steel, tip};
  scene.add_fixed_solid("table", make_box("table", {0.2, 0.2, 0.1}), pose_at({0, 0, -0.05})).friction = 0.3;
  scene.description.rollout.time_step = 0.002;
  const SceneDescription description = scene.finish();
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const Stepped found = compare(description, scattered(description, 3, 11), 2, 4, precision);
    EXPECT_GT(found.output.num_polygons[0], 0);
    EXPECT_TRUE(any_bears(found));
  }
}

/// From the middle of a pour on.
TEST_P(StepsOfPolytopes, GpuSmallPoursHaveTheBitsOfTheCpu) {
  for (const bool is_flat : {true, false}) {
    Pour pour({.is_flat = is_flat, .bodies = 4, .every = 0.1, .integrator = GetParam(), .friction = 0.3});
    for (int i = 0; i < 75; ++i) ASSERT_TRUE(pour.step());
    EXPECT_TRUE(any_bears(compare(pour.rollout->simulator.scene().description(), pour.rollout->state, 1, 2)));
  }
}

/// In steps of several sub-steps; euler has one.
TEST_P(StepsOfPolytopes, GpuSmallFastBodiesHaveTheBitsOfTheCpu) {
  add_stack(1, 0.3);
  const SceneDescription description = scene.finish();
  RolloutStateArrays begin = scattered(description, 3, 17);
  begin.velocities[2] = -12;
  begin.velocities[6 * 2 + 2] = -30;
  compare(description, begin, 1, 3);
}

/// An environment's fault is its own.
TEST_P(StepsOfPolytopes, GpuSmallFaultsAreThoseOfTheCpu) {
  be_solid();
  scene.add_solid("cube", make_box("cube", {0.1, 0.1, 0.1}), pose_at({0, 0, 0.05}));
  scene.add_ground();
  for (const double side : {-1.0, 1.0}) {
    Body& wall =
        scene.add_solid(side < 0 ? "left" : "right", make_box("wall", {0.1, 1, 1}), pose_at({1.1 * side, 0, 0.6}));
    wall.motion.type = MotionType::kPrescribed;
  }
  const std::size_t bodies = scene.description.bodies.size();
  for (const int capacity : {0, 3}) {
    scene.description.rollout.relation_capacity = capacity;
    const SceneDescription description = scene.finish();
    RolloutStateArrays begin = scattered(description, 4, 19);
    begin.poses[7 * bodies] = std::numeric_limits<double>::quiet_NaN();
    begin.poses[7 * 2 * bodies + 2] += 1;  // falls freely
    begin.poses[7 * 3 * bodies + 2] = 0.5;
    for (std::size_t side : {0, 1}) {  // is crushed between walls
      begin.poses[7 * (3 * bodies + 2 + side)] *= 0.1;
      begin.velocities[6 * (3 * bodies + 2 + side)] = side == 0 ? 2 : -2;
    }
    const Stepped found = compare(description, begin, 2, 3);
    const bool is_full = capacity > 0;
    EXPECT_EQ(found.state.status[0], is_full ? kStepCapacity | kFrozen : kOk);
    EXPECT_EQ(found.state.status[1], kBadPose | kFrozen);
    EXPECT_EQ(found.state.status[2], kOk);
    EXPECT_EQ(found.state.status[3], (is_full ? kStepCapacity : kNoStep) | kFrozen);
  }
}

/// Room that the options leave open grows in calls from the host.
TEST_P(StepsOfPolytopes, GpuSmallRoomForRelationsGrows) {
  add_stack(8, 0);
  SceneDescription description = scene.finish();
  const RolloutStateArrays begin = scattered(description, 1, 23);
  for (std::size_t i = 0; i < 8; ++i) description.bodies[i].pose[0] += 10.0 * static_cast<double>(i);
  EXPECT_TRUE(any_bears(compare(description, begin, 1, 1)));
  description.rollout.relation_capacity = 64;
  const Stepped full = take_calls(description, {}, begin, 1, 1);
  EXPECT_EQ(full.state.status[0], kStepCapacity | kFrozen);
}

TEST_P(StepsOfPolytopes, GpuSmallEnvironmentsHaveTheSameBitsInAnyBatch) {
  add_seam();
  const SceneDescription description = scene.finish();
  const RolloutStateArrays begin = scattered(description, 3, 29);
  const std::vector<std::int64_t> order = {2, 0, 2, 1};
  const RolloutStateArrays cpu = chosen(take_calls(description, {}, begin, 1, 4).state, order);
  const Stepped gpu = take_calls(description, {.backend = Backend::kCuda}, chosen(begin, order), 1, 4);
  const auto compare_arrays = [](const ArrayInfo& info, const auto& x, const auto& y) {
    EXPECT_TRUE(x.size() == y.size() && same_bytes(x.data(), y.data(), x.size() * sizeof(x[0]))) << info.name;
  };
  for_each_rollout_state(compare_arrays, cpu, gpu.state);
}

/// With arrays in device memory.
TEST_P(StepsOfPolytopes, GpuSmallStepsCanBeCaptured) {
  add_seam();
  const SceneDescription description = scene.finish();
  const RolloutStateArrays begin = scattered(description, 3, 31);
  const Simulator simulator(Scene(description), {.backend = Backend::kCuda});
  const StateOnDevice state(begin);
  simulator.reserve(3);
  const Stream stream;
  const Graph graph(stream, [&] { simulator.step(state.view, {}, {}, 2, stream); });
  graph.replay();
  graph.replay();
  state.expect(take_calls(description, {}, begin, 2, 2).state);
}

/// The shapes of parts may differ between environments.
TEST_P(StepsOfPolytopes, GpuSmallOtherGeometriesHaveTheBitsOfTheCpu) {
  be_solid();
  scene.add_solid("box", make_box("box", {0.1, 0.08, 0.04}), pose_at({0, 0, 0.03})).density = 1000;
  scene
      .add_solid("wedge", make_convex_hull("wedge", {{-0.05, 0, 0}, {0.05, 0, 0}, {0, 0.06, 0}, {0, 0.02, 0.06}}),
                 pose_at({0, 0, 0.06}))
      .density = 1000;
  scene.add_ground(0.3);
  for (Body& body : scene.description.bodies) {
    if (!body.fixed) body.velocity = {0, 0, -3, 0, 0, 0};
  }
  const SceneDescription description = scene.finish();
  const RolloutStateArrays begin = scattered(description, 2, 37);
  const std::vector<std::int32_t> geometry = {0, 1, 2, /**/ 1, 0, 2};
  RolloutInput input;
  input.geometry_index = geometry.data();
  const Stepped cpu = take_calls(description, {}, begin, 1, 3, input);
  EXPECT_TRUE(any_bears(cpu));
  expect_same(cpu, take_calls(description, {.backend = Backend::kCuda}, begin, 1, 3, input));
}

}  // namespace
}  // namespace isopatch::test
