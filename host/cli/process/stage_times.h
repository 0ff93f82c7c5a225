// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace isopatch::cli {

/// Times the stages of a command, in their order.
class StageTimes {
 public:
  /// Ends the stage that began where the last one ended.
  void finish(const std::string& name);

  /// s; 0 for a stage that there was not.
  double seconds(const std::string& name) const;

  void print() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<std::pair<std::string, double>> stages_;
};

}  // namespace isopatch::cli
