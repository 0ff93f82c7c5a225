// SPDX-License-Identifier: Apache-2.0
//
// Bad input to `isopatch rollout` is one line and leaves nothing behind; and what --check says.
#include <algorithm>
#include <sstream>

#include "tests/cli/rollout_fixture.h"
#include "tests/support/paths/paths.h"

namespace isopatch::cli {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::run_shell;

class RolloutErrors : public testing::RolloutTest {};

TEST_F(RolloutErrors, AreOneLineThatSaysWhereAndLeaveNoFile) {
  scene();
  write("key.json", R"({"isopatch": 1, "geometries": {"b": {"type": "box", "size": [1, 1, 1]}},
    "bodies": [{"name": "b", "geometry": "b"}], "pairs": [], "rollout": {"time_stp": 1}})");
  write("ground.json", R"({"isopatch": 1,
    "geometries": {"b": {"type": "box", "size": [1, 1, 1]}, "g": {"type": "half_space"}},
    "bodies": [{"name": "g", "geometry": "g"}, {"name": "b", "geometry": "b"}]})");
  write("bad.npz", "no archive at all, really");
  const std::string before = names();
  const std::string run = "rollout --backend cpu " + path("scene.json") + " --output " + path("o.npz") + " ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {run + "--steps 61", "scene.json: bodies[1].motion.times: the path of 'hand' ends at 0.12 s, before the rollout"},
      {run + "--dt 0", "--dt: '0' is not a number from 1e-09 to"},
      {run + "--dt nan", "--dt: 'nan' is not a number from"},
      {run + "--dt 1", "scene.json: rollout.duration: 0.1 s are 0 time steps of 1 s"},
      {run + "--steps -1", "--steps: '-1' is not a whole number from 0 to"},
      {run + "--every 0", "--every: '0' is not a whole number from 1 to"},
      {run + "--polygons 1.5", "--polygons: '1.5' is not a whole number"},
      {run + "--geometry-iterations 0", "--geometry-iterations: '0' is not a whole number from 1 to 32"},
      {run + "--geometry-iterations 33", "--geometry-iterations: '33' is not a whole number from 1 to 32"},
      {run + "--geometry-iterations 2.5", "--geometry-iterations: '2.5' is not a whole number"},
      {run + "--relation-capacity -1", "--relation-capacity: '-1' is not a whole number from 0 to"},
      {run + "--integrator rk4", "--integrator: rk4 not in"},
      {"rollout --backend cpu --integrator sdirk2 " + source_path("bench/scenes/seam.json"),
       "'square' and 'left' have a contact of model polytope, which the integrator sdirk2 does not take"},
      {"rollout --backend reference " + path("scene.json"),
       "the reference backend evaluates contact but does not step"},
      {run + "--states " + path("bad.npz"), "bad.npz: not an .npz archive"},
      {"rollout --backend cpu " + path("key.json"),
       "key.json: rollout.time_stp: unknown field; did you mean \"time_step\"?"},
      {"rollout --backend cpu " + path("scene.json") + " --output " + path("o.json"), "the name must end in .npz"},
      {"rollout --backend cpu " + path("scene.json") + " --output " + path("none/o.npz"),
       "none/o.npz: cannot be written"},
      {"rollout --backend cpu " + path("scene.json") + " --vtk " + path("bad.npz"), "bad.npz: cannot be created"},
      {"rollout --backend cpu " + path("ground.json"),
       "ground.json: bodies[0]: a half space cannot be a free body; make it fixed or prescribed"},
      {run + "--dt 0.01 --duration 0.001", "--duration: 0.001 s are 0 time steps of 0.01 s"},
      {run + "--duration 0", "--duration: '0' is not a number from 1e-09 to"},
      {run + "--gravity 0 0 x", "--gravity: 'x' is not a number from -1000000000 to"},
      {run + "--points all", "--points: all not in"},
      {run + "--tolerance 1", "--tolerance: '1' is not a number from 1e-15 to 0.1"},
      {"rollout none.json", "none.json: "}};
  for (const auto& [arguments, message] : cases) {
    const Outcome result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.out;
    EXPECT_TRUE(result.out.starts_with("isopatch: error: ")) << arguments << "\n" << result.out;
    EXPECT_NE(result.out.find(message), std::string::npos) << arguments << "\n" << result.out;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << arguments << "\n" << result.out;
  }
  EXPECT_EQ(names(), before);
}

TEST_F(RolloutErrors, OfTooManyRowsComeBeforeTheFirstStep) {
  const Outcome result = rollout("--envs 200 --dt 1e-6 --steps 100000 --output " + path("o.npz"));
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.out.find("o.npz: 100001 rows of 200 environments take "), std::string::npos) << result.out;
}

TEST_F(RolloutErrors, APathMayEndWithTheRollout) {
  EXPECT_EQ(rollout("--steps 60").code, 0);
  EXPECT_EQ(rollout("--steps 1200 --dt 1e-4").code, 0);
}

TEST_F(RolloutErrors, AnInterruptLeavesNoOutput) {
  const std::string file = source_path("bench/scenes/stack_of_ten.json");
  const std::string command = program_path() + " rollout --backend cpu --steps 100000000 --every 1000000 " + file +
                              " --output " + path("o.npz") + " --vtk " + path("v");
  const Outcome result =
      run_shell(command + " & pid=$!; sleep 1; for i in 1 2 3 4 5; do kill -INT $pid; sleep 0.4; done; wait $pid");
  EXPECT_EQ(result.code, 130) << result.out;
  EXPECT_EQ(names(), "v ");
  EXPECT_TRUE(std::filesystem::is_empty(path("v")));
}

/// The two numbers before the name of a body in what --check prints.
std::pair<double, double> differences_of(const std::string& text, const std::string& body) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("  " + body)) continue;
    std::istringstream numbers(line);
    double position = -1, angle = -1;
    numbers >> position >> angle;
    return {position, angle};
  }
  return {-1, -1};
}

TEST_F(RolloutErrors, OfTheStepAreWhatHalfOfItChanges) {
  const auto check = [this](const std::string& arguments) {
    const Outcome result = rollout("--check --precision double --envs 2 " + arguments);
    EXPECT_EQ(result.code, 0) << result.out;
    return result.out;
  };
  const std::string coarse = check(""), fine = check("--dt 0.0005");
  EXPECT_NE(coarse.find("With half the time step, 0.001 s instead of 0.002 s"), std::string::npos) << coarse;
  const auto [position, angle] = differences_of(coarse, "ball");
  const auto [fine_position, fine_angle] = differences_of(fine, "ball");
  EXPECT_GT(position, 1e-6);
  EXPECT_LT(position, 1e-2);
  EXPECT_GT(angle, 1e-6);
  EXPECT_LT(fine_position, 0.5 * position) << "first order";
  EXPECT_LT(fine_angle, 0.5 * angle) << "first order";
  EXPECT_LT(differences_of(coarse, "hand").first, 1e-15) << "the path's own pose";
  EXPECT_EQ(differences_of(coarse, "ground").first, 0);
}

}  // namespace
}  // namespace isopatch::cli
