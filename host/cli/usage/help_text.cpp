// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/help_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "host/cli/usage/command_text.h"

namespace isopatch::cli {
namespace {

constexpr std::size_t kHelpColumns = 80;
constexpr std::size_t kNameColumns = 26;  // with the two spaces before and after a name

/// A list of names with what they mean in a second column.
std::string section(const char* title, const std::vector<std::pair<std::string, std::string>>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [name, meaning] : rows) {
    std::string start = "  " + name;
    if (start.size() + 2 > kNameColumns) {
      text += start + "\n";
      start.clear();
    }
    for (const std::string& line : wrapped(meaning, kHelpColumns - kNameColumns)) {
      text += fmt::format("{:<{}}{}\n", start, kNameColumns, line);
      start.clear();
    }
  }
  return text;
}

std::string options_section(const char* title, const std::vector<OptionText>& options) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const OptionText& option : options) rows.emplace_back(option.shown(), option.description);
  return section(title, rows);
}

}  // namespace

std::string help_text(const CLI::App& command) {
  const CommandText text = command_text(command);
  std::string help = fmt::format("{}\n\nUsage: {}\n", text.description, text.usage());
  help += options_section("Arguments", text.arguments);
  std::vector<std::pair<std::string, std::string>> commands;
  for (const CLI::App* of_program : shown_commands(command)) {
    commands.emplace_back(of_program->get_name(), of_program->get_description());
  }
  help += section("Commands", commands);
  help += options_section("Options", text.options);
  if (!text.examples.empty()) help += "\nExamples:\n";
  for (const Example& example : text.examples) help += fmt::format("  # {}\n  {}\n", example.meaning, example.line);
  return help;
}

}  // namespace isopatch::cli
