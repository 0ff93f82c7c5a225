// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "host/meshing/interrupt.h"

namespace isopatch::cli {

/// A line on stderr that shows the progress of a long computation: rewritten in place on a terminal, elsewhere a new
/// line every ten seconds. After a signal update() throws Interrupted.
class Progress {
 public:
  /// `unit` is what is counted, in the plural.
  Progress(std::int64_t total, const char* unit) : total_(total), unit_(unit), terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::int64_t done) {
    interruptible_.check();
    done_ = done;

    using namespace std::chrono_literals;
    const Clock::time_point now = Clock::now();
    const bool due = terminal_ ? now - start_ > 500ms && now - last_ > 100ms : now - last_ > 10s;
    if (!due || done == total_) return;
    last_ = now;
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = static_cast<double>(done) / seconds;
    fmt::print(stderr, "{}{:3.0f} %  {} of {} {}  {:.0f}/s  {:.0f} s left{}", terminal_ ? "\r\033[K" : "",
               100.0 * static_cast<double>(done) / static_cast<double>(total_), done, total_, unit_, rate,
               static_cast<double>(total_ - done) / rate, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }

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
