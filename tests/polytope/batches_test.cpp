// SPDX-License-Identifier: Apache-2.0
//
// Contacts and relations of an environment are the same in any batch, order and number of threads, and beside
// environments at fault.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/polytope/polytope_scenes.h"
#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

constexpr std::int64_t kMany = 4096;
constexpr RelationRoom kRoom = {100, 100, 400};

std::vector<std::uint64_t> hashes_of(const Scene& scene, const Batch& batch, int num_threads,
                                     const RelationRoom& room = kRoom) {
  EvaluatorOptions options;
  options.num_threads = num_threads;
  PolytopeResults results(scene, batch.num_environments, room);
  State state = batch.state();
  state.time_step = 0.01;
  HostEvaluator(scene, options).evaluate(state, results.view());
  return environment_hashes(results);
}

std::vector<SceneDescription> scenes() { return {solid_polytopes(), finger_and_boxes(), flat_polytopes()}; }

TEST(PolytopeBatches, HaveTheSameBitsInAnySizeOrderAndNumberOfThreads) {
  for (const SceneDescription& description : scenes()) {
    const Scene scene(description);
    const Batch batch = batch_of_polytopes(scene, kMany, 91);
    const std::vector<std::uint64_t> all = hashes_of(scene, batch, 1);
    EXPECT_EQ(hashes_of(scene, batch, 2), all);
    EXPECT_EQ(hashes_of(scene, batch, 5), all);

    std::vector<std::int64_t> order(kMany);
    for (std::int64_t i = 0; i < kMany; ++i) order[static_cast<std::size_t>(i)] = (i * 1009 + 17) % kMany;
    const std::vector<std::uint64_t> shuffled = hashes_of(scene, batch.permuted(order), 2);
    for (std::size_t i = 0; i < shuffled.size(); ++i) EXPECT_EQ(shuffled[i], all[static_cast<std::size_t>(order[i])]);

    for (const std::int64_t size : {1, 7}) {
      std::vector<std::int64_t> some(static_cast<std::size_t>(size));
      std::iota(some.begin(), some.end(), 1000);
      Batch few = batch.permuted(some);
      few.num_environments = size;
      for_each_input([&](const ArrayInfo&, auto& values) { values.resize(values.size() / kMany * some.size()); }, few);
      const std::vector<std::uint64_t> found = hashes_of(scene, few, 1);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], all[1000 + i]);
    }
  }
}

TEST(PolytopeBatches, FaultsInOneOfAHundredLeaveTheBitsOfAllOthers) {
  for (const SceneDescription& description : scenes()) {
    const Scene scene(description);
    const std::size_t bodies = description.bodies.size();
    Batch batch = batch_of_polytopes(scene, kMany, 92);
    batch.geometry_index.clear();
    for (std::int64_t e = 0; e < kMany; ++e) {
      for (const Body& body : description.bodies) {
        for (const Part& part : parts_of(body)) batch.geometry_index.push_back(part.geometry);
      }
    }
    const std::size_t parts = batch.geometry_index.size() / kMany;
    const std::vector<std::uint64_t> sound = hashes_of(scene, batch, 2);
    for (std::size_t e = 50; e < kMany; e += 100) {
      double* const pose = &batch.poses[7 * bodies * e];
      if (e / 100 % 3 == 0) pose[1] = std::numeric_limits<double>::quiet_NaN();
      if (e / 100 % 3 == 1) pose[3] = pose[4] = pose[5] = pose[6] = 0;
      if (e / 100 % 3 == 2) batch.geometry_index[parts * e] = 99;
    }
    PolytopeResults results(scene, kMany, kRoom);
    State state = batch.state();
    state.time_step = 0.01;
    HostEvaluator(scene).evaluate(state, results.view());
    const std::vector<std::uint64_t> found = environment_hashes(results);
    for (std::size_t e = 0; e < kMany; ++e) {
      if (e % 100 != 50) {
        EXPECT_EQ(found[e], sound[e]);
        continue;
      }
      EXPECT_EQ(results.status[e], e / 100 % 3 == 2 ? kBadGeometry : kBadPose);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(results.relations_needed[3 * e + i], 0);
    }
  }
}

/// Rows of the others, with room for one contact in each environment.
TEST(PolytopeBatches, ABufferOfOneContactCountsAllOfThem) {
  const Scene scene(solid_polytopes());
  const Batch batch = batch_of_polytopes(scene, kMany, 93);
  const auto evaluate = [&](const RelationRoom& room) {
    PolytopeResults results(scene, kMany, room);
    HostEvaluator(scene).evaluate(batch.state(), results.view());
    return results;
  };
  const PolytopeResults all = evaluate(kRoom), one = evaluate({1, kRoom.relations, kRoom.members});
  EXPECT_EQ(one.relations_needed, all.relations_needed);
  EXPECT_EQ(one.separation, all.separation);
  EXPECT_EQ(one.relation_members, all.relation_members);
  int full = 0;
  for (std::size_t e = 0; e < kMany; ++e) {
    const bool is_full = one.relations_needed[3 * e] > 1;
    EXPECT_EQ((one.status[e] & kRelationCapacity) != 0, is_full);
    full += is_full ? 1 : 0;
  }
  EXPECT_GT(full, 100);
}

}  // namespace
}  // namespace isopatch::test
