// SPDX-License-Identifier: Apache-2.0
//
// For long loops: when it is time to ask again whether the work is cancelled.
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// Throws if the work of this thread is cancelled (cancellation.h). Reads a clock, so short loops do not call it.
void check_cancelled();

/// Counts what one thread works off, in pairs of cells or in what takes as long, and calls check_cancelled() from time
/// to time. Even pairs that take 20 us each leave a third of a second between two calls.
class WorkCounter {
 public:
  [[gnu::always_inline]] void add(std::int32_t work) {
    if ((left_ -= work) < 0) left_ = ask();
  }

 private:
  static constexpr std::int32_t kBetween = 1 << 14;

  static std::int32_t ask();

  std::int32_t left_ = kBetween;
};

}  // namespace isopatch::detail
