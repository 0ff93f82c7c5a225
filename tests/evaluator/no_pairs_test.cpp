// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "isopatch/isopatch.h"

namespace isopatch {
namespace {

// An array of nothing may be null: a vector without elements is.
TEST(Scenes, WithoutPairsHaveNoForces) {
  SceneDescription description;
  description.geometries = {make_box("box", {1, 1, 1})};
  description.bodies = {{.name = "a", .geometry = 0}, {.name = "b", .geometry = 0}};
  description.pairs.emplace();
  const std::vector<double> poses = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0.5, 1, 0, 0, 0};
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const HostEvaluator evaluator(Scene(description), {.backend = backend});
    std::vector<double> body_wrench(12, 7), pair_wrench;
    std::uint32_t status = 7;
    Results results;
    results.pair_wrench = pair_wrench.data();
    results.body_wrench = body_wrench.data();
    results.status = &status;
    State state;
    state.num_environments = 1;
    state.poses = poses.data();
    evaluator.evaluate(state, results);
    EXPECT_EQ(body_wrench, std::vector<double>(12, 0.0));
    EXPECT_EQ(status, 0U);
  }
}

}  // namespace
}  // namespace isopatch
