// SPDX-License-Identifier: Apache-2.0
//
// An empty text in place of a value, as of a shell variable that is not set, is an error of every option and argument.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/cli/usage/command_text.h"
#include "host/cli/usage/declarations.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

using cli::CommandText;
using cli::OptionText;

class EmptyValues : public FolderTest {
 protected:
  /// What `isopatch` with these arguments says in this folder, after "isopatch: error: ".
  std::string error_of(const std::string& arguments) const {
    const Outcome result = run_shell("cd " + path("") + " && " + program_path() + " " + arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.out;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << arguments << "\n" << result.out;
    const std::string start = "isopatch: error: ";
    EXPECT_TRUE(result.out.starts_with(start)) << arguments << "\n" << result.out;
    return result.out.substr(std::min(start.size(), result.out.size()));
  }
};

/// All commands with valid arguments: "evaluate '/.../sphere_on_box.json'".
std::vector<std::pair<CommandText, std::string>> commands() {
  CLI::App app;
  cli::Arguments arguments;
  cli::declare(app, arguments, [] { return "isopatch 0.0.0"; });
  const std::string scene = source_path("bench/scenes/sphere_on_box.json");
  const std::string tets = source_path("tests/fuzz/corpus/vtk/cube.vtk"),
                    surface = source_path("tests/scenes/cube.obj");
  std::vector<std::pair<CommandText, std::string>> found;
  for (const auto& [name, valid] :
       std::vector<std::pair<std::string, std::string>>{{"evaluate", scene},
                                                        {"rollout", scene},
                                                        {"render", scene + " -o q.glb"},
                                                        {"view", scene},
                                                        {"field", tets + " q.vtk"},
                                                        {"tetrahedralize", surface + " q.vtk"},
                                                        {"info", tets},
                                                        {"help", "info"},
                                                        {"generate", "man"}}) {
    found.emplace_back(cli::command_text(*cli::find_command(app, name)), name + " " + valid);
  }
  EXPECT_EQ(found.size(), app.get_subcommands([](const CLI::App*) { return true; }).size());
  return found;
}

TEST_F(EmptyValues, OfOptionsAreErrorsAndLeaveNothing) {
  int options = 0, paths = 0;
  for (const auto& [command, valid] : commands()) {
    for (const OptionText& option : command.options) {
      if (option.value.empty()) continue;
      const std::string expected = option.name +
                                   ": found an empty text, as of a shell variable that is not set; give " +
                                   option.value + " or leave it out; see isopatch " + command.name + " --help\n";
      EXPECT_EQ(error_of(valid + " " + option.name + " ''"), expected);
      EXPECT_EQ(error_of(valid + " " + option.name + "="), expected);
      EXPECT_EQ(error_of(valid + " " + option.name + "= 4"), expected);
      ++options;
      if (cli::path_kind(option.value) == cli::PathKind::kNone) continue;
      EXPECT_EQ(error_of(valid + " " + option.name + " --check"),
                option.name + ": found the option \"--check\" instead of " + option.value + "; see isopatch " +
                    command.name + " --help\n");
      ++paths;
    }
  }
  EXPECT_GT(options, 40);
  EXPECT_GE(paths, 9);
  EXPECT_EQ(names(), "");
}

TEST_F(EmptyValues, OfArgumentsAreErrorsAndLeaveNothing) {
  int arguments = 0;
  for (const auto& [command, valid] : commands()) {
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
      std::string given = command.name;
      for (std::size_t k = 0; k < command.arguments.size(); ++k) given += k == i ? " ''" : " x.vtk";
      const std::string error = error_of(given);
      EXPECT_NE(error.find("found an empty text"), std::string::npos) << given << "\n" << error;
      EXPECT_NE(error.find("give " + command.arguments[i].value + ";"), std::string::npos) << given << "\n" << error;
      ++arguments;
    }
  }
  EXPECT_EQ(arguments, 11);
  EXPECT_EQ(names(), "");
}

TEST_F(EmptyValues, OfOneOfSeveralNumbersAreErrors) {
  const std::string rollout = "rollout " + source_path("bench/scenes/incline.json");
  EXPECT_NE(error_of(rollout + " --gravity 0 '' -9").find("--gravity: found an empty text"), std::string::npos);
}

TEST_F(EmptyValues, OfFlagsAreErrors) {
  EXPECT_EQ(error_of("evaluate " + source_path("bench/scenes/sphere_on_box.json") + " --energy="),
            "--energy: takes no value; see isopatch evaluate --help\n");
}

}  // namespace
}  // namespace isopatch::testing
