// SPDX-License-Identifier: Apache-2.0
//
// The tables that `isopatch info` prints of a scene.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "isopatch/scene/scene.h"

namespace isopatch::cli {

using Rows = std::vector<std::vector<std::string>>;

/// Columns as wide as their widest cell; the first `left` are left-aligned.
inline void print_table(const Rows& rows, std::size_t left = 2) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i < left ? fmt::format(" {:<{}} ", row[i], widths[i]) : fmt::format(" {:>{}} ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

/// How the bodies move and what mass they have, if the scene says anything about it.
void print_motions(const SceneDescription& scene);

}  // namespace isopatch::cli
