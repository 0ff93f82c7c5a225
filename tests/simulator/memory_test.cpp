// SPDX-License-Identifier: Apache-2.0
//
// Steps of contacts with state: the same bits however they are taken, states that go on from where they were, and
// faults that stay in their environment.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/evaluation/backend_options.h"
#include "host/rollout/simulator_backend.h"
#include "tests/support/memory_scenes.h"

namespace isopatch::test {
namespace {

constexpr Integrator kIntegrators[] = {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2};

RolloutStateArrays disturbed(const SceneDescription& description, std::int64_t environments) {
  RolloutStateArrays states(Scene(description), environments);
  disturb(description, states, 3);
  return states;
}

RolloutStateArrays stepped(const SceneDescription& description, RolloutStateArrays states, int calls, int steps,
                           const detail::CpuOptions& options = {}) {
  const Simulator simulator = detail::make_simulator(Scene(description), options);
  for (int i = 0; i < calls; ++i) simulator.step(states.view(), {}, {}, steps);
  return states;
}

/// Of some environments, of all arrays but the status, which has the warnings of the last call.
void expect_same(const RolloutStateArrays& a, std::int64_t first_a, const RolloutStateArrays& b, std::int64_t first_b,
                 std::int64_t count) {
  for_each_rollout_state(
      [&](const ArrayInfo& info, const auto& x, const auto& y) {
        if (std::string(info.name) == "status") return;
        const std::size_t row = x.size() / static_cast<std::size_t>(a.num_environments);
        const std::size_t bytes = row * static_cast<std::size_t>(count) * sizeof(x[0]);
        EXPECT_TRUE(same_bytes(x.data() + row * static_cast<std::size_t>(first_a),
                               y.data() + row * static_cast<std::size_t>(first_b), bytes))
            << info.name;
      },
      a, b);
}

TEST(StepsWithMemory, HaveTheSameBitsHoweverTheyAreTaken) {
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    const SceneDescription description = remembering_bodies(integrator);
    const RolloutStateArrays begin = disturbed(description, 7);
    const RolloutStateArrays expected = stepped(description, begin, 1, 20);
    for (const std::uint32_t status : expected.status) EXPECT_EQ(status & kFrozen, 0u);
    expect_same(expected, 0, stepped(description, begin, 4, 5), 0, 7);
    detail::CpuOptions options;
    options.num_threads = 1;
    options.vectors = detail::Vectors::kNone;
    expect_same(expected, 0, stepped(description, begin, 1, 20, options), 0, 7);
    for (std::int64_t e = 0; e < 7; e += 3) {  // alone
      RolloutStateArrays one(Scene(description), 1);
      for_each_rollout_state(
          [&](const ArrayInfo&, auto& to, const auto& from) {
            const auto row = static_cast<std::ptrdiff_t>(from.size() / 7);
            std::copy_n(from.begin() + row * e, row, to.begin());
          },
          one, begin);
      expect_same(stepped(description, one, 1, 20), 0, expected, e, 1);
    }
  }
}

/// What is not finite, negative where it may not be, or a dwell above 1.
TEST(StepsWithMemory, LeaveAFaultyStateToItsEnvironment) {
  const SceneDescription description = remembering_bodies(Integrator::kMidpoint);
  const RolloutStateArrays begin = disturbed(description, 6);
  const RolloutStateArrays expected = stepped(description, begin, 1, 5);
  RolloutStateArrays faulty = begin;
  const std::size_t row = faulty.contact_state.size() / 6;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  faulty.contact_state[row + 8 + 2] = nan;
  faulty.contact_state[2 * row] = -1e-3;
  faulty.contact_state[3 * row + 1] = -1e-9;
  faulty.contact_state[4 * row + 6] = 1.5;
  faulty.contact_state[5 * row + 7] = -1;
  const RolloutStateArrays found = stepped(description, faulty, 1, 5);
  expect_same(found, 0, expected, 0, 1);
  for (std::size_t e = 1; e < 6; ++e) {
    EXPECT_EQ(found.status[e], kBadContactState | kFrozen) << e;
    EXPECT_TRUE(same_bytes(&found.poses[e * found.poses.size() / 6], &begin.poses[e * begin.poses.size() / 6],
                           begin.poses.size() / 6 * sizeof(double)));
  }
}

/// The block that lies on its feet on a slope rests with bristles and creeps without.
TEST(StepsWithMemory, HoldWhatCoulombFrictionLetsCreep) {
  for (const Integrator integrator : kIntegrators) {
    SCOPED_TRACE(static_cast<int>(integrator));
    double drift[2];
    for (const FrictionModel model : {FrictionModel::kCoulomb, FrictionModel::kBristle}) {
      SceneDescription description = remembering_bodies(integrator);
      description.rollout.time_step = 5e-3;
      const double angle = 20 * std::acos(-1.0) / 180;
      description.rollout.gravity = {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)};
      Pair block = (*description.pairs)[1];
      block.friction_model = model;
      block.dissipation = 20;
      block.friction = 0.5;
      description.pairs = {block};
      RolloutStateArrays states = stepped(description, RolloutStateArrays(Scene(description), 1), 1, 600);
      const double before = states.poses[14];
      states = stepped(description, states, 1, 400);
      drift[static_cast<int>(model)] = std::fabs(states.poses[14] - before);
    }
    EXPECT_LT(drift[1], 1e-10);
    EXPECT_GT(drift[0], 1e-6);
  }
}

/// A ball that hits the ground leaves it with e times its speed where the step resolves the contact.
TEST(StepsWithMemory, HaveTheRestitutionThatIsAskedFor) {
  for (const double restitution : {0.3, 0.5, 0.9}) {
    for (const ContactModel model : {ContactModel::kVolumetric, ContactModel::kPoint}) {
      SceneBuilder builder;
      builder.add_ground();
      Body& ball = builder.add("ball", make_sphere("ball", 0.1, 1), pose_at({0, 0, 0.1001}));
      ball.rigid = true;
      ball.mass = 1;
      ball.velocity = {0, 0, -1, 0, 0, 0};
      Pair pair;
      pair.a = 1, pair.b = 0;
      pair.model = model;
      pair.restitution = restitution;
      pair.stiffness = model == ContactModel::kPoint ? 1e6 : 1e7;
      pair.exact_spheres = model == ContactModel::kVolumetric;
      SceneDescription& scene = builder.description;
      scene.pairs = {pair};
      scene.rollout.gravity = {0, 0, 0};
      scene.rollout.time_step = 5e-4;
      for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kSdirk2}) {
        scene.rollout.integrator = integrator;
        const RolloutStateArrays states = stepped(scene, RolloutStateArrays(Scene(scene), 1), 1, 200);
        EXPECT_NEAR(states.velocities[8], restitution, integrator == Integrator::kSdirk2 ? 0.002 : 0.01);
        const double most = integrator == Integrator::kMidpoint ? restitution + 0.001 : 1;
        EXPECT_LE(states.velocities[8], most);
        EXPECT_EQ(states.contact_state[0], 0);
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test
