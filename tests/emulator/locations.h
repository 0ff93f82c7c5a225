// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/emulator/program.h"
#include "tests/emulator/text.h"

namespace isopatch::emulator {

/// Where instructions come from, by the debug information of a PTX file.
class Locations {
 public:
  /// The strings come after the code that uses them, so all lines are passed here first.
  void read_table(const std::string& line) {
    if (line.starts_with(".file")) {
      std::istringstream in(line.substr(5));
      int number = 0;
      std::string name;
      in >> number >> name;
      files_[number] = inside(name);
    } else if (line.starts_with("$L__info_string")) {
      string_ = line.substr(0, line.find(':'));
    } else if (!string_.empty() && line.starts_with(".b8 ")) {
      for (const std::string& c : split(line.substr(4))) {
        if (c != "0") strings_[string_] += static_cast<char>(to_integer(c));
      }
    } else {
      string_.clear();
    }
  }

  /// ".loc FILE LINE COLUMN[, function_name LABEL, inlined_at FILE LINE COLUMN]", the position of the instructions that
  /// follow: its index in all(). The last position is one that an earlier directive gave.
  std::int32_t read_position(const std::string& line) {
    using Position = std::tuple<int, int, int>;
    const auto position_at = [](const std::string& text) {
      std::istringstream in(text);
      int file = 0, row = 0, column = 0;
      in >> file >> row >> column;
      return Position(file, row, column);
    };
    const Words words = split(line.substr(4));
    const Position position = position_at(words[0]);
    Location l = {files_[std::get<0>(position)], std::get<1>(position), "", -1};
    if (!calls_.empty()) {
      l.function = calls_.back().function;
      l.caller = calls_.back().location;
    }
    if (words.size() == 3) {
      l.function = words[1].substr(words[1].find('$'));
      const auto caller = positions_.find(position_at(words[2].substr(11)));
      if (caller != positions_.end()) l.caller = caller->second;
    }
    const auto key = std::make_tuple(l.file, l.line, l.function, l.caller);
    const auto [found, is_new] = known_.emplace(key, static_cast<std::int32_t>(locations_.size()));
    if (is_new) locations_.push_back(l);
    return positions_[position] = found->second;
  }

  /// The positions that follow are of a function that is called at this one.
  void enter(const std::string& function, std::int32_t location) {
    const std::string label = "called " + function;
    strings_[label] = function;
    calls_.push_back({label, location});
  }
  /// Returns the position of the call.
  std::int32_t leave() {
    const std::int32_t location = calls_.back().location;
    calls_.pop_back();
    return location;
  }

  std::vector<Location> all() && {
    for (Location& l : locations_) l.function = strings_[l.function];
    return std::move(locations_);
  }

 private:
  std::vector<Location> locations_;
  std::map<int, std::string> files_;
  std::map<std::string, std::string> strings_;  // by label
  std::string string_;                          // the label that is being read
  struct Call {
    std::string function;  // the label of its name
    std::int32_t location;
  };
  std::vector<Call> calls_;
  std::map<std::tuple<int, int, int>, std::int32_t> positions_;
  std::map<std::tuple<std::string, int, std::string, std::int32_t>, std::int32_t> known_;
};

}  // namespace isopatch::emulator
