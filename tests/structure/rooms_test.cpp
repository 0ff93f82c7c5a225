// SPDX-License-Identifier: Apache-2.0
//
// Which folder may include which. Below include/isopatch/detail the order is
//
//   math <- simt <- scene <- bvh <- pressure_field, volumetric, polytope <- rollout
//
// and contact models never include each other. The function that finds violations is shown to find them.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

constexpr std::size_t kMaxSourcesInAFolder = 20;
const std::string kDetail = "include/isopatch/detail/";

const std::map<std::string, int>& levels() {
  static const std::map<std::string, int> of_rooms = {{"math", 0},     {"simt", 1},           {"scene", 2},
                                                      {"bvh", 3},      {"pressure_field", 4}, {"volumetric", 4},
                                                      {"polytope", 4}, {"rollout", 5}};
  return of_rooms;
}

struct Include {
  int line = 0;
  std::string spelling;
  bool quoted = false;
};

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> found;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, 8, "#include") != 0) continue;
    const auto open = line.find_first_of("\"<", begin);
    if (open == std::string::npos) continue;
    const auto close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    found.push_back({number, line.substr(open + 1, close - open - 1), line[open] == '"'});
  }
  return found;
}

bool starts(const std::string& path, const std::string& folder) { return path.compare(0, folder.size(), folder) == 0; }

/// "scene" for "include/isopatch/detail/scene/environment.h"; nothing outside of detail.
std::optional<std::string> room_of(const std::string& path) {
  if (!starts(path, kDetail)) return {};
  const auto end = path.find('/', kDetail.size());
  return end == std::string::npos ? "" : path.substr(kDetail.size(), end - kDetail.size());
}

/// Why a file may not include another; nothing if it may. Both are paths from the root.
std::optional<std::string> forbidden(const std::string& from, const std::string& to) {
  const auto from_room = room_of(from), to_room = room_of(to);
  if (from_room && to_room && *from_room != *to_room) {
    const auto a = levels().find(*from_room), b = levels().find(*to_room);
    if (a == levels().end() || b == levels().end()) return "a room without a level: add it to rooms_test.cpp";
    if (a->second == b->second) return "contact models do not include each other";
    if (a->second < b->second) return *from_room + " comes before " + *to_room;
  }
  if (starts(from, "include/") && !from_room && to_room) return "a public header does not include private ones";

  struct Rule {
    const char *from, *to;
  };
  static const Rule rules[] = {{"include/", "host/"},
                               {"include/", "kernels/"},
                               {"host/", "kernels/"},
                               {"kernels/", "host/cpu/"},
                               {"tests/", "bench/"}};
  for (const Rule& rule : rules) {
    if (starts(from, rule.from) && starts(to, rule.to)) {
      return std::string(rule.from) + " does not include " + rule.to;
    }
  }
  if (starts(to, "tests/") && !starts(from, "tests/") && !starts(from, "bench/")) {
    return "only tests and benchmarks include tests/";
  }
  if (starts(to, "bench/") && !starts(from, "bench/")) return "only benchmarks include bench/";
  return {};
}

/// One line for each include that breaks a rule.
std::vector<std::string> wrong_includes(const std::vector<Source>& sources) {
  std::set<std::string> paths;
  for (const Source& source : sources) paths.insert(source.path);
  std::vector<std::string> wrong;
  for (const Source& source : sources) {
    for (const Include& include : includes_of(source.text)) {
      const bool is_ours = starts(include.spelling, "isopatch/");
      if (!include.quoted && !is_ours) continue;
      const std::string to = (is_ours ? "include/" : "") + include.spelling;
      std::optional<std::string> reason;
      if (paths.count(to) == 0) {
        reason = "no such file: spell it from the root of the repository, or isopatch/...";
      } else {
        reason = forbidden(source.path, to);
      }
      if (reason) {
        wrong.push_back(source.path + ":" + std::to_string(include.line) + ": " + include.spelling + ": " + *reason);
      }
    }
  }
  return wrong;
}

/// One line for each folder with too many sources of its own. Inputs and results are not sources.
std::vector<std::string> crowded_folders(const std::vector<Source>& sources) {
  std::map<std::string, std::size_t> count;
  for (const Source& source : sources) ++count[source.path.substr(0, source.path.rfind('/'))];
  std::vector<std::string> crowded;
  for (const auto& [folder, files] : count) {
    if (files > kMaxSourcesInAFolder) crowded.push_back(folder + " has " + std::to_string(files) + " sources");
  }
  return crowded;
}

std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

TEST(Rooms, AreIncludedInTheirOrder) {
  const std::vector<Source> sources = project_sources();
  ASSERT_GT(sources.size(), 200u);
  const std::vector<std::string> wrong = wrong_includes(sources);
  EXPECT_TRUE(wrong.empty()) << all(wrong);
}

