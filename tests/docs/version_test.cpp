// SPDX-License-Identifier: Apache-2.0
//
// CMakeLists.txt has the version; the Python package, the command and the reference read it there. What cannot is
// compared here.
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(source_path(path), std::ios::binary);
  EXPECT_TRUE(file) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the first group of a pattern matches first in a file of the repository.
std::string found_in(const std::string& path, const std::string& pattern) {
  const std::string text = read_text(path);
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex(pattern))) << path << ": no " << pattern;
  return match.empty() ? "" : match[1].str();
}

TEST(Version, IsTheSameEverywhere) {
  const std::string version = found_in("CMakeLists.txt", R"(project\(isopatch VERSION ([0-9]+\.[0-9]+\.[0-9]+) )");
  EXPECT_EQ(found_in("CITATION.cff", R"(\nversion: (\S+)\n)"), version);
  EXPECT_EQ(found_in("CHANGELOG.md", R"(\n## \[([0-9.]+)\])"), version) << "of the first heading";
  EXPECT_TRUE(run_program("--version").out.starts_with("isopatch " + version + "\n"));

  const std::string compatible = version.substr(0, version.rfind('.'));  // SameMinorVersion
  for (const char* path : {"README.md", "tests/consumer/CMakeLists.txt"}) {
    EXPECT_EQ(found_in(path, R"(find_package\(isopatch ([0-9.]+) REQUIRED\))"), compatible) << path;
  }
}

}  // namespace
}  // namespace isopatch::testing
