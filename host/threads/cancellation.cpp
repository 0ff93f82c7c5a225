// SPDX-License-Identifier: Apache-2.0
#include "host/threads/cancellation.h"

#include "isopatch/error.h"

namespace isopatch::detail {

void Cancellation::check(bool is_callers_thread) {
  if (is_callers_thread && !cancelled_ && Clock::now() - last_ >= kInterval) {
    last_ = Clock::now();
    ask();
  }
  if (cancelled_.load(std::memory_order_relaxed)) {
    throw Error("cancelled by EvaluatorOptions::is_cancelled", ErrorKind::kCancelled);
  }
}

void Cancellation::ask() {
  try {
    if (!is_cancelled_()) return;
  } catch (...) {
    cancelled_.store(true, std::memory_order_relaxed);
    throw;
  }
  cancelled_.store(true, std::memory_order_relaxed);
}

void check_cancelled() {
  const auto [cancellation, is_callers_thread] = current_cancellation;
  if (cancellation != nullptr) cancellation->check(is_callers_thread);
}

std::int32_t WorkCounter::ask() {
  check_cancelled();
  return kBetween;
}

}  // namespace isopatch::detail
