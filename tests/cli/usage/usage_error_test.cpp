// SPDX-License-Identifier: Apache-2.0
//
// What the command says of its arguments.
#include "tests/support/program.h"

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/paths/paths.h"

namespace isopatch::testing {
namespace {

const std::string kScene = source_path("bench/scenes/sphere_on_box.json");

void expect_errors(const std::vector<std::pair<std::string, std::string>>& cases) {
  for (const auto& [arguments, message] : cases) {
    const Outcome result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.out;
    EXPECT_EQ(result.out, "isopatch: error: " + message + "\n") << arguments;
  }
}

TEST(Usage, VersionSaysWhatTheBuildHas) {
  const Outcome result = run_program("--version");
  EXPECT_EQ(result.code, 0);
  const std::regex expected(
      "isopatch [0-9]+\\.[0-9]+\\.[0-9]+\n"
      "compiler  (GCC|clang) [0-9].*\n"
      "CUDA      (no|[0-9.]+, ([0-9]+ devices? found|not used: .+))\n"
      "render    (yes|no)\n"
      "coarsens  (yes|no)\n");
  EXPECT_TRUE(std::regex_match(result.out, expected)) << result.out;
}

TEST(Usage, UnknownCommandsAndOptionsAreNamedWithTheNearest) {
  expect_errors(
      {{"evalute x", R"(there is no command "evalute"; did you mean "evaluate"?)"},
       {"frobnicate x",
        R"(there is no command "frobnicate"; known: "evaluate", "rollout", "render", "view", "field", "tetrahedralize", )"
        R"("info", "help"; see isopatch --help)"},
       {"--versoin", R"(isopatch has no option "--versoin"; did you mean "--version"?)"},
       {"evaluate " + kScene + " --envz 3", R"(evaluate has no option "--envz"; did you mean "--envs"?)"},
       {"rollout --durations=3 " + kScene, R"(rollout has no option "--durations"; did you mean "--duration"?)"},
       {"", R"(needs a command: "evaluate", "rollout", "render", "view", "field", "tetrahedralize", "info", "help"; )"
            "see isopatch --help"}});
}

TEST(Usage, PicturesThatOtherCommandsDoNotDrawAreLeftToRender) {
  expect_errors({{"evaluate m.json --html x.html", R"(evaluate has no option "--html"; isopatch render m.json -o )"
                                                   "x.html draws it; see isopatch evaluate --help"},
                 {"evaluate m.json --png", R"(evaluate has no option "--png"; isopatch render m.json -o m.png draws )"
                                           "it; see isopatch evaluate --help"},
                 {"rollout m.json --gif", R"(rollout has no option "--gif"; isopatch rollout m.json --output run.npz, )"
                                          "then isopatch render run.npz -o run.gif draws it; see isopatch rollout "
                                          "--help"}});
}

TEST(Usage, OptionsOfOtherToolsAreTranslated) {
  expect_errors(
      {{"evaluate m.json --num_envs 3", R"(evaluate has no option "--num_envs"; did you mean "--envs"?)"},
       {"evaluate m.json -o r.npz", R"(evaluate has no option "-o"; did you mean "--output"?)"},
       {"rollout m.json --timestep 1e-3", R"(rollout has no option "--timestep"; did you mean "--dt"?)"},
       {"rollout m.json --gpu", R"(rollout has no option "--gpu"; did you mean "--backend" (--backend cuda)?)"},
       {"rollout m.json --jobs 3", R"(rollout has no option "--jobs"; did you mean "--threads"?)"},
       {"tetrahedralize a.obj b.vtk --faces 9", R"(tetrahedralize has no option "--faces"; did you mean )"
                                                R"("--triangles"?)"},
       {"tetrahedralize a.obj b.vtk --edgeLength 1", R"(tetrahedralize has no option "--edgeLength"; did you mean )"
                                                     R"("--edge-length"?)"},
       {"draw m.json", R"(there is no command "draw"; did you mean "render"?)"},
       {"simulate x", R"(there is no command "simulate"; did you mean "rollout"?)"}});
}

TEST(Usage, MissingValuesAreNamed) {
  expect_errors({{"field a.vtk b.vtk --core-ball 0 0 0",
                  "--core-ball X Y Z R: At least 4 required but received 3; see isopatch field --help"},
                 {"rollout a.json --gravity 0 0",
                  "--gravity X Y Z: At least 3 required but received 2; see isopatch rollout --help"}});
}

TEST(Usage, OptionsWithoutEffectAreErrors) {
  expect_errors(
      {{"evaluate " + kScene + " --patches 2", "--patches requires --vtk; see isopatch evaluate --help"},
       {"evaluate " + kScene + " --seed 2 --states s.npz", "--seed excludes --states; see isopatch evaluate --help"},
       {"rollout " + kScene + " --seed 2 --states s.npz", "--seed excludes --states; see isopatch rollout --help"},
       {"rollout " + kScene + " --steps 2 --duration 1", "--steps excludes --duration; see isopatch rollout --help"}});
}

}  // namespace
}  // namespace isopatch::testing
