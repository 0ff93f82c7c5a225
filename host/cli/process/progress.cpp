// SPDX-License-Identifier: Apache-2.0
#include "host/cli/process/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace isopatch::cli {

Progress::Progress(std::int64_t total, const char* unit)
    : total_(total), unit_(unit), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::int64_t done) {
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

}  // namespace isopatch::cli