TEST(Rooms, AreNotCrowded) {
  const std::vector<std::string> crowded = crowded_folders(project_sources());
  EXPECT_TRUE(crowded.empty()) << all(crowded);
}

/// What is wrong if a file includes another; empty if nothing is.
std::string verdict(const std::string& from, const std::string& to, const std::string& line) {
  const std::vector<std::string> wrong = wrong_includes({{from, "#pragma once\n" + line + "\n"}, {to, ""}});
  EXPECT_LE(wrong.size(), 1u);
  return wrong.empty() ? "" : wrong[0];
}

TEST(RoomsChecker, FindsAnIncludeAgainstTheOrder) {
  const auto detail = [](const std::string& from, const std::string& to) {
    return verdict(kDetail + from, kDetail + to, "#include \"isopatch/detail/" + to + "\"");
  };
  EXPECT_EQ(detail("bvh/traverse.h", "scene/scene_view.h"), "");
  EXPECT_EQ(detail("pressure_field/clip.h", "pressure_field/energy.h"), "");
  EXPECT_EQ(detail("rollout/solver.h", "volumetric/bristles.h"), "");
  EXPECT_EQ(
      detail("bvh/traverse.h", "pressure_field/node_test.h"),
      "include/isopatch/detail/bvh/traverse.h:2: isopatch/detail/pressure_field/cells/node_test.h: bvh comes before "
      "pressure_field");
  EXPECT_NE(detail("math/vec.h", "simt/warp.h"), "");
  EXPECT_NE(detail("polytope/features.h", "pressure_field/clip.h").find("models do not include each other"),
            std::string::npos);
  EXPECT_NE(detail("fluids/drag.h", "math/vec.h").find("without a level"), std::string::npos);
  EXPECT_NE(detail("vec.h", "math/macros.h").find("without a level"), std::string::npos);
}

TEST(RoomsChecker, FindsAnIncludeAcrossABorder) {
  EXPECT_NE(
      verdict("include/isopatch/scene/scene.h", kDetail + "math/vec.h", "#include \"isopatch/detail/math/vec.h\""), "");
  EXPECT_NE(verdict("include/isopatch/scene/scene.h", kDetail + "math/vec.h", "#include <isopatch/detail/math/vec.h>"),
            "");
  EXPECT_NE(verdict("include/isopatch/scene/scene.h", "host/arrays.h", "#include \"host/arrays.h\""), "");
  EXPECT_NE(verdict("host/evaluation/evaluator.cpp", "kernels/work.h", "  #include \"kernels/work.h\""), "");
  EXPECT_NE(verdict("kernels/cuda_backend.cu", "host/cpu/pool.h", "#include \"host/cpu/pool.h\""), "");
  EXPECT_NE(verdict("host/evaluation/evaluator.cpp", "tests/support/scenes.h", "#include \"tests/support/scenes.h\""),
            "");
  EXPECT_NE(verdict("tests/cli/a_test.cpp", "bench/device_arrays.h", "#include \"bench/device_arrays.h\""), "");

  EXPECT_EQ(verdict("kernels/cuda_backend.cu", "host/arrays.h", "#include \"host/arrays.h\""), "");
  EXPECT_EQ(verdict("bench/a_bench.cpp", "tests/support/scenes.h", "#include \"tests/support/scenes.h\""), "");
  EXPECT_EQ(
      verdict("host/evaluation/evaluator.cpp", "include/isopatch/scene/scene.h", "#include \"isopatch/scene/scene.h\""),
      "");
}

TEST(RoomsChecker, FindsAnIncludeThatIsNotSpeltFromTheRoot) {
  EXPECT_NE(verdict("host/scene/scene.cpp", "host/scene/scene_data.h", "#include \"scene/scene_data.h\""), "");
  EXPECT_NE(verdict("host/scene/scene.cpp", "host/scene/scene_data.h", "#include \"scene_data.h\""), "");
  EXPECT_NE(verdict("host/scene/scene.cpp", "include/isopatch/scene/scene.h", "#include \"isopatch/scenes.h\""), "");
  EXPECT_EQ(verdict("host/scene/scene.cpp", "include/isopatch/scene/scene.h", "#include <vector>"), "");
}

TEST(RoomsChecker, FindsACrowdedFolder) {
  std::vector<Source> sources;
  for (int i = 0; i < 20; ++i) sources.push_back({"host/mesh/" + std::to_string(i) + ".cpp", ""});
  sources.push_back({"host/mesh/files/one.cpp", ""});
  EXPECT_EQ(all(crowded_folders(sources)), "");
  sources.push_back({"host/mesh/one_more.cpp", ""});
  EXPECT_EQ(all(crowded_folders(sources)), "\n  host/mesh has 21 sources");
}

}  // namespace
}  // namespace isopatch::structure
