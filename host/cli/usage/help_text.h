// SPDX-License-Identifier: Apache-2.0
//
// The help of commands, and what is said of a wrong command line.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace isopatch::cli {

/// The help of a command or of the program, in lines of at most 80 columns.
std::string help_text(const CLI::App& command);

/// What was wrong with a command line, in one line: names the command or the option that is close to one that does not
/// exist, the values that an option takes if some are missing, and the help to read. `first` is the first argument.
std::string usage_error(const CLI::App& app, const std::string& first, const CLI::ParseError& error);

/// What is wrong with a command that does not exist, as usage_error() says it.
std::string unknown_command(const CLI::App& app, const std::string& name);

/// What is wrong with an option or argument that is an empty text, and what would be right: what the help calls
/// `value_text`.
std::string empty_value(const std::string& value_text, bool is_option);

/// Throws Error for an option that ends in "=", to which CLI11 would give the next argument.
void refuse_empty_values(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace isopatch::cli
