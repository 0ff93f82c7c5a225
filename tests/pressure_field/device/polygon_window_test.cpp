// SPDX-License-Identifier: Apache-2.0
//
// The patch contacts of a pair by one warp, with room for all of its polygons and for a few.
#include "isopatch/detail/pressure_field/polygon_window.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "host/evaluation/argument_check.h"
#include "host/scene/scene_data.h"
#include "tests/evaluator/patch_results.h"
#include "tests/support/compounds.h"
#include "tests/support/fiber_warp.h"

namespace isopatch::test {
namespace {

using namespace detail;

template <class T, int size>
ResultArrays by_a_warp(const Scene& scene, const Batch& batch, int max_clusters, std::size_t capacity) {
  ResultArrays results = patch_results(scene, batch.num_environments, max_clusters);
  State state = batch.view();
  Results to = results.view();
  check_arguments(scene, state, to);  // fills in strides
  const SceneView& view = scene.data().view;

  std::vector<PackedRowEntry> rows(capacity), other(capacity);
  std::vector<double> records(ElasticPolygons::numbers_for(capacity));
  const auto work = std::make_unique<PatchWorkspace<size>>();
  const PolygonWindow window = {rows.data(), other.data(), {records.data()}, static_cast<std::int64_t>(capacity)};
  FiberGroup<size> group;
  for (std::int64_t e = 0; e < state.num_environments; ++e) {
    std::int32_t count[kMaxContactModels] = {};
    BodyBounds bounds[limits::kMaxBodies];
    std::vector<std::int64_t> items(limits::kMaxPairs);
    group.run([&](FiberWarp<size>& warp) {
      begin_environment(warp, warp, bounds, view, state, to, e, {items.data(), count, 1});
    });
    group.run([&](FiberWarp<size>& warp) {
      for (std::int32_t i = 0; i < count[0]; ++i) {
        const int pair = static_cast<int>(items[static_cast<std::size_t>(i)] - e * view.num_pairs);
        write_patch_contacts<T, Parts::kSeveral>(warp, *work, window, view, state, to, e, pair);
      }
    });
  }
  return results;
}

void expect_those_of_the_cpu(const Scene& scene, const Batch& batch, const std::vector<std::size_t>& capacities) {
  for (const int clusters : {1, 3}) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const ResultArrays expected = patch_results(HostEvaluator(scene, {Backend::kCpu, precision}), batch, clusters);
      ASSERT_GT(num_patches(expected), 0);
      for (const std::size_t capacity : capacities) {
        SCOPED_TRACE(testing::Message() << clusters << " clusters, room for " << capacity);
        ResultArrays found = precision == Precision::kFloat ? by_a_warp<float, 32>(scene, batch, clusters, capacity)
                                                            : by_a_warp<double, 32>(scene, batch, clusters, capacity);
        for (std::size_t e = 0; e < found.status.size(); ++e) {  // bits of other stages
          found.status[e] |= expected.status[e] & (kNoContactSurface | kSumOverflow | kFarSide);
        }
        expect_same_patches(found, expected);
      }
    }
  }
}

TEST(PolygonWindow, HasThePatchContactsOfTheCpu) {
  const Scene scene(mixed_scene());
  expect_those_of_the_cpu(scene, random_batch(scene, 1, 811, 0.16, true), {5000, 50});
}

TEST(PolygonWindow, LosesNoPolygonHoweverFewFit) {
  const Scene scene(boxes_on_ground());
  expect_those_of_the_cpu(scene, random_batch(scene, 2, 812), {2, 3, 7});
}

TEST(PolygonWindow, HasThoseOfBodiesOfSeveralParts) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Scene scene(random_compounds(seed, {.most_bodies = 3, .most_parts = 5, .coarse = true}));
    expect_those_of_the_cpu(scene, compound_states(scene, 1, seed, seed % 2 == 0), {5000, 100});
  }
}

}  // namespace
}  // namespace isopatch::test
