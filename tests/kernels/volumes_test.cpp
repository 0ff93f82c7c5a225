// SPDX-License-Identifier: Apache-2.0
//
// Volumetric contact of meshes on a GPU has the bits of the CPU, by brute force and without vectors too, evaluated and
// in steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "host/evaluation/backend_options.h"
#include "tests/support/device_calls.h"
#include "tests/support/memory_scenes.h"

namespace isopatch::test {
namespace {

/// A cube and a closed surface on the ground, a ball on a table of two parts, and a rigid block between two others.
SceneDescription overlapping_bodies(Integrator integrator) {
  SceneBuilder builder;
  builder.add_ground(0.5);
  const auto add = [&](const char* name, const Geometry& geometry, const Vector& at, bool rigid) -> Body& {
    Body& body = builder.add(name, geometry, pose_at(at));
    body.friction = 0.6;
    body.mass = 0.5;
    body.rigid = rigid;
    return body;
  };
  const Geometry cube = make_box("cube", {0.06, 0.06, 0.06}), small = make_cylinder("post", 0.03, 0.06, 12);
  add("cube", cube, {0, 0, 0.0298}, true);
  add("shell", make_surface_mesh("shell", {small.mesh.points, small.surface}), {0.5, 0, 0.0297}, true);
  Body& table = add("table", make_box("half", {0.1, 0.1, 0.1}), {1, 0, 0.05}, false);
  table.fixed = true;
  for (const double x : {-0.05, 0.05}) {
    Part& half = table.parts.emplace_back();
    half.geometry = table.geometry;
    half.pose = {x, 0, 0, 1, 0, 0, 0};
  }
  add("ball", make_sphere("ball", 0.05, 1), {1.01, 0, 0.1485}, true);
  Body& anvil = add("anvil", cube, {2, 0, 0}, true);
  anvil.fixed = true;
  add("block", cube, {2.01, 0.01, 0.0597}, true);

  SceneDescription& scene = builder.description;
  scene.contact.model = ContactModel::kVolumetric;
  scene.contact.force_law.friction_model = FrictionModel::kBristle;
  for (const auto& [a, b] : {std::pair{1, 0}, {2, 0}, {4, 3}, {6, 5}}) {
    Pair& pair = (scene.pairs ? *scene.pairs : scene.pairs.emplace()).emplace_back();
    pair.a = a, pair.b = b;
    pair.stiffness = 1e8;
    pair.restitution = 0.5;
  }
  scene.rollout.time_step = 1e-3;
  scene.rollout.integrator = integrator;
  return scene;
}

struct VolumesOnGpu : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

ResultArrays evaluated(const Scene& scene, const StateArrays& states, const HostEvaluator& evaluator) {
  ResultArrays results(
      scene, states.num_environments,
      {.patch = true, .energy = true, .part_pairs = true, .single_contact = true, .capacity = {{"contacts", 64}}});
  State state = states.view();
  state.time_step = 2e-3;
  evaluator.evaluate(state, results.view());
  return results;
}

void expect_same(const ResultArrays& a, const ResultArrays& b) {
  for_each_output(
      [&](const ArrayInfo& info, const auto& x, const auto& y) {
        if (info.group == OutputGroup::kContacts) return;  // in no particular order
        ASSERT_EQ(x.size(), y.size());
        EXPECT_TRUE(same_bytes(x.data(), y.data(), x.size() * sizeof(x[0]))) << info.name;
      },
      a, b);
}

TEST(Volumes, HaveTheSameBitsByBruteForceAndWithAnyVectors) {
  const SceneDescription description = overlapping_bodies(Integrator::kMidpoint);
  const Scene scene(description);
  StateArrays states(description, 4);
  disturb(description, states, 5);
  const ResultArrays best = evaluated(scene, states, HostEvaluator(scene, {.backend = Backend::kCpu}));
  EXPECT_EQ(std::count(best.polygon_count.begin(), best.polygon_count.end(), 0), 0);
  for (const detail::Vectors vectors : {detail::Vectors::kNone, detail::Vectors::kBaseline}) {
    for (const bool brute_force : {false, true}) {
      detail::CpuOptions options = {{.backend = Backend::kCpu}};
      options.vectors = vectors;
      options.brute_force = brute_force;
      expect_same(evaluated(scene, states, HostEvaluator(detail::make_evaluator(scene, options))), best);
    }
  }
}

// Of a few environments a block takes each pair, of more a warp.
TEST_F(VolumesOnGpu, GpuSmallEvaluationsHaveTheBitsOfTheCpu) {
  const SceneDescription description = overlapping_bodies(Integrator::kMidpoint);
  const Scene scene(description);
  for (const std::int64_t environments : {1, 12}) {
    StateArrays states(description, environments);
    disturb(description, states, 7);
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const auto on = [&](Backend backend) {
        return evaluated(scene, states, HostEvaluator(scene, {.backend = backend, .precision = precision}));
      };
      expect_same(on(Backend::kCpu), on(Backend::kCuda));
    }
  }
}

TEST_F(VolumesOnGpu, GpuSmallStepsHaveTheBitsOfTheCpu) {
  for (const auto& [integrator, environments] : {std::pair<Integrator, std::int64_t>{Integrator::kMidpoint, 1},
                                                 {Integrator::kMidpoint, 12},
                                                 {Integrator::kEuler, 2}}) {
    const SceneDescription description = overlapping_bodies(integrator);
    const Scene scene(description);
    const auto take = [&, count = environments](Backend backend) {
      const HostSimulator simulator(scene, {.backend = backend});
      RolloutStateArrays states(scene, count);
      disturb(description, states, 11);
      RolloutOutputArrays output(scene, count, true, true);
      simulator.step(states.view(), {}, output.view(), 3);
      return std::pair(states, output);
    };
    const auto of_cpu = take(Backend::kCpu), of_gpu = take(Backend::kCuda);
    const RolloutStateArrays &cpu = of_cpu.first, &gpu = of_gpu.first;
    const auto compare = [&](const ArrayInfo& info, const auto& x, const auto& y) {
      ASSERT_EQ(x.size(), y.size());
      EXPECT_TRUE(same_bytes(x.data(), y.data(), x.size() * sizeof(x[0])))
          << info.name << ", " << cpu.num_environments << " environments";
    };
    for_each_rollout_state(compare, cpu, gpu);
    for_each_rollout_output(compare, of_cpu.second, of_gpu.second);
    EXPECT_GT(*std::max_element(cpu.contact_state.begin(), cpu.contact_state.end()), 0);
  }
}

}  // namespace
}  // namespace isopatch::test
