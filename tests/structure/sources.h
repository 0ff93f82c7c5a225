// SPDX-License-Identifier: Apache-2.0
//
// The project's own sources as text, for tests of how they are put together.
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

}  // namespace isopatch::structure
