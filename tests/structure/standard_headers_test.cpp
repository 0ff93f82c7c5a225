// SPDX-License-Identifier: Apache-2.0
//
// A C++ source includes the standard headers of the names it uses, itself or through headers of the project. A
// precompiled header and another standard library's includes hide a missing one from the compiler.
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

using Paths = std::set<std::string>;

/// Headers of the standard library, each with names in std that are often used.
const std::map<std::string, std::string> kNames = {
    {"algorithm",
     "adjacent_find|all_of|any_of|binary_search|clamp|copy|copy_n|count|count_if|equal|equal_range|fill|fill_n|find|"
     "find_if|for_each|is_sorted|lower_bound|max|max_element|min|min_element|minmax|mismatch|none_of|nth_element|"
     "remove_if|replace|reverse|rotate|search|sort|stable_sort|transform|unique|upper_bound"},
    {"array", "array"},
    {"bit", "bit_cast"},
    {"charconv", "from_chars|to_chars"},
    {"cmath", "abs|acos|asin|atan2|cbrt|ceil|cos|exp|fabs|floor|fma|hypot|isfinite|isnan|log|pow|round|sin|sqrt"},
    {"cstdint", "int32_t|int64_t|uint32_t|uint64_t"},
    {"cstdio", "printf"},
    {"cstdlib", "getenv"},
    {"cstring", "memcmp|memcpy|memset|strlen"},
    {"exception", "exception_ptr"},
    {"functional", "function"},
    {"initializer_list", "initializer_list"},
    {"iomanip", "setprecision|setw"},
    {"iterator", "back_inserter"},
    {"limits", "numeric_limits"},
    {"map", "map"},
    {"memory", "make_shared|make_unique|shared_ptr|unique_ptr"},
    {"numeric", "accumulate|exclusive_scan|gcd|inner_product|iota|lcm|partial_sum"},
    {"optional", "nullopt|optional"},
    {"random", "mt19937|mt19937_64|uniform_real_distribution"},
    {"set", "set"},
    {"span", "span"},
    {"sstream", "istringstream|ostringstream|stringstream"},
    {"stdexcept", "invalid_argument|runtime_error"},
    {"string", "string|to_string"},
    {"string_view", "string_view"},
    {"tuple", "tie|tuple"},
    {"type_traits", "conditional_t|is_same_v|remove_cvref_t"},
    {"utility", "exchange"},
    {"variant", "variant"},
    {"vector", "vector"}};

using Includes = std::map<std::string, std::vector<Include>>;

/// The headers of other projects that a file reaches through this project's.
Paths reached(const std::string& path, const Includes& includes) {
  Paths standard, seen = {path};
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const auto file = includes.find(open.back());
    open.pop_back();
    if (file == includes.end()) continue;
    for (const Include& include : file->second) {
      if (include.path.empty()) standard.insert(include.spelling);
      if (seen.insert(include.path).second) open.push_back(include.path);
    }
  }
  return standard;
}

/// The names after "std::" in the code; those in comments and strings are left out.
Paths names_in(const std::string& text) {
  static const std::regex comment_or_string(R"(//[^\n]*|"(\\.|[^"\\\n])*")");
  static const std::regex name(R"(\bstd::(?:ranges::)?(\w+))");
  const std::string code = std::regex_replace(text, comment_or_string, " ");
  Paths names;
  for (std::sregex_iterator at(code.begin(), code.end(), name), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

Paths words_of(const std::string& list) {
  Paths words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, '|');) words.insert(word);
  return words;
}

std::vector<std::string> missing(const std::vector<Source>& sources) {
  Includes includes;
  for (const Source& source : sources) includes[source.path] = includes_of(source.text);
  std::map<std::string, std::string> header_of;
  for (const auto& [header, names] : kNames) {
    for (const std::string& name : words_of(names)) header_of[name] = header;
  }
  std::vector<std::string> lines;
  for (const Source& source : sources) {
    const std::string type = source.path.substr(source.path.rfind('.') + 1);
    if (Paths{"h", "cpp", "cu", "cuh"}.count(type) == 0) continue;
    const Paths there = reached(source.path, includes);
    for (const std::string& name : names_in(source.text)) {
      const auto header = header_of.find(name);
      if (header == header_of.end() || there.count(header->second) != 0) continue;
      lines.push_back(source.path + ": std::" + name + " is in <" + header->second + ">");
    }
  }
  return lines;
}

TEST(StandardHeaders, AreIncludedWhereTheirNamesAreUsed) {
  const std::vector<std::string> found = missing(project_sources());
  EXPECT_TRUE(found.empty()) << all(found);
}

TEST(StandardHeadersChecker, FollowsTheProjectsIncludes) {
  const Source a = {"host/a.h", "#include <set>\n"};
  const Source b = {"host/b.cpp", "#include \"host/a.h\"\nstd::set<int> s;  // std::vector\nint i = std::min(1, 2);\n"};
  EXPECT_EQ(all(missing({a, b})), "\n  host/b.cpp: std::min is in <algorithm>");
  EXPECT_EQ(all(missing({b})), "\n  host/b.cpp: std::min is in <algorithm>\n  host/b.cpp: std::set is in <set>");
}

}  // namespace
}  // namespace isopatch::structure
