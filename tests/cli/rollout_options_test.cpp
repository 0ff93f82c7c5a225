// SPDX-License-Identifier: Apache-2.0
//
// Options of `isopatch rollout` override the scene's block `rollout`: the results have the bits of a scene that says
// the same.
#include "isopatch/status.h"
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

/// Of a bar that lands on an edge and turns over it.
TEST_F(RolloutOptions, OfRelationsAreThoseOfTheScene) {
  const auto run = [this](const std::string& keys, const std::string& arguments) {
    const std::string file = write("bar.json", R"({"isopatch": 1,
      "geometries": {"bar": {"type": "polygon", "points": [[-0.2, 0], [0.2, 0], [0.2, 0.02], [-0.2, 0.02]]},
                     "edge": {"type": "polygon", "points": [[0, 0], [1, 0], [1, -1], [0, -1]]}},
      "bodies": [{"name": "bar", "geometry": "bar", "rigid": true, "density": 1, "friction": 0, "position": [-0.1, 0, 0]},
                 {"name": "edge", "geometry": "edge", "rigid": true, "fixed": true, "friction": 0}],
      "contact": {"model": "polytope"},
      "rollout": {"time_step": 0.02, "duration": 0.2, "gravity": [0, -9.81, 0] )" +
                                                   keys + "}}");
    const testing::Outcome result =
        testing::run_program("rollout --backend cpu " + file + " --output " + path("r.npz") + arguments);
    EXPECT_EQ(result.code, 0) << result.out;
    return parse_npz(read("r.npz"), "r.npz");
  };
  const RolloutArrays plain = run("", ""), once = run("", " --geometry-iterations 1"),
                      full = run("", " --relation-capacity 1");
  EXPECT_FALSE(once.at("velocities").bytes == plain.at("velocities").bytes) << "it changes nothing";
  EXPECT_EQ(values<std::uint32_t>(full.at("status")), std::vector{std::uint32_t{kStepCapacity | kFrozen}});
  const RolloutArrays once_by_scene = run(R"(, "geometry_iterations": 1)", ""),
                      full_by_scene = run(R"(, "relation_capacity": 1)", "");
  expect_same(once, once_by_scene);
  expect_same(full, full_by_scene);
}

TEST_F(RolloutOptions, DurationIsThatOfAllSteps) {
  expect_same(arrays("--duration 0.06"), arrays("--steps 30"));
  expect_same(arrays("--duration 0.06 --dt 0.004"), arrays("--steps 15 --dt 0.004"));
  EXPECT_EQ(values<double>(arrays("--duration 0.06").at("time")).back(), 30 * 0.002);
}

}  // namespace
}  // namespace isopatch::cli
