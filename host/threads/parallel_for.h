// SPDX-License-Identifier: Apache-2.0
//
// Loops whose iterations run on several threads. Each iteration writes only its own results, so these do not depend on
// the thread that runs it.
//
// The threads are those that a pool for the whole process starts when they are first needed. It is not OpenMP, which
// ends the process if an exception leaves a parallel region or a thread cannot be created, and hangs in a child made by
// fork() once the parent has used threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "host/threads/work_counter.h"

namespace isopatch::detail {

/// The processors that this process may run on; at least 1.
int num_processors();

/// The most threads that a request for `wanted` gets; 0 means one for each processor. More than 256 are given only
/// if there are as many processors, and never more than 1024.
int usable_threads(int wanted);

/// Calls work(object, 0) on this thread, and work(object, 1) to work(object, threads - 1) on others if they become free
/// before work(object, 0) returns. So work(object, 0) must do everything that no other call has done. Returns when all
/// calls have returned, and rethrows the exception of one of them, preferably of work(object, 0). It is not an
/// error to get no other thread: memory may be short, or the system's limit may be reached. May be called by several
/// threads at once, from within `work`, and in a child made by fork(), which gets other threads, whatever the
/// parent's were doing.
void run_on_threads(int threads, void (*work)(void* object, int thread), void* object);

/// Whether the process is ending. It then waits for the pool's threads, which should stop their work.
bool process_ends();

template <class Work>
void run_on_threads(int threads, const Work& work) {
  run_on_threads(
      threads, [](void* object, int thread) { (*static_cast<const Work*>(object))(thread); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

/// Hands out the iterations of a loop in chunks, first come, first served.
class LoopChunks {
 public:
  LoopChunks(std::int64_t count, std::int64_t chunk) : count_(count), chunk_(chunk) {}

  /// For run_on_threads(): calls work(begin, end) for the next `chunk` iterations until none is left. After an
  /// exception none is left.
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

/// On how many threads this one runs the loops that make scenes, fields and meshes.
struct Parallelism {
  int threads = 0;            // 0: one on each processor
  std::int64_t alone = 4096;  // up to this many items, one thread does everything
};

inline thread_local constinit Parallelism current_parallelism;

/// Replaces current_parallelism while it lives.
class ParallelismScope {
 public:
  explicit ParallelismScope(const Parallelism& parallelism) : before_(current_parallelism) {
    current_parallelism = parallelism;
  }
  ~ParallelismScope() { current_parallelism = before_; }
  ParallelismScope(const ParallelismScope&) = delete;
  ParallelismScope& operator=(const ParallelismScope&) = delete;

 private:
  Parallelism before_;
};

/// Calls work(i) for each i in [0, count), in chunks of `chunk`; on one thread unless `items` exceeds
/// current_parallelism.alone.
template <class Work>
void parallel_for(std::int64_t items, std::int64_t count, std::int64_t chunk, const Work& work) {
  LoopChunks chunks(count, chunk);
  const auto take = [&](int thread) {
    chunks.take(thread, [&](std::int64_t begin, std::int64_t end) {
      check_cancelled();
      for (std::int64_t i = begin; i < end; ++i) work(static_cast<std::size_t>(i));
    });
  };
  const std::int64_t num_chunks = (count + chunk - 1) / chunk;
  const bool alone = items <= current_parallelism.alone || num_chunks <= 1;
  const int threads = alone ? 1 : usable_threads(current_parallelism.threads);
  run_on_threads(static_cast<int>(std::min<std::int64_t>(threads, num_chunks)), take);
}

}  // namespace isopatch::detail
