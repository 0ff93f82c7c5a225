// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/usage_error.h"

#include <fmt/format.h>

#include <vector>

#include "host/text/quote.h"

namespace isopatch::cli {

using namespace detail;

namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The message for one command, or for the program without any.
std::string message_of(const CLI::App& command, const CLI::ParseError& error) {
  for (const std::string& extra : command.remaining()) {
    if (!extra.starts_with("-")) continue;
    const std::string name = extra.substr(0, extra.find('='));
    return fmt::format("{} has no option {}{}", command.get_name(), in_quotes(name, '"'),
                       suggestion(name, names_of_options(command)));
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

}  // namespace

std::string usage_error(const CLI::App& app, const std::string& first, const CLI::ParseError& error) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  std::string message, help = "isopatch --help";
  if (!given.empty()) {
    message = message_of(*given.front(), error);
    help = "isopatch " + given.front()->get_name() + " --help";
  } else if (first.empty()) {
    message = "needs a command: " + list_of(names_of_commands(app));
  } else if (!first.starts_with("-")) {
    message = "there is no command " + in_quotes(first, '"') + suggestion(first, names_of_commands(app));
  } else {
    message = message_of(app, error);
  }
  return message.ends_with("?") ? message : message + "; see " + help;
}

}  // namespace isopatch::cli
