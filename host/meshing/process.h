// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace isopatch::detail {

/// The most bytes a program may print before it is killed. Only the last ones are kept.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

struct ProcessEnd {
  std::string problem;    // "exited with status 3"; empty if all went well
  std::string last_line;  // the last line of stdout and stderr that is not blank, up to 4 KiB of it
};

/// Runs a program without input and waits for it. Kills it if it prints more than kMaxOutput bytes, and after a
/// signal, then throwing Interrupted.
ProcessEnd run_process(const std::filesystem::path& program, std::vector<std::string> arguments);

}  // namespace isopatch::detail
