// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace isopatch::cli {

/// The help of a command or of the program, in lines of at most 80 columns.
std::string help_text(const CLI::App& command);

}  // namespace isopatch::cli
