// SPDX-License-Identifier: Apache-2.0
//
// What a step of rigid polytopes tells of them: separation, overlap, contacts, relations and traps.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/simulator/polytope/polytope_pour.h"

namespace isopatch::test {
namespace {

/// A square that glides along a floor of two tiles, whose seam is at x = 0.
SceneDescription square_on_tiles(double x, double y = 0.1) {
  PolytopeScene scene;
  scene.add_polygon("square", rectangle(-0.1, -0.1, 0.1, 0.1), pose_at({x, y, 0})).velocity = {1, 0, 0, 0, 0, 0};
  scene.add_fixed_polygon("left", rectangle(-2, -1, 0, 0));
  scene.add_fixed_polygon("right", rectangle(0, -1, 2, 0));
  scene.description.rollout.time_step = 0.01;
  return scene.finish();
}

Rollout with_distances(const SceneDescription& scene, std::int64_t environments = 1) {
  Rollout rollout(scene, environments);
  rollout.output = RolloutOutputArrays(rollout.simulator.scene(), environments, false, false, true);
  return rollout;
}

TEST(PolytopeOutputs, DistancesAreOfTheStateAfterTheStep) {
  PourOptions options;
  options.bodies = 4;
  options.iterations = 1;  // leaves some overlap
  Pour pour(options);
  Rollout& rollout = *pour.rollout;
  rollout.output = RolloutOutputArrays(rollout.simulator.scene(), 1, false, false, true);
  double largest = 0;
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(pour.step());
    ResultArrays results(rollout.simulator.scene(), 1, {.distances = true});
    State state;
    state.num_environments = 1;
    state.poses = rollout.state.poses.data();
    Evaluator(rollout.simulator.scene()).evaluate(state, results.view());
    EXPECT_EQ(rollout.output.separation, results.separation) << i;
    EXPECT_EQ(rollout.output.overlap, results.overlap) << i;
    largest = std::max(largest, *std::max_element(results.overlap.begin(), results.overlap.end()));
  }
  EXPECT_GT(largest, 0);
}

/// Two corners of the square stand on one tile; over the seam, the corner of the other tile is beside them.
TEST(PolytopeOutputs, ARelationIsATrapWhereOneOfItsContactsDoesNotHold) {
  Rollout on_one_tile = with_distances(square_on_tiles(-0.5)), over_the_seam = with_distances(square_on_tiles(-0.105));
  on_one_tile.step();
  EXPECT_EQ(on_one_tile.output.num_potential_contacts[0], 2);
  EXPECT_EQ(on_one_tile.output.num_relations[0], 2);
  EXPECT_EQ(on_one_tile.output.num_traps[0], 0);
  over_the_seam.step();
  EXPECT_GT(over_the_seam.output.num_relations[0], 2);
  EXPECT_GT(over_the_seam.output.num_traps[0], 0);
  EXPECT_LE(over_the_seam.output.num_traps[0], over_the_seam.output.num_relations[0]);
  EXPECT_LT(std::abs(over_the_seam.velocity(0)[1]), 1e-12);
}

TEST(PolytopeOutputs, RelationsOfOneContactAreNoTraps) {
  for (const ContactRelations relations : {ContactRelations::kUnilateral, ContactRelations::kSeparating}) {
    SceneDescription scene = square_on_tiles(-0.105);
    scene.contact.polytope.relations = relations;
    Rollout rollout = with_distances(scene);
    rollout.step();
    EXPECT_GT(rollout.output.num_relations[0], 0);
    EXPECT_EQ(rollout.output.num_traps[0], 0);
  }
}

TEST(PolytopeOutputs, CountAllSubsteps) {
  SceneDescription scene = square_on_tiles(-0.105);
  scene.bodies[0].velocity = {0, -40, 0, 0, 0, 0};
  scene.bodies[0].pose[1] = 0.9;
  scene.rollout.max_substeps = 8;
  Rollout rollout = with_distances(scene);
  rollout.step(3);
  const int fast = rollout.output.num_potential_contacts[0];
  EXPECT_GT(fast, 8) << "eight pieces of a step, in which the floor is near";
  rollout.step();
  EXPECT_LT(rollout.output.num_potential_contacts[0], fast) << "at rest";
}

TEST(PolytopeOutputs, AreZeroWithoutSuchPairsOrSteps) {
  SceneBuilder balls;
  balls.add("ball", make_sphere("ball", 0.05, 1), pose_at({0, 0, 0.04})).mass = 1;
  balls.add_ground();
  Rollout soft = with_distances(balls.finish()), still = with_distances(square_on_tiles(-0.5));
  soft.step(3);
  EXPECT_GT(soft.output.num_polygons[0], 0);
  still.step(0);
  for (const Rollout* rollout : {&soft, &still}) {
    EXPECT_EQ(rollout->output.num_potential_contacts[0], 0);
    EXPECT_EQ(rollout->output.num_relations[0], 0);
    EXPECT_EQ(rollout->output.num_traps[0], 0);
  }
  EXPECT_EQ(soft.output.separation[0], 0);
  EXPECT_NEAR(still.output.separation[0], 0, 1e-15);
  EXPECT_NEAR(still.output.separation[1], 0.4, 1e-12);
}

TEST(PolytopeOutputs, AreZeroInAFrozenEnvironment) {
  SceneDescription scene = square_on_tiles(-0.5, 0.09);
  scene.rollout.relation_capacity = 1;
  Rollout rollout = with_distances(scene);
  rollout.step();
  EXPECT_EQ(rollout.state.status[0], kStepCapacity | kFrozen);
  EXPECT_EQ(rollout.output.num_potential_contacts[0], 0);
  EXPECT_EQ(rollout.output.num_relations[0], 0);
  EXPECT_EQ(rollout.output.separation[0], 0);
  EXPECT_EQ(rollout.output.overlap[0], 0);
}

TEST(PolytopeOutputs, DoNotDependOnTheBatch) {
  constexpr std::int64_t kCount = 7;
  Rollout all = with_distances(square_on_tiles(-0.3), kCount);
  for (std::size_t e = 0; e < kCount; ++e) all.state.poses[3 * 7 * e] = -0.3 + 0.065 * static_cast<double>(e);
  const RolloutStateArrays begin = all.state;
  all.step();
  int traps = 0;
  for (std::int64_t e = 0; e < kCount; ++e) {
    Rollout one = with_distances(square_on_tiles(-0.3));
    one.state = chosen(begin, {e});
    one.step();
    const auto i = static_cast<std::size_t>(e);
    EXPECT_EQ(one.output.num_potential_contacts[0], all.output.num_potential_contacts[i]);
    EXPECT_EQ(one.output.num_relations[0], all.output.num_relations[i]);
    EXPECT_EQ(one.output.num_traps[0], all.output.num_traps[i]);
    EXPECT_EQ(one.output.separation[0], all.output.separation[2 * i]);
    EXPECT_EQ(one.output.separation[1], all.output.separation[2 * i + 1]);
    traps += all.output.num_traps[i];
  }
  EXPECT_GT(traps, 0);
}

}  // namespace
}  // namespace isopatch::test
