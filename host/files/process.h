// SPDX-License-Identifier: Apache-2.0
//
// Other programs, each run as a process of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isopatch::detail {

/// The program of that name on PATH.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct ProcessEnd {
  std::string problem;    // "exited with status 3"; empty if all went well
  std::string last_line;  // the last line of stdout and stderr that is not blank, up to 4 KiB of it
};

/// Runs a program without input and waits for it. `check` is called every 50 ms, and ends the program by throwing; it
/// is killed too if it prints more than 64 MiB.
ProcessEnd run_process(const std::filesystem::path& program, std::vector<std::string> arguments,
                       const std::function<void()>& check);

/// Starts a program without input and output, which goes on by itself. Returns why it could not be started, or nothing.
std::string start_process(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace isopatch::detail
