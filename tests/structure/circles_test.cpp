// SPDX-License-Identifier: Apache-2.0
//
// The includes between folders of include, host and kernels form no circle. A folder is a room without the folders in
// it, so a file beside a folder may use the folder only if nothing in there uses a file beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

/// It includes every public header, for programs; no other header includes it.
const std::string kUmbrella = "include/isopatch/isopatch.h";

/// For each folder those that it includes from, each with the first such include.
using Graph = std::map<std::string, std::map<std::string, std::string>>;

Graph folder_graph(const std::vector<Source>& sources) {
  std::set<std::string> paths;
  for (const Source& source : sources) paths.insert(source.path);
  Graph graph;
  for (const Source& source : sources) {
    const std::string from = folder_of(source.path);
    const bool is_product = starts(from, "include/") || starts(from, "host") || starts(from, "kernels");
    if (!is_product || source.path == kUmbrella) continue;
    for (const Include& include : includes_of(source.text)) {
      const std::string to = folder_of(include.path);
      if (paths.count(include.path) == 0 || to == from) continue;
      graph[from].emplace(to, source.path + ":" + std::to_string(include.line) + ": " + include.spelling);
    }
  }
  return graph;
}

/// All folders that a folder includes from, directly or through others.
std::set<std::string> reachable(const Graph& graph, const std::string& folder) {
  std::set<std::string> found;
  std::vector<std::string> open = {folder};
  while (!open.empty()) {
    const auto node = graph.find(open.back());
    open.pop_back();
    if (node == graph.end()) continue;
    for (const auto& [next, include] : node->second) {
      if (found.insert(next).second) open.push_back(next);
    }
  }
  return found;
}

/// The strongly connected components of more than one folder: for each the names of its folders, then a line for each
/// arrow between two of them.
std::vector<std::string> circles(const std::vector<Source>& sources) {
  const Graph graph = folder_graph(sources);
  std::map<std::string, std::set<std::string>> reached;
  for (const auto& [folder, arrows] : graph) reached[folder] = reachable(graph, folder);

  std::vector<std::string> lines;
  std::set<std::string> listed;
  for (const auto& [folder, others] : reached) {
    if (others.count(folder) == 0 || listed.count(folder) != 0) continue;
    std::set<std::string> circle;
    for (const std::string& other : others) {
      if (reached[other].count(folder) != 0) circle.insert(other);
    }
    listed.insert(circle.begin(), circle.end());
    std::string names;
    for (const std::string& name : circle) names += (names.empty() ? "" : ", ") + name;
    lines.push_back(names);
    for (const std::string& from : circle) {
      for (const auto& [to, include] : graph.at(from)) {
        if (circle.count(to) != 0) lines.push_back("  " + include);
      }
    }
  }
  return lines;
}

TEST(Folders, FormNoCircle) {
  const std::vector<Source> sources = project_sources();
  ASSERT_GT(folder_graph(sources).size(), 30u);
  const std::vector<std::string> found = circles(sources);
  EXPECT_TRUE(found.empty()) << all(found);
}

TEST(PublicHeaders, DoNotIncludeTheUmbrella) {
  for (const Source& source : project_sources()) {
    if (!starts(source.path, "include/")) continue;
    for (const Include& include : includes_of(source.text)) {
      EXPECT_NE(include.path, kUmbrella) << source.path << ":" << include.line;
    }
  }
}

TEST(CirclesChecker, FindsFoldersThatIncludeEachOther) {
  const Source a = {"host/a/a.h", "#include \"host/b/b.h\"\n"}, b = {"host/b/b.h", "#include <vector>\n"};
  const Source other_a = {"host/a/other.h", ""}, other_b = {"host/b/b.cpp", "\n#include \"host/a/other.h\"\n"};
  EXPECT_EQ(all(circles({a, b, other_a})), "");
  EXPECT_EQ(all(circles({a, b, other_a, other_b})),
            "\n  host/a, host/b\n    host/a/a.h:1: host/b/b.h\n    host/b/b.cpp:2: host/a/other.h");
}

TEST(CirclesChecker, FindsACircleThroughSeveralFolders) {
  const std::vector<Source> sources = {{"kernels/work.h", ""},
                                       {"kernels/backend.cu", "#include \"kernels/scene/begin.h\"\n"},
                                       {"kernels/scene/begin.h", "#include \"kernels/memory/buffer.h\"\n"},
                                       {"kernels/memory/buffer.h", "#include \"kernels/work.h\"\n"},
                                       {"kernels/runtime/loop.h", "#include \"kernels/memory/buffer.h\"\n"}};
  const std::vector<std::string> found = circles(sources);
  ASSERT_EQ(found.size(), 4u) << all(found);
  EXPECT_EQ(found[0], "kernels, kernels/memory, kernels/scene");
}

TEST(CirclesChecker, FindsEachCircle) {
  const std::vector<Source> sources = {{"host/a/a.h", "#include \"host/b/b.h\"\n"},
                                       {"host/b/b.h", "#include \"host/a/a.h\"\n"},
                                       {"include/isopatch/scene/scene.h", "#include \"isopatch/error.h\"\n"},
                                       {"include/isopatch/error.h", "#include \"isopatch/scene/scene.h\"\n"},
                                       {"include/isopatch/isopatch.h", "#include \"isopatch/scene/scene.h\"\n"}};
  const std::vector<std::string> found = circles(sources);
  ASSERT_EQ(found.size(), 6u) << all(found);
  EXPECT_EQ(found[0], "host/a, host/b");
  EXPECT_EQ(found[3], "include/isopatch, include/isopatch/scene");
}

TEST(CirclesChecker, LeavesOutTheUmbrella) {
  EXPECT_EQ(all(circles({{"include/isopatch/isopatch.h", "#include \"isopatch/scene/scene.h\"\n"},
                         {"include/isopatch/scene/scene.h", "#include \"isopatch/error.h\"\n"},
                         {"include/isopatch/error.h", ""}})),
            "");
}

}  // namespace
}  // namespace isopatch::structure
