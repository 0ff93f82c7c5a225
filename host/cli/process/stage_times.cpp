// SPDX-License-Identifier: Apache-2.0
#include "host/cli/process/stage_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace isopatch::cli {

void StageTimes::finish(const std::string& name) {
  const Clock::time_point now = Clock::now();
  stages_.emplace_back(name, std::chrono::duration<double>(now - last_).count());
  last_ = now;
}

double StageTimes::seconds(const std::string& name) const {
  const auto found =
      std::find_if(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage.first == name; });
  return found == stages_.end() ? 0 : found->second;
}

void StageTimes::print() const {
  double total = 0;
  for (const auto& [name, seconds] : stages_) {
    fmt::print("{:<18}{:>13.2f} ms\n", name, 1e3 * seconds);
    total += seconds;
  }
  fmt::print("{:<18}{:>13.2f} ms\n", "total", 1e3 * total);
}

}  // namespace isopatch::cli
