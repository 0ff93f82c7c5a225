// SPDX-License-Identifier: Apache-2.0
//
// The rows, numbers and tables that `isopatch info` and `isopatch tetrahedralize` print.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "host/text/quote.h"
#include "isopatch/scene/mass_properties.h"

namespace isopatch::cli {

template <typename T>
void print_row(const char* name, const T& value, const std::string& note = "") {
  fmt::print("  {:<20}{:>14}{}{}\n", name, value, note.empty() ? "" : "  ", note);
}

inline void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print("  warning: {}\n", detail::message_text(warning));
}

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

/// A table after an empty line, with at most `most` rows under its head, and how many more there are.
inline void print_first(Rows rows, std::size_t most, std::size_t left = 2) {
  const std::size_t count = rows.size() - 1;
  rows.resize(std::min(count, most) + 1);
  fmt::print("\n");
  print_table(rows, left);
  if (count > most) fmt::print("  and {} more\n", count - most);
}

inline std::string number(double value) { return fmt::format("{:g}", value); }

/// Centre of mass [m], then xx yy zz xy xz yz of the inertia at 1 kg/m^3 [kg m^2]; what is rounding alone is 0.
inline std::array<std::string, 9> mass_numbers(const MassProperties& properties) {
  constexpr double kRounding = 1e-14;  // of the largest inertia, or of the radius of gyration
  const auto& [x, y, z] = properties.inertia;
  const double largest = std::max({x[0], y[1], z[2]}), gyration = std::sqrt(largest / properties.mass);
  const auto text = [](double value, double scale) { return number(std::fabs(value) < kRounding * scale ? 0 : value); };
  std::array<std::string, 9> numbers;
  for (std::size_t i = 0; i < 3; ++i) numbers[i] = text(properties.center[i], gyration);
  const std::array inertia = {x[0], y[1], z[2], x[1], x[2], y[2]};
  for (std::size_t i = 0; i < 6; ++i) numbers[3 + i] = text(inertia[i], largest);
  return numbers;
}

}  // namespace isopatch::cli
