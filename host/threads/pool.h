// SPDX-License-Identifier: Apache-2.0
//
// A pool of threads for the whole process, started when they are first needed. It is not OpenMP, which ends the process
// if an exception leaves a parallel region or a thread cannot be created, and hangs in a child made by fork() once the
// parent has used threads.
#pragma once

#include <memory>

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

}  // namespace isopatch::detail
