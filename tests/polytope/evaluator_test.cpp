// SPDX-License-Identifier: Apache-2.0
//
// Pairs of model polytope in a scene: separations and overlaps of bodies of rigid convex parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/polytope/polytope_scenes.h"
#include "tests/polytope/relation_names.h"
#include "tests/support/random_scenes.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

Part part_at(int geometry, double x, double y, double z) {
  Part part;
  part.geometry = geometry;
  part.pose = {x, y, z, 1, 0, 0, 0};
  return part;
}

// Separations of bodies of .2 m and less are sums of three products of coordinates: some roundings of 2e-17 m. Overlaps
// are sums of products of three of them over the corners of what is in common, below 1e-3 m^3: roundings of 1e-19 m^3.
constexpr double kOfSeparation = 1e-15, kOfOverlap = 1e-17;

/// A peg of 36 mm in a hole of 40 mm, which is a body of four boxes.
SceneDescription peg_and_hole() {
  SceneDescription scene;
  scene.geometries = {make_box("peg", {0.036, 0.036, 0.1}), make_box("wall", {0.02, 0.06, 0.05}),
                      make_box("end", {0.04, 0.02, 0.05})};
  Body hole = rigid_polytope("hole", 1);
  hole.fixed = true;
  hole.parts = {part_at(1, -0.03, 0, 0), part_at(1, 0.03, 0, 0), part_at(2, 0, -0.03, 0), part_at(2, 0, 0.03, 0)};
  scene.bodies = {rigid_polytope("peg", 0), hole};
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

/// A box, a hull, a cylinder and a body of several parts over a floor.
SceneDescription rigid_things() {
  SceneDescription scene;
  scene.geometries = {
      make_box("box", {0.1, 0.08, 0.06}),
      make_convex_hull("hull",
                       {{0.05, 0, 0}, {-0.03, 0.04, 0}, {-0.03, -0.04, 0.01}, {0, 0, 0.07}, {0.01, 0.02, -0.05}}),
      make_cylinder("cylinder", 0.03, 0.09, 12), make_half_space("floor", 1)};
  Body both = rigid_polytope("both", 0);
  both.parts = {part_at(2, 0.04, 0, 0), part_at(1, -0.05, 0.01, 0.01)};
  both.parts[0].pose = {0.04, 0, 0, std::cos(0.4), 0, std::sin(0.4), 0};
  scene.bodies = {rigid_polytope("box", 0), rigid_polytope("hull", 1), rigid_polytope("cylinder", 2), both,
                  rigid_polytope("floor", 3, {0, 0, -0.1, 1, 0, 0, 0})};
  scene.bodies.back().fixed = true;
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

/// The scene's poses in every environment.
Batch batch_of(const Scene& scene, std::int64_t environments) {
  Batch batch(scene, environments);
  batch.poses = StateArrays(scene.description(), environments).poses;
  return batch;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

UnwrittenResults results_of(const Scene& scene, const Batch& batch, Backend backend) {
  EvaluatorOptions options;
  options.backend = backend;
  UnwrittenResults results(scene, batch.num_environments, detail::Outputs::kWrench);
  results.give_polytopes();
  HostEvaluator(scene, options).evaluate(batch.state(), results.view());
  return results;
}

TEST(PolytopePairs, OfAPegAreItsPlayInTheHole) {
  SceneDescription description = peg_and_hole();
  const Scene scene(description);
  EXPECT_TRUE(warnings_of(scene).empty());
  struct Case {
    double x, turn, separation, overlap;
  };
  const double turned = 0.018 * std::numbers::sqrt2;
  for (const Case& c : {Case{0, 0, 0.002, 0}, Case{0.0015, 0, 0.0005, 0}, Case{0.003, 0, -0.001, 0.001 * 0.036 * 0.05},
                        Case{0, std::numbers::pi / 4, 0.02 - turned, 4 * std::pow(turned - 0.02, 2) * 0.05},
                        Case{0.2, 0, 0.2 - 0.04 - 0.018, 0}}) {
    SCOPED_TRACE(c.x);
    Batch batch = batch_of(scene, 1);
    batch.poses[0] = c.x;
    batch.poses[3] = std::cos(c.turn / 2);
    batch.poses[6] = std::sin(c.turn / 2);
    for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
      const UnwrittenResults results = results_of(scene, batch, backend);
      EXPECT_EQ(results.status[0], c.separation < 0 ? kOverlap : kOk);
      EXPECT_NEAR(results.separation[0], c.separation, kOfSeparation);
      EXPECT_NEAR(results.overlap[0], c.overlap, kOfOverlap);
      EXPECT_EQ(results.pair_wrench[0], 0);
    }
  }
}

TEST(PolytopePairs, AreThoseOfTheReference) {
  const Scene scene(rigid_things());
  ASSERT_EQ(scene.num_pairs(), 10);
  const Batch batch = random_batch(scene, 60, 31, 0.12);
  const UnwrittenResults cpu = results_of(scene, batch, Backend::kCpu),
                         truth = results_of(scene, batch, Backend::kReference);
  int apart = 0, deep = 0;
  for (std::size_t i = 0; i < cpu.separation.size(); ++i) {
    EXPECT_NEAR(cpu.separation[i], truth.separation[i], kOfSeparation) << i;
    EXPECT_NEAR(cpu.overlap[i], truth.overlap[i], kOfOverlap) << i;
    (truth.separation[i] > 0 ? apart : deep) += 1;
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(deep, 50);
}

TEST(PolytopePairs, HaveTheSameBitsInAnyBatchAndOrder) {
  const Scene scene(rigid_things());
  const Batch batch = random_batch(scene, 40, 33, 0.12);
  const UnwrittenResults all = results_of(scene, batch, Backend::kCpu);
  const auto pairs = static_cast<std::size_t>(scene.num_pairs());
  for (std::size_t e = 0; e < 40; e += 7) {
    Batch one = batch_of(scene, 1);
    std::copy_n(batch.poses.begin() + static_cast<std::ptrdiff_t>(e * one.poses.size()), one.poses.size(),
                one.poses.begin());
    const UnwrittenResults alone = results_of(scene, one, Backend::kCpu);
    for (std::size_t p = 0; p < pairs; ++p) {
      EXPECT_EQ(alone.separation[p], all.separation[e * pairs + p]);
      EXPECT_EQ(alone.overlap[p], all.overlap[e * pairs + p]);
    }
  }
}

/// A finger of a soft tip and a steel bar on a steel cube: the tip presses, the bar keeps its distance.
TEST(PolytopePairs, AreBesideThePressureFieldsOfCompliantParts) {
  SceneDescription scene;
  scene.geometries = {make_box("cube", {0.06, 0.06, 0.06}), make_sphere("tip", 0.02, 2),
                      make_box("bar", {0.01, 0.01, 0.1})};
  Body finger = rigid_polytope("finger", 2);
  finger.parts = {part_at(1, 0, 0, 0), part_at(2, 0.04, 0, 0.07)};
  finger.parts[0].rigid = false;
  finger.parts[0].modulus = 1e5;
  scene.bodies = {finger, rigid_polytope("cube", 0)};
  scene.bodies[0].pose[2] = 0.049;
  const Scene tip(scene);
  scene.contact.model = ContactModel::kPolytope;
  const Scene both(scene);
  EXPECT_EQ(tip.num_part_pairs(), 1);
  EXPECT_EQ(both.num_part_pairs(), 2);
  const UnwrittenResults of_both = results_of(both, batch_of(both, 1), Backend::kCpu),
                         of_tip = results_of(tip, batch_of(tip, 1), Backend::kCpu);
  EXPECT_GT(of_both.polygon_count[0], 0);
  EXPECT_GT(of_both.pair_wrench[2], 0);
  EXPECT_EQ(of_both.pair_wrench, of_tip.pair_wrench);
  EXPECT_NEAR(of_both.separation[0], 0.039, kOfSeparation);
}

TEST(PolytopePairs, ThatAreMaskedOrFaultyAreZeroAndChangeNoOther) {
  const Scene scene(rigid_things());
  Batch batch = random_batch(scene, 3, 35, 0.12);
  const UnwrittenResults sound = results_of(scene, batch, Backend::kCpu);
  const auto pairs = static_cast<std::size_t>(scene.num_pairs());
  batch.pair_mask.assign(3 * pairs, 1);
  batch.pair_mask[2 * pairs + 1] = 0;
  batch.poses[0] = std::nan("");
  const UnwrittenResults results = results_of(scene, batch, Backend::kCpu);
  EXPECT_EQ(results.status[0], kBadPose);
  for (std::size_t p = 0; p < pairs; ++p) {
    EXPECT_EQ(results.separation[p], 0);
    EXPECT_EQ(results.separation[pairs + p], sound.separation[pairs + p]);
    EXPECT_EQ(results.separation[2 * pairs + p], p == 1 ? 0 : sound.separation[2 * pairs + p]);
  }
}

TEST(PolytopePairs, AreRefusedForOtherPartsAndInSteps) {
  SceneDescription scene = peg_and_hole();
  scene.geometries.push_back(make_sphere("ball", 0.02, 1));
  scene.bodies[0].geometry = 3;
  scene.pairs = {{{0, 1, {}, {}}}};
  const auto expect_error = [](const std::string& part, const std::function<void()>& call) {
    const std::string found = error_of(call);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect_error("of shapes of which the first is no polytope; take a box", [&] { Scene{scene}; });
  scene.bodies[0].geometry = 0;
  scene.geometries[0] = make_cylinder("peg", 0.018, 0.1, 80);
  expect_error("body 'peg', part 'peg', in a pair of model polytope", [&] { Scene{scene}; });
  expect_error("82", [&] { Scene{scene}; });
  expect_error("which the integrator sdirk2 does not take; use midpoint or euler", [] {
    SceneDescription of = peg_and_hole();
    of.rollout.integrator = Integrator::kSdirk2;
    Simulator{Scene(of)};
  });
}

TEST(PolytopePairs, HaveTheContactsAndRelationsOfTheirPartPairsInOrder) {
  SceneDescription description = rigid_things();
  description.contact.polytope.margin = 0.01;
  const Scene scene(description);
  const std::int64_t n = 50;
  const Batch batch = random_batch(scene, n, 71);
  ResultArrays results = evaluate(scene, batch, 0.01, Backend::kCpu);
  const auto part_pairs = scene.part_pairs();
  int all = 0;
  for (std::int64_t e = 0; e < n; ++e) {
    const std::int32_t* needed = &results.relations_needed[static_cast<std::size_t>(3 * e)];
    const PotentialContact* contacts =
        &results.potential_contacts[static_cast<std::size_t>(e * results.counts()[Per::kPotentialContactCapacity])];
    const Relation* relations =
        &results.relations[static_cast<std::size_t>(e * results.counts()[Per::kRelationCapacity])];
    const std::int32_t* members =
        &results.relation_members[static_cast<std::size_t>(e * results.counts()[Per::kMemberCapacity])];
    EXPECT_EQ(results.status[static_cast<std::size_t>(e)] & kRelationCapacity, 0u);
    std::vector<int> used(static_cast<std::size_t>(needed[0]));
    std::int32_t next = 0;
    for (std::int32_t i = 0; i < needed[1]; ++i) {
      EXPECT_EQ(relations[i].first, next);
      next += relations[i].count;
      EXPECT_EQ(relations[i].count == 1, relations[i].kind == kUnilateralRelation);
      for (std::int32_t k = relations[i].first; k < next; ++k) {
        ASSERT_LT(members[k], needed[0]);
        ++used[static_cast<std::size_t>(members[k])];
        EXPECT_EQ(contacts[members[k]].pair, relations[i].pair);
      }
    }
    EXPECT_EQ(next, needed[2]);
    for (const int times : used) EXPECT_GT(times, 0);
    const auto key = [](const PotentialContact& c) {
      return std::tuple(c.pair, c.part_a, c.part_b, c.kind, c.feature_a, c.feature_b);
    };
    for (std::int32_t c = 0; c < needed[0]; ++c) {
      if (c > 0) {
        EXPECT_LT(key(contacts[c - 1]), key(contacts[c]));
      }
      const bool known = std::any_of(part_pairs.begin(), part_pairs.end(), [&](const PartPair& p) {
        return p.pair == contacts[c].pair && p.part_a == contacts[c].part_a && p.part_b == contacts[c].part_b;
      });
      EXPECT_TRUE(known);
    }
    all += needed[1];
  }
  EXPECT_GT(all, 100);
}

// Parts that are apart are then told by balls alone.
TEST(PolytopePairs, HaveTheSameRelationsIfNothingElseIsAskedFor) {
  SceneDescription description = rigid_things();
  description.contact.polytope.margin = 0.01;
  const Scene scene(description);
  const std::int64_t n = 200;
  const Batch batch = random_batch(scene, n, 73);
  for (const double time_step : {0.0, 0.002, 0.05}) {
    SCOPED_TRACE(time_step);
    const ResultArrays all = evaluate(scene, batch, time_step, Backend::kCpu);
    ResultArrays alone(scene, n,
                       {.capacity = {{"potential_contacts", all.counts()[Per::kPotentialContactCapacity]},
                                     {"relations", all.counts()[Per::kRelationCapacity]},
                                     {"relation_members", all.counts()[Per::kMemberCapacity]}}});
    ASSERT_TRUE(alone.separation.empty());
    State state = batch.state();
    state.time_step = time_step;
    HostEvaluator(scene).evaluate(state, alone.view());
    EXPECT_EQ(alone.relations_needed, all.relations_needed);
    EXPECT_EQ(alone.relation_members, all.relation_members);
    const auto bytes = [](const auto& rows) { return std::as_bytes(std::span(rows)); };
    EXPECT_TRUE(std::ranges::equal(bytes(alone.relations), bytes(all.relations)));
    EXPECT_TRUE(std::ranges::equal(bytes(alone.potential_contacts), bytes(all.potential_contacts)));
  }
}

TEST(PolytopePairs, CountWhatABufferHasNoRoomForAndSaySo) {
  SceneDescription description = rigid_things();
  description.contact.polytope.margin = 0.05;
  const Scene scene(description);
  const Batch batch = random_batch(scene, 40, 72);
  const ResultArrays all = evaluate(scene, batch, 0, Backend::kCpu);
  for (int buffer = 0; buffer < 3; ++buffer) {
    SCOPED_TRACE(buffer);
    const std::int32_t room[3] = {buffer == 0 ? 2 : 100000, buffer == 1 ? 2 : 100000, buffer == 2 ? 2 : 100000};
    ResultArrays few(
        scene, 40,
        {.distances = true,
         .capacity = {{"potential_contacts", room[0]}, {"relations", room[1]}, {"relation_members", room[2]}}});
    HostEvaluator(scene).evaluate(batch.state(), few.view());
    EXPECT_EQ(few.relations_needed, all.relations_needed);
    EXPECT_EQ(few.separation, all.separation);
    int full = 0;
    for (std::size_t e = 0; e < 40; ++e) {
      const bool is_full = few.relations_needed[3 * e + static_cast<std::size_t>(buffer)] > 2;
      EXPECT_EQ((few.status[e] & kRelationCapacity) != 0, is_full);
      full += is_full ? 1 : 0;
    }
    EXPECT_GT(full, 10);
  }
}

}  // namespace
}  // namespace isopatch::test
