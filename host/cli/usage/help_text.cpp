// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "host/cli/usage/command_text.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"
#include "host/text/throw_error.h"

namespace isopatch::cli {

using namespace detail;

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

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : shown_commands(app)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// How `render` makes the picture that an option of another command seems to ask for; nothing for other options.
std::string drawn_by_render(const CLI::App& command, const std::string& option) {
  static const std::vector<std::string> kPictures = {"html", "page", "glb", "png", "mp4", "gif"};
  const std::string& name = command.get_name();
  const std::string kind = option.substr(option.find_first_not_of('-'));
  const bool is_picture = std::find(kPictures.begin(), kPictures.end(), kind) != kPictures.end();
  if (!is_picture || (name != "evaluate" && name != "rollout")) return "";
  const CLI::Option* scene = command.get_option("scene");
  const std::string file = scene->count() > 0 ? scene->as<std::string>() : "SCENE.json";
  if (name == "rollout") {
    return fmt::format("; isopatch rollout {} --output run.npz, then isopatch render run.npz -o run.{} draws it", file,
                       kind == "page" ? "html" : kind);
  }
  const std::vector<std::string> rest = command.remaining();
  const auto given = std::find_if(rest.begin(), rest.end(), [](const std::string& r) { return !r.starts_with("-"); });
  const std::string output =
      given != rest.end() ? *given
                          : std::filesystem::path(file).replace_extension(kind == "page" ? "html" : kind).string();
  return fmt::format("; isopatch render {} -o {} draws it", file, output);
}

/// The message for one command, or for the program without any.
std::string message_of(const CLI::App& command, const CLI::ParseError& error) {
  for (const std::string& extra : command.remaining()) {
    if (!extra.starts_with("-")) continue;
    const std::string name = extra.substr(0, extra.find('='));
    const std::string picture = drawn_by_render(command, name);
    return fmt::format("{} has no option {}{}", command.get_name(), in_quotes(name, '"'),
                       picture.empty() ? suggestion(name, names_of_options(command)) : picture);
  }
  std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return message;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (message.starts_with(name + ":")) {
      return fmt::format("{} {}{}", name, option->get_option_text(), message.substr(name.size()));
    }
  }
  return message;
}

std::string with_help(const std::string& message, const std::string& command) {
  return message.ends_with("?") ? message : fmt::format("{}; see isopatch {}--help", message, command);
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

std::string unknown_command(const CLI::App& app, const std::string& name) {
  return with_help("there is no command " + in_quotes(name, '"') + suggestion(name, names_of_commands(app)), "");
}

std::string empty_value(const std::string& value_text, bool is_option) {
  return fmt::format("found an empty text, as of a shell variable that is not set; give {}{}", value_text,
                     is_option ? " or leave it out" : "");
}

void refuse_empty_values(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = arguments.empty() ? nullptr : find_command(app, arguments.front());
  if (command == nullptr) return;
  for (const std::string& argument : arguments) {
    if (argument == "--") return;  // what follows are no options
    if (!argument.starts_with("--") || argument.find('=') != argument.size() - 1) continue;
    const std::string name = argument.substr(0, argument.size() - 1);
    const CLI::Option* option = command->get_option_no_throw(name);
    if (option == nullptr) continue;  // another error
    const std::string value = option->get_option_text();
    throw Error(with_help(name + ": " + (value.empty() ? "takes no value" : empty_value(value, true)),
                          command->get_name() + " "));
  }
}

std::string usage_error(const CLI::App& app, const std::string& first, const CLI::ParseError& error) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  if (!given.empty()) return with_help(message_of(*given.front(), error), given.front()->get_name() + " ");
  if (first.empty()) return with_help("needs a command: " + list_of(names_of_commands(app)), "");
  if (!first.starts_with("-")) return unknown_command(app, first);
  return with_help(message_of(app, error), "");
}

}  // namespace isopatch::cli
