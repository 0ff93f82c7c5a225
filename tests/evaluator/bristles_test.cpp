// SPDX-License-Identifier: Apache-2.0
//
// Bristles on pressure fields of one part pair each: what they give does not depend on how they are evaluated.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "tests/support/memory_scenes.h"

namespace isopatch::test {
namespace {

constexpr std::int64_t kEnvironments = 24;

/// A ball and two cubes on the ground, one on the other, the upper one with Coulomb's friction.
SceneDescription soft_bodies() {
  SceneBuilder builder;
  builder.add_ground(0.5);
  const auto add = [&](const Geometry& geometry, const Vector& at) {
    Body& body = builder.add(geometry.name, geometry, pose_at(at));
    body.modulus = 1e6;
    body.dissipation = 3;
    body.friction = 0.6;
    body.mass = 0.5;
  };
  add(make_sphere("ball", 0.03, 2), {0, 0, 0.0295});
  add(make_box("lower", {0.06, 0.06, 0.06}), {0.1, 0, 0.0299});
  add(make_box("upper", {0.05, 0.05, 0.05}), {0.1, 0, 0.0845});
  SceneDescription& scene = builder.description;
  scene.contact.force_law.friction_model = FrictionModel::kBristle;
  scene.pairs.emplace();
  for (const auto& [a, b] : {std::pair(1, 0), std::pair(0, 2), std::pair(3, 2)}) {
    Pair& pair = scene.pairs->emplace_back();
    pair.a = a, pair.b = b;
  }
  scene.pairs->back().friction_model = FrictionModel::kCoulomb;
  return scene;
}

/// Every fourth environment parts so fast that damping leaves no force.
StateArrays moving_states(const SceneDescription& description) {
  StateArrays states(description, kEnvironments);
  disturb(description, states, 5);
  for (std::int64_t e = 0; e < kEnvironments; e += 4) {
    for (int body = 1; body < 4; ++body)
      states.velocities[static_cast<std::size_t>(6 * (4 * e + body) + 2)] = 2.0 * body;
  }
  return states;
}

struct Bristles : ::testing::TestWithParam<Precision> {
  ResultArrays evaluated(const Scene& scene, const StateArrays& states, const ResultSelection& selection,
                         detail::Vectors vectors = detail::Vectors::kBest, bool brute_force = false) const {
    detail::CpuOptions options;
    options.precision = GetParam();
    options.vectors = vectors;
    options.brute_force = brute_force;
    ResultArrays results(scene, states.num_environments, selection);
    State state = states.view();
    state.time_step = 2e-3;
    detail::make_evaluator(scene, options).evaluate(state, results.view());
    return results;
  }
};

TEST_P(Bristles, HaveTheSameBitsHoweverTheyAreEvaluated) {
  const SceneDescription description = soft_bodies();
  const Scene scene(description);
  StateArrays states = moving_states(description);
  for (int step = 0; step < 2; ++step) {  // the second one with a memory
    const ResultArrays expected = evaluated(scene, states, {.patch = true}, detail::Vectors::kNone);
    const auto expect_same = [&](const ResultArrays& found) {
      EXPECT_EQ(found.pair_wrench, expected.pair_wrench);
      EXPECT_EQ(found.contact_state, expected.contact_state);
      EXPECT_EQ(found.status, expected.status);
    };
    expect_same(evaluated(scene, states, {.patch = false}, detail::Vectors::kNone, true));
    for (const bool patch : {false, true}) {
      expect_same(evaluated(scene, states, {.patch = patch}, detail::Vectors::kBaseline));
      expect_same(evaluated(scene, states, {.patch = patch}));
    }
    expect_same(evaluated(scene, states, {.capacity = {{"polygons", 64}}}));
    expect_same(evaluated(scene, states, {.part_pairs = true}));

    int without_force = 0;
    for (std::size_t row = 0; row < expected.pair_wrench.size() / 6; ++row) {
      const bool touches = expected.contact_state[8 * row] > 0;
      without_force += static_cast<int>(touches && expected.pair_wrench[6 * row + 2] == 0);
    }
    EXPECT_GT(without_force, 6) << "contacts that remember without a force, whose normal is that of the patch";
    states.contact_state = expected.contact_state;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Bristles, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& instance) { return instance.param == Precision::kFloat ? "Float" : "Double"; });

}  // namespace
}  // namespace isopatch::test
