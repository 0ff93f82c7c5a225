// SPDX-License-Identifier: Apache-2.0
//
// Which part pairs there are, and their wrenches.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/support/compounds.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

UnwrittenResults with_part_pairs(const Scene& scene, const Batch& batch, const EvaluatorOptions& options) {
  UnwrittenResults results(scene, batch.num_environments, Outputs::kPatch);
  results.give_part_pairs();
  Evaluator(scene, options).evaluate(batch.state(), results.view());
  return results;
}

TEST(RandomCompounds, HaveEveryKindOfPart) {
  int half_spaces = 0, shells = 0, rigid = 0, compliant = 0, mixed = 0, alternatives = 0, most_bodies = 0;
  std::size_t most_parts = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const SceneDescription scene = random_compounds(seed);
    most_bodies = std::max(most_bodies, static_cast<int>(scene.bodies.size()));
    for (const Body& body : scene.bodies) {
      const int rigid_before = rigid, compliant_before = compliant;
      most_parts = std::max(most_parts, body.parts.size());
      for (const Part& part : body.parts) {
        half_spaces += is_mesh(scene, part.geometry) ? 0 : 1;
        shells += needs_rigid(scene, part.geometry) ? 1 : 0;
        ++(*part.rigid ? rigid : compliant);
        alternatives += part.alternatives.empty() ? 0 : 1;
      }
      mixed += rigid > rigid_before && compliant > compliant_before ? 1 : 0;
    }
  }
  EXPECT_EQ(most_bodies, 4);
  EXPECT_EQ(most_parts, 8u);
  for (const int count : {half_spaces, shells, rigid, compliant, mixed, alternatives}) EXPECT_GT(count, 30);
}

TEST(ListOfPartPairs, IsByPairThenByPartOfAThenByPartOfB) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const SceneDescription description = random_compounds(seed);
    const Scene scene(description);
    std::vector<int> first;  // part of each body
    int count = 0;
    for (const Body& body : description.bodies) {
      first.push_back(count);
      count += static_cast<int>(body.parts.size());
    }
    EXPECT_EQ(scene.num_parts(), count);
    std::vector<PartPair> expected;
    for (std::size_t p = 0; p < description.pairs->size(); ++p) {
      const auto a = static_cast<std::size_t>((*description.pairs)[p].a);
      const auto b = static_cast<std::size_t>((*description.pairs)[p].b);
      for (std::size_t i = 0; i < description.bodies[a].parts.size(); ++i) {
        for (std::size_t k = 0; k < description.bodies[b].parts.size(); ++k) {
          const Part &of_a = description.bodies[a].parts[i], &of_b = description.bodies[b].parts[k];
          if (*of_a.rigid && *of_b.rigid) continue;
          if (!is_mesh(description, of_a.geometry) && !is_mesh(description, of_b.geometry)) continue;
          expected.push_back({static_cast<int>(p), first[a] + static_cast<int>(i), first[b] + static_cast<int>(k)});
        }
      }
    }
    const std::vector<PartPair> found = scene.part_pairs();
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(scene.num_part_pairs(), static_cast<int>(expected.size()));
    for (std::size_t q = 0; q < found.size(); ++q) {
      EXPECT_EQ(found[q].pair, expected[q].pair) << "part pair " << q;
      EXPECT_EQ(found[q].part_a, expected[q].part_a) << "part pair " << q;
      EXPECT_EQ(found[q].part_b, expected[q].part_b) << "part pair " << q;
    }
  }
}

// In units of the sum of the magnitudes.
TEST(PartPairWrench, AddsUpToThePairsWrench) {
  for (const auto& [precision, tolerance] : {std::pair{Precision::kDouble, 1e-12}, {Precision::kFloat, 1e-12}}) {
    double worst = 0;
    int touching = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      const Scene scene(random_compounds(seed));
      const Batch batch = compound_states(scene, 2, seed);
      const UnwrittenResults r = with_part_pairs(scene, batch, {Backend::kCpu, precision, 1});
      const std::vector<PartPair> part_pairs = scene.part_pairs();
      for (std::size_t e = 0; e < 2; ++e) {
        for (int p = 0; p < scene.num_pairs(); ++p) {
          for (std::size_t i = 0; i < 6; ++i) {
            double sum = 0, magnitude = 0;
            for (std::size_t q = 0; q < part_pairs.size(); ++q) {
              const double value = r.part_pair_wrench[6 * (e * part_pairs.size() + q) + i];
              if (part_pairs[q].pair == p) sum += value, magnitude += std::fabs(value);
            }
            const double found = r.pair_wrench[6 * (e * scene.num_pairs() + p) + i];
            if (magnitude > 0) worst = std::max(worst, std::fabs(found - sum) / magnitude);
            EXPECT_TRUE(magnitude > 0 || found == 0);
            touching += magnitude > 0 ? 1 : 0;
          }
        }
      }
    }
    std::cout << "  sums of part pairs: at most " << worst << "\n";
    EXPECT_LE(worst, tolerance);
    EXPECT_GT(touching, 600);
  }
}

/// Two balls, one of which touches a box.
SceneDescription two_balls_and_a_box() {
  SceneDescription scene = two_bodies(make_box("box", {0.1, 0.1, 0.1}), make_sphere("ball", 0.05, 1));
  scene.bodies[1].parts.resize(3);
  for (Part& part : scene.bodies[1].parts) part.geometry = 1;
  scene.bodies[1].parts[0].pose[0] = 5;
  scene.bodies[1].parts[1].pose[0] = 0.09;
  scene.bodies[1].parts[2].pose = {0, 0, 0.098, 1, 0, 0, 0};
  return scene;
}

TEST(PartPairWrench, IsZeroOfPartsApartAndInPairsThatAreNotEvaluated) {
  const Scene scene(two_balls_and_a_box());
  Batch batch(scene.description(), 4);
  batch.poses[14 * 1 + 7] = 3;         // far
  batch.pair_mask = {1, 1, 0, 1};      // left out
  batch.poses[14 * 3] = std::nan("");  // a fault
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const UnwrittenResults r = with_part_pairs(scene, batch, {backend, Precision::kDouble, 1});
    for (std::size_t i = 0; i < r.part_pair_wrench.size(); ++i) {
      const bool touches = i / 18 == 0 && i / 6 != 0;
      EXPECT_TRUE(touches || r.part_pair_wrench[i] == 0) << i;
    }
    EXPECT_LT(r.part_pair_wrench[6], -0.01);   // along x on the box
    EXPECT_LT(r.part_pair_wrench[14], -0.01);  // along z on the box
  }
}

// A pair of simple bodies has one part pair, with its wrench.
TEST(PartPairWrench, OfSimpleBodiesIsThatOfTheirPair) {
  const Scene scene(mixed_scene());
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const Batch batch = random_batch(scene, backend == Backend::kCpu ? 20 : 1, 7, 0.16, true);
    const UnwrittenResults r = with_part_pairs(scene, batch, {backend, Precision::kDouble, 1});
    EXPECT_EQ(r.part_pair_wrench, r.pair_wrench);
  }
}

}  // namespace
}  // namespace isopatch::test
