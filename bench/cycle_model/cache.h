// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

namespace isopatch::cycle_model {

using Cycle = std::int64_t;

/// Which lines a cache holds; the one that was not used for longest makes room.
class Cache {
 public:
  static constexpr std::int64_t kLine = 128, kSector = 32;  // bytes
  static constexpr std::uint32_t kWhole = 0xf;              // all sectors of a line

  struct Line {
    std::uint64_t number = 0;
    std::uint32_t sectors = 0;  // that are there
    Cycle there = 0;            // since when
    bool written = false;
  };

  explicit Cache(std::int64_t bytes) : lines_(static_cast<std::size_t>(bytes / kLine)) {}

  /// The line, or nullptr. It stays where it is until it is taken out.
  Line* find(std::uint64_t number) {
    const auto found = places_.find(number);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &order_.front();
  }

  /// The line, which has no sectors if it is new.
  Line& touch(std::uint64_t number) {
    if (Line* const found = find(number)) return *found;
    order_.push_front({number});
    places_[number] = order_.begin();
    return order_.front();
  }

  /// All lines are there from the start.
  void begin() {
    for (Line& line : order_) line.there = 0;
  }

  /// Takes out a line if there are too many; nothing if there are not.
  std::optional<Line> drop() {
    if (order_.size() <= lines_) return {};
    const Line dropped = order_.back();
    places_.erase(dropped.number);
    order_.pop_back();
    return dropped;
  }

 private:
  std::size_t lines_;
  std::list<Line> order_;
  std::unordered_map<std::uint64_t, std::list<Line>::iterator> places_;
};

}  // namespace isopatch::cycle_model
