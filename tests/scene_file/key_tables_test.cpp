// SPDX-License-Identifier: Apache-2.0
//
// The pages of scene files name every key of host/scene/scene_keys.h, with its default and its range.
#include "host/scene/scene_keys.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>

#include "host/files/input_file.h"
#include "tests/support/paths/paths.h"

namespace isopatch::detail {
namespace {

struct Cells {
  std::string value, usual;
};

/// The rows of all tables of a page, by the names in their first cells. A name can stand in several tables.
std::multimap<std::string, Cells> rows_of(const std::string& page) {
  std::multimap<std::string, Cells> rows;
  const std::string text = read_input_file(source_path() + "/host/scene_file/" + page, 1 << 20);
  const std::regex row(R"(\n\| ([^|\n]*) \| ([^|\n]*) \| ?([^|\n]*?) ?\|(?=\n))"), name("`([a-z_]+)`");
  for (std::sregex_iterator i(text.begin(), text.end(), row), end; i != end; ++i) {
    const std::string names = (*i)[1];
    for (std::sregex_iterator j(names.begin(), names.end(), name), last; j != last; ++j) {
      rows.emplace((*j)[1], Cells{(*i)[2], (*i)[3]});
    }
  }
  return rows;
}

template <class Value, class Rule>
bool is_usual(const Cells& /*cells*/, const Value& /*usual*/, const Rule& /*any*/) {
  return true;  // an object, a list, or nothing
}
template <class Rule>
bool is_usual(const Cells& cells, double usual, const Rule& /*any*/) {
  return cells.usual == "none" || std::strtod(cells.usual.c_str(), nullptr) == usual;
}
bool is_usual(const Cells& cells, bool usual, Flag /*any*/) { return cells.usual == (usual ? "true" : "false"); }
template <IsEnumerator Enumerator>
bool is_usual(const Cells& cells, Enumerator usual, const Enumerators& known) {
  for (const std::string& name : std::vector<std::string>(known.names)) {
    if (cells.value.find('`' + name + '`') == std::string::npos) return false;
  }
  return cells.usual == '`' + name_in(known.names, usual) + '`';
}

template <class Rule>
bool is_in_range(const Cells& /*cells*/, const Rule& /*any*/) {
  return true;
}
bool is_in_range(const Cells& cells, Least least) {
  return cells.value.find(least == Least::kPositive ? "> 0"
                          : least == Least::kZero   ? "≥ 0"
                                                    : "≥ 1") != std::string::npos;
}
bool is_in_range(const Cells& cells, const Range& range) {
  if (range.low < 0) return true;
  if (range.low == 0 && range.high > 1) return cells.value.find("≥ 0") != std::string::npos;
  return cells.value.find("> 0") != std::string::npos || cells.value.find("from ") != std::string::npos;
}

/// All keys of `usual` are in a row of the page that is right.
template <class Owner>
void expect_rows(const std::string& page, const Owner& usual) {
  const auto rows = rows_of(page);
  for_each_key(usual, [&](const Key& key, const auto& member, const auto& rule) {
    if (std::string(key.name) == "type") return;  // in a table of all motions
    const auto [first, last] = rows.equal_range(key.name);
    EXPECT_NE(first, last) << page << " has no row of " << key.name;
    bool is_right = false;
    std::string found;
    for (auto row = first; row != last; ++row) {
      const Cells& cells = row->second;
      is_right =
          is_right || cells.value == "as for the body" || (is_usual(cells, member, rule) && is_in_range(cells, rule));
      found += "\n| " + cells.value + " | " + cells.usual + " |";
    }
    EXPECT_TRUE(first == last || is_right) << page << ": " << key.name << found;
  });
}

TEST(KeyTables, OfThePagesHaveEveryKeyWithItsDefaultAndRange) {
  expect_rows("README.md", Body());
  expect_rows("README.md", Part());
  expect_rows("README.md", RolloutOptions());
  for (const MotionType type : {MotionType::kPrismatic, MotionType::kRevolute}) {
    Motion joint;
    joint.type = type;
    expect_rows("README.md", joint);
  }
  expect_rows("CONTACTS.md", ContactOptions());
  expect_rows("CONTACTS.md", BristleFriction());
}

}  // namespace
}  // namespace isopatch::detail
