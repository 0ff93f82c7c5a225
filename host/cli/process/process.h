// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace isopatch::cli {

/// What a program may print before it is ended. Only the end is kept.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

struct ProcessEnd {
  std::string problem;    // "ended with 3"; empty where all went well
  std::string last_line;  // the last one of stdout and stderr with more than white space, up to 4 KiB of it
};

/// Runs a program without input and waits for it. It is ended where it prints more than kMaxOutput bytes, and after a
/// signal, which throws Interrupted.
ProcessEnd run_process(const std::filesystem::path& program, std::vector<std::string> arguments);

}  // namespace isopatch::cli
