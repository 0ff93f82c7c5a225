// SPDX-License-Identifier: Apache-2.0
//
// Other programs, each run as a process, and folders for the files that they read and write.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/descriptor.h"

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

/// A folder among those for temporary files that is removed with its files. A lock distinguishes it from folders that
/// killed runs left behind, which are removed when the next one with this `prefix` is made. Throws Error if there is no
/// place for it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace isopatch::detail
