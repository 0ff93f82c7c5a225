// SPDX-License-Identifier: Apache-2.0
//
// The help of each command, its width, and its examples, which are run.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/cli/usage/declarations.h"
#include "host/cli/usage/help_text.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

constexpr std::size_t kColumns = 80;

/// All commands, hidden ones too.
std::vector<std::string> commands() {
  CLI::App app;
  cli::Arguments arguments;
  cli::declare(app, arguments, [] { return "isopatch 0.0.0"; });
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// The command lines at the end of a help.
std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> lines;
  std::istringstream in(help.substr(std::min(help.find("\nExamples:\n"), help.size())));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("  isopatch ")) lines.push_back(line.substr(2));
  }
  return lines;
}

class Help : public FolderTest {};

TEST_F(Help, OfACommandIsThatOfItsOption) {
  const Outcome of_program = run_program("help");
  EXPECT_EQ(of_program.code, 0);
  EXPECT_EQ(of_program.out, run_program("--help").out);
  EXPECT_EQ(of_program.out.find("generate"), std::string::npos) << "it is hidden";
  for (const std::string& command : commands()) {
    const Outcome help = run_program("help " + command);
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_EQ(help.out, run_program(command + " --help").out) << command;
    EXPECT_EQ(help.out, run_program(command + " -h").out) << command;
    EXPECT_NE(help.out.find("Usage: isopatch " + command + " "), std::string::npos) << help.out;
  }
}

TEST_F(Help, OfAnUnknownCommandIsAnError) {
  const Outcome help = run_program("help evalute");
  EXPECT_EQ(help.code, 2);
  EXPECT_EQ(help.out, "isopatch: error: there is no command \"evalute\"; did you mean \"evaluate\"?\n");
  EXPECT_EQ(run_program("help evaluate rollout").code, 2);
}

TEST_F(Help, LinesAreAtMost80Wide) {
  std::vector<std::string> all = commands();
  all.emplace_back("");
  for (const std::string& command : all) {
    std::istringstream help(run_program(command + " --help").out);
    for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), kColumns) << command << ": " << line;
  }
}

TEST_F(Help, OfAllButHiddenCommandsHasExamplesThatRun) {
  std::filesystem::create_directory(path("bin"));
  std::filesystem::create_symlink(program_path(), path("bin/isopatch"));
  for (const char* folder : {"bench", "tests"}) std::filesystem::create_symlink(source_path(folder), path(folder));
  const bool has_mesher = run_shell("command -v tetgen || command -v gmsh").code == 0;
  const bool has_render = run_program("--version").out.find("render    yes") != std::string::npos;
  for (std::string command : commands()) {
    const bool draws = command == "render" || command == "view";
    const bool can_run = draws ? has_render : has_mesher || command != "tetrahedralize";
    if (command == "generate") command = "";
    const std::vector<std::string> examples = examples_in(run_program(command + " --help").out);
    EXPECT_GE(examples.size(), 1U) << command;
    EXPECT_LE(examples.size(), 3U) << command;
    for (const std::string& example : examples) {
      const Outcome result = run_shell("cd " + path("") + " && BROWSER=true PATH=" + path("bin") + ":$PATH " + example);
      EXPECT_EQ(result.code, can_run ? 0 : 2) << example << "\n" << result.out;
      EXPECT_EQ(result.out.find("warning"), std::string::npos) << example << "\n" << result.out;
    }
  }
}

}  // namespace
}  // namespace isopatch::testing
