// SPDX-License-Identifier: Apache-2.0
//
// Options of `isopatch rollout` override the scene's block `rollout`: the results have the bits of a scene that says
// the same.
#include "tests/cli/rollout_fixture.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::RolloutArrays;
using testing::values;

class RolloutOptions : public testing::RolloutTest {
 protected:
  /// The rollout of a scene with these keys more in its block `rollout`.
  RolloutArrays of_scene(const std::string& keys) const {
    const testing::Outcome result =
        testing::run_program("rollout --backend cpu " + scene(", " + keys) + " --output " + path("s.npz"));
    EXPECT_EQ(result.code, 0) << keys << "\n" << result.out;
    return parse_npz(read("s.npz"), "s.npz");
  }
};

TEST_F(RolloutOptions, AreThoseOfTheScene) {
  const RolloutArrays plain = arrays("");
  const std::pair<const char*, const char*> cases[] = {{"--gravity 1 0.5 -3", R"("gravity": [1, 0.5, -3])"},
                                                       {"--points centroid", R"("points": "centroid")"},
                                                       {"--points fan6", R"("points": "fan6")"},
                                                       {"--tolerance 1e-2", R"("tolerance": 1e-2)"},
                                                       {"--integrator sdirk2", R"("integrator": "sdirk2")"},
                                                       {"--polygons 500", R"("polygon_capacity": 500)"}};
  for (const auto& [option, key] : cases) {
    const RolloutArrays found = arrays(option);
    SCOPED_TRACE(option);
    expect_same(found, of_scene(key));
    if (std::string(option).starts_with("--polygons")) continue;
    EXPECT_FALSE(found.at("velocities").bytes == plain.at("velocities").bytes) << "it changes nothing";
  }
}

TEST_F(RolloutOptions, DurationIsThatOfAllSteps) {
  expect_same(arrays("--duration 0.06"), arrays("--steps 30"));
  expect_same(arrays("--duration 0.06 --dt 0.004"), arrays("--steps 15 --dt 0.004"));
  EXPECT_EQ(values<double>(arrays("--duration 0.06").at("time")).back(), 30 * 0.002);
}

}  // namespace
}  // namespace isopatch::cli
