// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace isopatch::cycle_model {

/// Which lines a cache holds; the one that was not used for longest makes room.
class Cache {
 public:
  static constexpr std::int64_t kLine = 128;  // bytes

  explicit Cache(std::int64_t bytes) : lines_(static_cast<std::size_t>(bytes / kLine)) {}

  /// Whether the line was there; it is afterwards.
  bool touch(std::uint64_t line) {
    if (const auto found = places_.find(line); found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    order_.push_front(line);
    places_[line] = order_.begin();
    if (order_.size() > lines_) {
      places_.erase(order_.back());
      order_.pop_back();
    }
    return false;
  }

 private:
  std::size_t lines_;
  std::list<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

}  // namespace isopatch::cycle_model
