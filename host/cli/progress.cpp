// SPDX-License-Identifier: Apache-2.0
#include "host/cli/progress.h"

#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "host/cli/commands.h"

namespace isopatch::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Progress::Progress(std::int64_t total) : total_(total), terminal_(isatty(STDERR_FILENO) == 1) {
  std::signal(SIGINT, on_interrupt);
}

Progress::~Progress() {
  std::signal(SIGINT, SIG_DFL);
  if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::int64_t done) {
  if (interrupted != 0) throw Interrupted{};

  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  const bool due = terminal_ ? now - start_ > 500ms && now - last_ > 100ms : now - last_ > 10s;
  if (!due || done == total_) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  fmt::print(stderr, "{}{:3.0f} %  {} of {} environments  {:.0f}/s  {:.0f} s left{}", terminal_ ? "\r\033[K" : "",
             100.0 * static_cast<double>(done) / static_cast<double>(total_), done, total_, rate,
             static_cast<double>(total_ - done) / rate, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace isopatch::cli
