// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace isopatch::cli {

/// Times the stages of a command, in their order.
class StageTimes {
 public:
  /// Ends the stage that began where the last one ended.
  void finish(const std::string& name) {
    const Clock::time_point now = Clock::now();
    stages_.emplace_back(name, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

  /// s; 0 for a stage that there was not.
  double seconds(const std::string& name) const {
    const auto found =
        std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.first == name; });
    return found == stages_.end() ? 0 : found->second;
  }

  void print() const {
    double total = 0;
    for (const auto& [name, seconds] : stages_) {
      fmt::print("{:<18}{:>13.2f} ms\n", name, 1e3 * seconds);
      total += seconds;
    }
    fmt::print("{:<18}{:>13.2f} ms\n", "total", 1e3 * total);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<std::pair<std::string, double>> stages_;
};

}  // namespace isopatch::cli
