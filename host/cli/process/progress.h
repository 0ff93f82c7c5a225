// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "host/meshing/interrupt.h"

namespace isopatch::cli {

/// A line on stderr that shows the progress of a long computation: rewritten in place on a terminal, elsewhere a new
/// line every ten seconds. After a signal update() throws Interrupted.
class Progress {
 public:
  /// `unit` is what is counted, in the plural.
  Progress(std::int64_t total, const char* unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::int64_t done);
  void add(std::int64_t done) { update(done_ + done); }

 private:
  using Clock = std::chrono::steady_clock;

  detail::Interruptible interruptible_;
  std::int64_t done_ = 0, total_;
  const char* unit_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace isopatch::cli
