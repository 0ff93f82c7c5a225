// SPDX-License-Identifier: Apache-2.0
//
// Which words stand where: a contact model is named in its own rooms, in the lists of models and in what reads files.
// The functions that find violations are shown to find them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

struct Word {
  std::string text;                // in small letters
  std::vector<std::string> rooms;  // parts of paths where it may stand
  std::size_t most;                // lines, or files, elsewhere
};

/// An enumerator of ContactModel, in lines of product sources that are no comment.
const Word& model_enumerators() {
  static const Word word = {"contactmodel::k",
                            {"/single_contact/", "/pressure_field/", "/polytope/", "/models/", "host/scene_file/",
                             "host/reference/model_rules.cpp", "include/isopatch/scene/contact.h"},
                            3};
  return word;
}

/// Files of the product, where a model has neither a room nor a line of a list.
const Word& polytopes() {
  static const Word word = {
      "polytope",
      {"/polytope", "host/cpu/contact/models.h", "host/cpu/library_models.cpp", "host/cpu/cpu_simulator.cpp",
       "kernels/contact/models.h", "kernels/library_models.cu", "kernels/cuda_simulator.cu",
       "host/reference/contact_models.cpp", "host/reference/model_rules.cpp", "host/scene/models/models.h",
       "host/python/examples/", ".md"},
      15};
  return word;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_product(const std::string& path) {
  return starts(path, "include/") || starts(path, "host/") || starts(path, "kernels/");
}

/// "path:line" of each line with the word outside of its rooms.
std::vector<std::string> lines_elsewhere(const std::vector<Source>& sources, const Word& word) {
  std::vector<std::string> found;
  for (const Source& source : sources) {
    const auto may = [&](const std::string& room) { return contains(source.path, room); };
    if (!is_product(source.path) || std::any_of(word.rooms.begin(), word.rooms.end(), may)) continue;
    std::size_t number = 1;
    for (std::size_t begin = 0; begin < source.text.size(); ++number) {
      const std::size_t end = std::min(source.text.find('\n', begin), source.text.size());
      const std::string line = in_small_letters(source.text.substr(begin, end - begin));
      const std::size_t at = line.find(word.text);
      if (at != std::string::npos && line.rfind("//", at) == std::string::npos) {
        found.push_back(source.path + ":" + std::to_string(number));
      }
      begin = end + 1;
    }
  }
  return found;
}

/// The product's files outside of a word's rooms whose text has it.
std::vector<std::string> files_elsewhere(const std::vector<Source>& sources, const Word& word) {
  std::vector<std::string> found;
  for (const Source& source : sources) {
    const auto may = [&](const std::string& room) { return contains(source.path, room); };
    if (!is_product(source.path) || std::any_of(word.rooms.begin(), word.rooms.end(), may)) continue;
    if (contains(in_small_letters(source.text), word.text)) found.push_back(source.path);
  }
  return found;
}

/// The product's files of a model whose text has the word.
std::vector<std::string> files_with(const std::vector<Source>& sources, const std::string& in_path,
                                    const std::string& word) {
  std::vector<std::string> found;
  for (const Source& source : sources) {
    if (!is_product(source.path) || !contains(source.path, in_path)) continue;
    if (contains(in_small_letters(source.text), word)) found.push_back(source.path);
  }
  return found;
}

TEST(Words, AModelIsNamedInItsRoomsAndLists) {
  const std::vector<std::string> found = lines_elsewhere(project_sources(), model_enumerators());
  EXPECT_LE(found.size(), model_enumerators().most) << ::testing::PrintToString(found);
}

TEST(Words, PolytopesAreNamedInTheirRoomsAndLists) {
  const std::vector<std::string> found = files_elsewhere(project_sources(), polytopes());
  EXPECT_LE(found.size(), polytopes().most) << ::testing::PrintToString(found);
}

TEST(Words, BristlesAreNoAffairOfPressureFields) {
  const std::vector<std::string> found = files_with(project_sources(), "pressure_field", "bristle");
  EXPECT_LE(found.size(), 5u) << ::testing::PrintToString(found);
}

TEST(Words, OneTooManyIsFound) {
  const std::vector<Source> planted = {
      {"host/rollout/a.cpp", "int a;\nif (m == ContactModel::kPoint) a = 1;\n// ContactModel::kPoint\n"},
      {"host/cpu/polytope/b.cpp", "ContactModel::kPolytope"},
      {"tests/c.cpp", "ContactModel::kPoint"},
      {"kernels/pressure_field/d.cu", "// Bristles\n"},
      {"host/rollout/e.cpp", "// of Polytopes\n"},
  };
  EXPECT_EQ(lines_elsewhere(planted, model_enumerators()), std::vector<std::string>{"host/rollout/a.cpp:2"});
  EXPECT_EQ(files_elsewhere(planted, polytopes()), std::vector<std::string>{"host/rollout/e.cpp"});
  EXPECT_EQ(files_with(planted, "pressure_field", "bristle"), std::vector<std::string>{"kernels/pressure_field/d.cu"});
}

}  // namespace
}  // namespace isopatch::structure
