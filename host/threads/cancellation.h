// SPDX-License-Identifier: Apache-2.0
//
// Long work that its caller can cancel. The caller opens a scope; loops below call check_cancelled(), or count their
// work (work_counter.h), and need not be handed anything.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "host/threads/work_counter.h"

namespace isopatch::detail {

/// Asks a caller, on its own thread and not too often, whether to go on.
class Cancellation {
 public:
  static constexpr std::chrono::milliseconds kInterval{20};

  explicit Cancellation(const std::function<bool()>& is_cancelled) : is_cancelled_(is_cancelled) {}

  /// Throws Error of kCancelled, on all threads, once is_cancelled() is true; on the caller's thread what that throws.
  void check(bool is_callers_thread);

 private:
  void ask();

  using Clock = std::chrono::steady_clock;

  const std::function<bool()>& is_cancelled_;
  Clock::time_point last_ = is_cancelled_ ? Clock::now() : Clock::time_point();
  std::atomic<bool> cancelled_ = false;
};

/// What can cancel the work of a thread.
struct CurrentCancellation {
  Cancellation* cancellation = nullptr;  // null: nothing
  bool is_callers_thread = false;        // it opened the scope, and is asked
};

inline thread_local constinit CurrentCancellation current_cancellation;

/// While it lives, the function can cancel the work of this thread, and of those that run_on_threads() gives it. An
/// empty function changes nothing: what could cancel the work before still can. The function must outlive it.
class CancellationScope {
 public:
  explicit CancellationScope(const std::function<bool()>& is_cancelled)
      : cancellation_(is_cancelled), before_(current_cancellation) {
    if (is_cancelled) current_cancellation = {&cancellation_, true};
  }
  ~CancellationScope() { current_cancellation = before_; }
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  Cancellation cancellation_;
  const CurrentCancellation before_;
};

}  // namespace isopatch::detail
