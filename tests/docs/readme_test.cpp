// SPDX-License-Identifier: Apache-2.0
//
// The README's examples are the code and the scenes that the tests run.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "isopatch/scene.h"

namespace isopatch {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(std::string(ISOPATCH_SOURCE_DIR) + "/" + path, std::ios::binary);
  EXPECT_TRUE(file) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The first block of the README in a language, without its fences.
std::string readme_block(const std::string& language) {
  const std::string readme = read_text("README.md");
  const std::string open = "\n```" + language + "\n";
  const std::size_t begin = readme.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t first = begin + open.size();
  return readme.substr(first, readme.find("\n```\n", first) + 1 - first);
}

TEST(Readme, ExampleIsTheConsumerProgram) {
  ASSERT_FALSE(readme_block("cpp").empty());
  EXPECT_EQ(readme_block("cpp"), read_text("tests/consumer/main.cpp"));
}

TEST(Readme, SceneIsAccepted) {
  const SceneDescription scene = parse_scene(readme_block("json"), "", "README.md");
  EXPECT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(Scene(scene).num_pairs(), 1);
}

}  // namespace
}  // namespace isopatch
