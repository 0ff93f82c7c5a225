// SPDX-License-Identifier: Apache-2.0
//
// All commands with their options: what is parsed, and what help, manual page and completions are made of.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/commands.h"

namespace isopatch::cli {

struct InfoArguments {
  std::vector<std::string> files;
  std::string field = "distance";
  std::optional<std::string> data;
  std::optional<double> within;
};

/// The values of all commands, of which one is given.
struct Arguments {
  EvaluateArguments evaluate;
  RolloutArguments rollout;
  RenderArguments render, view;
  FieldArguments field;
  TetrahedralizeArguments tetrahedralize;
  InfoArguments info;
  std::string helped;           // the command whose help is printed
  std::string generated, date;  // "man" or a shell; YYYY-MM-DD of the manual page
};

/// What `--version` prints: "isopatch X.Y.Z" in the first line.
using VersionText = std::function<std::string()>;

/// Adds everything to an empty `app`, whose parse() then writes into `arguments` and runs the command.
void declare(CLI::App& app, Arguments& arguments, const VersionText& version);

}  // namespace isopatch::cli
