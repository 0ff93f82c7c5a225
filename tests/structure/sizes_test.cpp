// SPDX-License-Identifier: Apache-2.0
//
// How long a file may be, and how many a folder may have.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

constexpr std::size_t kMaxSourcesInAFolder = 30;
constexpr std::ptrdiff_t kMaxLinesInAFile = 500;

/// One line for each folder with too many sources, those in its folders not counted.
std::vector<std::string> crowded_folders(const std::vector<Source>& sources) {
  std::map<std::string, std::size_t> count;
  for (const Source& source : sources) ++count[folder_of(source.path)];
  std::vector<std::string> crowded;
  for (const auto& [folder, files] : count) {
    if (files > kMaxSourcesInAFolder) crowded.push_back(folder + " has " + std::to_string(files) + " sources");
  }
  return crowded;
}

/// One line for each file that is too long.
std::vector<std::string> long_files(const std::vector<Source>& sources) {
  std::vector<std::string> found;
  for (const Source& source : sources) {
    const std::ptrdiff_t lines = std::count(source.text.begin(), source.text.end(), '\n');
    if (lines > kMaxLinesInAFile) found.push_back(source.path + " has " + std::to_string(lines) + " lines");
  }
  return found;
}

TEST(Sizes, OfFoldersAreLimited) {
  const std::vector<Source> sources = project_sources();
  ASSERT_GT(sources.size(), 200u);
  const std::vector<std::string> crowded = crowded_folders(sources);
  EXPECT_TRUE(crowded.empty()) << all(crowded);
}

TEST(Sizes, OfFilesAreLimited) {
  const std::vector<Source> sources = project_sources();
  ASSERT_GT(sources.size(), 200u);
  const std::vector<std::string> found = long_files(sources);
  EXPECT_TRUE(found.empty()) << all(found);
}

TEST(SizesChecker, FindsACrowdedFolder) {
  std::vector<Source> sources;
  for (int i = 0; i < 30; ++i) sources.push_back({"host/mesh/" + std::to_string(i) + ".cpp", ""});
  sources.push_back({"host/mesh/files/one.cpp", ""});
  EXPECT_EQ(all(crowded_folders(sources)), "");
  sources.push_back({"host/mesh/one_more.cpp", ""});
  EXPECT_EQ(all(crowded_folders(sources)), "\n  host/mesh has 31 sources");
}

TEST(SizesChecker, FindsALongFile) {
  EXPECT_EQ(all(long_files({{"host/a.cpp", std::string(500, '\n')}})), "");
  EXPECT_EQ(all(long_files({{"host/a.cpp", std::string(501, '\n')}})), "\n  host/a.cpp has 501 lines");
}

}  // namespace
}  // namespace isopatch::structure
