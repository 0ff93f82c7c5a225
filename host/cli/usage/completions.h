// SPDX-License-Identifier: Apache-2.0
//
// Completions of shells. Each offers the commands, after one its options, and after an option the names that it takes,
// files or folders.
#pragma once

#include <string>

#include "host/cli/usage/command_text.h"

namespace isopatch::cli {

std::string bash_completions(const ProgramText& program);
std::string zsh_completions(const ProgramText& program);
std::string fish_completions(const ProgramText& program);

}  // namespace isopatch::cli
