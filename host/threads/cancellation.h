// SPDX-License-Identifier: Apache-2.0
//
// Long work that its caller can cancel.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "isopatch/error.h"

namespace isopatch::detail {

/// Asks the caller of a loop, on its own thread and not too often, whether to go on. For one loop of one call.
class Cancellation {
 public:
  /// An empty function never cancels. It must exist as long as this does.
  explicit Cancellation(const std::function<bool()>& is_cancelled) : is_cancelled_(is_cancelled) {}

  /// Called by every thread between two pieces of work; `thread` 0 is the caller's. Throws Error of kCancelled, on all
  /// threads, once is_cancelled() is true, and what it throws.
  void check(int thread) {
    if (!is_cancelled_) return;
    if (thread == 0 && Clock::now() - last_ >= kInterval) {
      last_ = Clock::now();
      ask();
    }
    if (cancelled_.load(std::memory_order_relaxed)) {
      throw Error("cancelled by EvaluatorOptions::is_cancelled", ErrorKind::kCancelled);
    }
  }

 private:
  void ask() {
    try {
      if (!is_cancelled_()) return;
    } catch (...) {
      cancelled_.store(true, std::memory_order_relaxed);
      throw;
    }
    cancelled_.store(true, std::memory_order_relaxed);
  }

  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{20};

  const std::function<bool()>& is_cancelled_;
  Clock::time_point last_ = is_cancelled_ ? Clock::now() : Clock::time_point();
  std::atomic<bool> cancelled_ = false;
};

}  // namespace isopatch::detail
