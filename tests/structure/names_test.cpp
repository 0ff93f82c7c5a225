// SPDX-License-Identifier: Apache-2.0
//
// A type has one definition: two of one name in one namespace, each seen by sources of its own, link into one program
// and share the functions that either of them makes of templates. So has a module of Python's tests: pytest imports a
// file by its name without its folder, and refuses a second.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

bool is_cpp(const std::string& path) {
  const std::string extension = path.substr(path.rfind('.') + 1);
  return extension == "h" || extension == "cpp" || extension == "cu" || extension == "cuh";
}

/// The types that a file defines in namespaces with names, with these: as clang-format writes them, from the first
/// column on.
std::set<std::string> types_of(const std::string& text) {
  static const std::regex begins("namespace ?([A-Za-z0-9_:]*) ?\\{"), ends("\\}  // namespace.*"),
      type(
          "(?:template <.*> )?(?:struct|class|union|enum class) (?:alignas\\([0-9]+\\) )?([A-Za-z0-9_]+)"
          "( : .*| final.*)? ?\\{.*");
  std::set<std::string> types;
  std::vector<std::string> within;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, begins)) {
      within.push_back(found[1].str().empty() ? "(none)" : found[1].str());
    } else if (std::regex_match(line, ends)) {
      if (!within.empty()) within.pop_back();
    } else if (std::regex_match(line, found, type)) {
      std::string name;
      for (const std::string& space : within) name += space + "::";
      if (name.find("(none)") == std::string::npos) types.insert(name + found[1].str());
    }
  }
  return types;
}

/// "type: file, file" of those that several files define. Programs of their own may have types like others.
std::vector<std::string> defined_twice(const std::vector<Source>& sources) {
  std::map<std::string, std::vector<std::string>> files;
  for (const Source& source : sources) {
    if (!is_cpp(source.path) || source.path.find("/consumer/") != std::string::npos) continue;
    for (const std::string& type : types_of(source.text)) files[type].push_back(source.path);
  }
  std::vector<std::string> found;
  for (const auto& [type, in] : files) {
    if (in.size() < 2) continue;
    std::string line = type + ":";
    for (const std::string& file : in) line += " " + file;
    found.push_back(line);
  }
  return found;
}

/// "name: file, file" of the tests of the package that share a name.
std::vector<std::string> modules_named_twice(const std::vector<Source>& sources) {
  std::map<std::string, std::string> files;
  std::map<std::string, int> count;
  for (const Source& source : sources) {
    if (!starts(source.path, "tests/python/") || source.path.find("_test.py") == std::string::npos) continue;
    const std::string name = source.path.substr(source.path.rfind('/') + 1);
    files[name] += " " + source.path;
    ++count[name];
  }
  std::vector<std::string> found;
  for (const auto& [name, in] : files) {
    if (count[name] > 1) found.push_back(name + ":" + in);
  }
  return found;
}

TEST(Names, ATypeIsDefinedOnce) {
  const std::vector<std::string> found = defined_twice(project_sources());
  EXPECT_TRUE(found.empty()) << ::testing::PrintToString(found);
}

TEST(Names, ASecondDefinitionIsFound) {
  const auto twice = [](const char* a, const char* b) {
    return defined_twice({{"host/a.h", a}, {"kernels/b.cuh", b}}).size();
  };
  const char* const one = "namespace isopatch::detail {\nstruct Part {\n};\n}  // namespace isopatch::detail\n";
  EXPECT_EQ(twice(one, one), 1u);
  EXPECT_EQ(twice(one, "namespace isopatch::detail {\nclass Part final : public Other {\n};\n"), 1u);
  EXPECT_EQ(twice(one, "namespace isopatch::detail {\nstruct Part;\nstruct Party {\n};\n"), 0u);
  EXPECT_EQ(twice(one, "namespace isopatch::detail {\nnamespace {\nstruct Part {\n};\n}  // namespace\n"), 0u);
  EXPECT_EQ(twice(one, "namespace isopatch::test {\nstruct Part {\n};\n"), 0u);
  EXPECT_EQ(twice(one, "namespace isopatch::detail {\nclass Part::Inner {\n};\n"), 0u);
}

TEST(Names, ATestOfThePackageHasANameOfItsOwn) {
  const std::vector<std::string> found = modules_named_twice(project_sources());
  EXPECT_TRUE(found.empty()) << ::testing::PrintToString(found);
  EXPECT_EQ(modules_named_twice({{"tests/python/a/steps_test.py", ""}, {"tests/python/b/steps_test.py", ""}}).size(),
            1u);
  EXPECT_EQ(modules_named_twice({{"tests/python/a/steps_test.py", ""}, {"tests/python/b/my_steps_test.py", ""}}).size(),
            0u);
}

}  // namespace
}  // namespace isopatch::structure
