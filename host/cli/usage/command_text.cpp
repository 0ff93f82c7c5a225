// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/command_text.h"

#include <fmt/format.h>

#include <sstream>

namespace isopatch::cli {
namespace {

/// The names of CLI::IsMember, which stand in the name of the type: "TEXT:{float,double}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream names(type.substr(begin + 1, end - begin - 1));
  for (std::string name; std::getline(names, name, ',');) choices.push_back(name);
  return choices;
}

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  if (!option.get_lnames().empty()) text.name = "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) text.short_name = "-" + option.get_snames().front();
  text.value = option.get_option_text();
  text.description = option.get_description();
  text.choices = choices_of(option);
  text.is_required = option.get_required();
  return text;
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= columns) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

PathKind path_kind(const std::string& value_text) {
  if (value_text == "DIR") return PathKind::kFolder;
  const bool has_extension = value_text.find('.') != std::string::npos && !value_text.ends_with("...");
  return has_extension || value_text.starts_with("FILE") ? PathKind::kFile : PathKind::kNone;
}

std::string OptionText::shown() const {
  if (name.empty()) return value;
  return (short_name.empty() ? "" : short_name + ", ") + name + (value.empty() ? "" : " " + value);
}

std::string CommandText::usage() const {
  std::string text = name == "isopatch" ? "isopatch [OPTIONS] COMMAND ..." : "isopatch " + name + " [OPTIONS]";
  for (const OptionText& argument : arguments) {
    text += argument.is_required ? " " + argument.value : " [" + argument.value + "]";
  }
  return text;
}

CommandText command_text(const CLI::App& command) {
  CommandText text{command.get_name(), command.get_description(), {}, {}, examples_of(command.get_name())};
  for (const CLI::Option* option : command.get_options({})) {
    (option->get_positional() ? text.arguments : text.options).push_back(option_text(*option));
  }
  for (OptionText& argument : text.arguments) {
    if (argument.value == kCommandValue) argument.choices = names_of(shown_commands(*command.get_parent()));
  }
  return text;
}

ProgramText program_text(const CLI::App& app, const std::string& version) {
  ProgramText text{version.substr(0, version.find('\n')), command_text(app), {}};
  for (const CLI::App* command : shown_commands(app)) text.commands.push_back(command_text(*command));
  return text;
}

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&name](const CLI::App* command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

}  // namespace isopatch::cli
