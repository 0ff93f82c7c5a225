// SPDX-License-Identifier: Apache-2.0
//
// Loops whose iterations (turns) threads share. Every turn writes its own results, which so do not depend on the thread
// that takes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "host/threads/pool.h"

namespace isopatch::detail {

/// Hands out the turns of a loop, first come, first served.
class Turns {
 public:
  Turns(std::int64_t count, std::int64_t chunk) : count_(count), chunk_(chunk) {}

  /// For run_on_threads(): calls work(begin, end) for the next `chunk` turns until none is left. After an exception
  /// none is left.
  template <class Work>
  void take(int thread, const Work& work) {
    try {
      for (std::int64_t begin = next_; begin < count_ && (thread == 0 || !process_ends());) {
        const std::int64_t end = begin + std::min(chunk_, count_ - begin);
        if (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
        work(begin, end);
        begin = next_;
      }
    } catch (...) {
      next_ = count_;
      throw;
    }
  }

 private:
  const std::int64_t count_, chunk_;
  std::atomic<std::int64_t> next_ = 0;
};

/// How this thread shares the loops that build scenes, fields and meshes.
struct Sharing {
  int threads = 0;            // 0: one on each processor
  std::int64_t alone = 4096;  // up to so many items, one thread does all
};

inline thread_local constinit Sharing current_sharing;

/// Replaces current_sharing while it lives.
class SharingScope {
 public:
  explicit SharingScope(const Sharing& sharing) : before_(current_sharing) { current_sharing = sharing; }
  ~SharingScope() { current_sharing = before_; }
  SharingScope(const SharingScope&) = delete;
  SharingScope& operator=(const SharingScope&) = delete;

 private:
  Sharing before_;
};

/// Calls work(i) for each i in [0, count), `chunk` of them on one thread, on all threads if `items` are many.
template <class Work>
void share_out(std::int64_t items, std::int64_t count, std::int64_t chunk, const Work& work) {
  Turns turns(count, chunk);
  const auto take = [&](int thread) {
    turns.take(thread, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) work(static_cast<std::size_t>(i));
    });
  };
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  const bool alone = items <= current_sharing.alone || chunks <= 1;
  const int threads = alone ? 1 : usable_threads(current_sharing.threads);
  run_on_threads(static_cast<int>(std::min<std::int64_t>(threads, chunks)), take);
}

}  // namespace isopatch::detail
