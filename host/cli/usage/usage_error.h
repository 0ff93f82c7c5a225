// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace isopatch::cli {

/// What was wrong with a command line, in one line: names the command or the option that is close to one that does not
/// exist, the values that an option takes if some are missing, and the help to read. `first` is the first argument.
std::string usage_error(const CLI::App& app, const std::string& first, const CLI::ParseError& error);

}  // namespace isopatch::cli
