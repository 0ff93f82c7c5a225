// SPDX-License-Identifier: Apache-2.0
//
// The manual page and the completions of shells have all commands and options, and their own programs accept them.
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/cli/usage/command_text.h"
#include "host/cli/usage/declarations.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

cli::ProgramText declared() {
  CLI::App app;
  cli::Arguments arguments;
  cli::declare(app, arguments, [] { return "isopatch 0.0.0"; });
  return cli::program_text(app, "isopatch 0.0.0");
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_there(const std::string& program) { return run_shell("command -v " + program).code == 0; }

class Pages : public FolderTest {
 protected:
  /// The path of a page, written as the build does.
  std::string page(const std::string& what) const {
    const Outcome result = run_program("generate " + what + " --date 2026-01-02");
    EXPECT_EQ(result.code, 0) << result.out;
    return write(what, result.out);
  }

  /// `command` says nothing.
  static void expect_silent(const std::string& command) {
    const Outcome result = run_shell(command);
    EXPECT_EQ(result.code, 0) << command << "\n" << result.out;
    EXPECT_EQ(result.out, "") << command;
  }

  /// What bash offers for the last of these words.
  std::string offers(const std::string& words) const {
    std::istringstream in(words);
    int last = -1;
    for (std::string word; in >> word;) ++last;
    return run_shell("bash -c 'compopt() { echo \"$@\"; }; source " + path("bash") + "; COMP_WORDS=(" + words +
                     "); COMP_CWORD=" + std::to_string(last) + "; _isopatch; echo \"${COMPREPLY[@]}\"'")
        .out;
  }
};

TEST_F(Pages, HaveEveryCommandAndOption) {
  const auto plain = [this](const std::string& what) {
    page(what);
    std::string text = read(what);
    for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  };
  const std::string man = plain("man"), bash = plain("bash"), zsh = plain("zsh"), fish = plain("fish");
  for (const cli::CommandText& command : declared().commands) {
    EXPECT_TRUE(contains(man, ".SS isopatch " + command.name)) << command.name;
    EXPECT_TRUE(contains(bash, " " + command.name)) << command.name;
    EXPECT_TRUE(contains(zsh, "'" + command.name + ":")) << command.name;
    EXPECT_TRUE(contains(fish, " -a " + command.name + " ")) << command.name;
    for (const cli::OptionText& option : command.options) {
      EXPECT_TRUE(contains(man, "\\fB" + option.name + "\\fR")) << option.name;
      EXPECT_TRUE(contains(bash, option.name)) << option.name;
      EXPECT_TRUE(contains(zsh, "'" + option.name + "[")) << option.name;
      EXPECT_TRUE(contains(fish, "from " + command.name + "'" +
                                     (option.short_name.empty() ? "" : " -s " + option.short_name.substr(1)) + " -l " +
                                     option.name.substr(2) + " "))
          << option.name;
    }
  }
  for (const std::string& text : {man, bash, zsh, fish}) EXPECT_FALSE(contains(text, "--date")) << "it is hidden";
}

TEST_F(Pages, OfTheManualHaveNoFaults) {
  const std::string man = page("man");
  EXPECT_TRUE(contains(read("man"), ".TH ISOPATCH 1 2026-01-02 \"isopatch "));
  if (!is_there("groff") && !is_there("mandoc")) GTEST_SKIP() << "neither groff nor mandoc is installed";
  if (is_there("groff")) expect_silent("groff -man -z -ww " + man);
  if (is_there("mandoc")) expect_silent("mandoc -T lint " + man);
}

TEST_F(Pages, OfShellsAreValid) {
  expect_silent("bash -n " + page("bash"));
  EXPECT_EQ(run_shell("bash -c 'source " + path("bash") + "; complete -p isopatch'").out,
            "complete -F _isopatch isopatch\n");
  for (const auto& [shell, check] : {std::pair("zsh", "zsh -n "), std::pair("fish", "fish --no-execute ")}) {
    if (is_there(shell)) expect_silent(check + page(shell));
  }
}

TEST_F(Pages, OfBashOfferWhatFits) {
  page("bash");
  EXPECT_EQ(offers("isopatch e"), "evaluate\n");
  EXPECT_EQ(offers("isopatch --v"), "--version\n");
  EXPECT_EQ(offers("isopatch evaluate --pa"), "--part-pairs --patches\n");
  EXPECT_EQ(offers("isopatch evaluate --backend c"), "cpu cuda\n");
  EXPECT_EQ(offers("isopatch evaluate --backend = c"), "cpu cuda\n");
  EXPECT_EQ(offers("isopatch rollout s.json --integrator s"), "sdirk2\n");
  EXPECT_EQ(offers("isopatch evaluate be"), "-o default\n\n");
  EXPECT_EQ(offers("isopatch evaluate s.json --vtk o"), "-o dirnames\n\n");
  EXPECT_EQ(offers("isopatch evaluate s.json --envs 1"), "\n");
  EXPECT_EQ(offers("isopatch help ro"), "rollout\n");
}

}  // namespace
}  // namespace isopatch::testing
