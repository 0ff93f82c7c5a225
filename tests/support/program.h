// SPDX-License-Identifier: Apache-2.0
//
// Runs the built program as a user does, and keeps a folder for its files.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/paths/paths.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::testing {

struct Outcome {
  int code;         // 128 + the signal where one ended it
  std::string out;  // stdout and stderr
};

/// Runs a command of the shell.
inline Outcome run_shell(const std::string& command) {
  Outcome result{-1, ""};
  FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.out.append(buffer.data(), count);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

inline Outcome run_program(const std::string& arguments) { return run_shell(program_path() + " " + arguments); }

/// A test with a folder of its own, which is gone afterwards.
class FolderTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return temporary_.path(name); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The names of all files in the folder, sorted, each with a space after it.
  std::string names() const {
    const Outcome listed = run_shell("ls -A " + folder_.string() + " | tr '\\n' ' '");
    return listed.out;
  }

 private:
  TemporaryFolder temporary_;

 protected:
  const std::filesystem::path& folder_ = temporary_.folder();
};

}  // namespace isopatch::testing
