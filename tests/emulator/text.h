// SPDX-License-Identifier: Apache-2.0
//
// Lines of a PTX file in their parts.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace isopatch::emulator {

using Words = std::vector<std::string>;

inline std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

/// Parts between commas, and `|` of a shuffle; braces and brackets stay whole.
inline Words split(std::string_view text) {
  Words words;
  std::string word;
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if (depth == 0 && (c == ',' || c == '|')) {
      words.push_back(trimmed(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!trimmed(word).empty()) words.push_back(trimmed(word));
  return words;
}

inline std::string inside(const std::string& word) { return word.substr(1, word.size() - 2); }

inline std::int64_t to_integer(const std::string& text) {
  return static_cast<std::int64_t>(text[0] == '-' ? std::strtoll(text.c_str(), nullptr, 0)
                                                  : std::strtoull(text.c_str(), nullptr, 0));
}

}  // namespace isopatch::emulator
