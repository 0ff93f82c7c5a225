// SPDX-License-Identifier: Apache-2.0
//
// The project's sources as text, and what they include, for tests of how they are put together.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths/paths.h"

namespace isopatch::structure {

struct Source {
  std::string path;  // from the root of the repository
  std::string text;
};

inline bool is_source(const std::filesystem::path& file) {
  static const std::set<std::string> extensions = {".h", ".cpp", ".cu", ".cuh", ".cmake", ".in", ".sh", ".py"};
  return extensions.count(file.extension().string()) != 0 || file.filename() == "CMakeLists.txt";
}

/// Every C++, CUDA, CMake, shell and Python source, in the order of their paths.
inline std::vector<Source> project_sources() {
  const std::filesystem::path root = source_path();
  std::vector<Source> sources;
  const auto add = [&](const std::filesystem::path& file) {
    if (!is_source(file)) return;
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    sources.push_back({std::filesystem::relative(file, root).generic_string(), text.str()});
  };
  add(root / "CMakeLists.txt");
  for (const char* folder : {"include", "host", "kernels", "tests", "bench", "scripts"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

inline bool starts(const std::string& path, const std::string& folder) { return path.rfind(folder, 0) == 0; }

/// "host/scene" for "host/scene/scene.cpp".
inline std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

struct Include {
  int line = 0;
  std::string spelling, path;  // the path from the root; empty for headers of other projects
};

inline std::vector<Include> includes_of(const std::string& text) {
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
    const std::string spelling = line.substr(open + 1, close - open - 1);
    const bool is_public = starts(spelling, "isopatch/");
    const bool is_ours = is_public || line[open] == '"';
    found.push_back({number, spelling, is_ours ? (is_public ? "include/" : "") + spelling : ""});
  }
  return found;
}

inline std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

}  // namespace isopatch::structure
