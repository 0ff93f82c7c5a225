// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait for work, for the whole process. They start when somebody first asks for them. Not OpenMP, because
// that ends the process where an exception leaves a parallel region or a thread cannot be created, and hangs in a child
// made by fork() once the parent has used threads.
#pragma once

#include <memory>

namespace isopatch::detail {

/// The processors that this process may run on; at least 1.
int num_processors();

/// How many threads a request for `wanted` gets at most, 0 for one on each processor. More than 256 are of use only
/// where there are as many processors, and more than 1024 are never given.
int usable_threads(int wanted);

/// Calls work(object, 0) on this thread, and work(object, 1) to work(object, threads - 1) on others as they become free
/// before that returns. So work(object, 0) must do all there is to do, as far as no other has. Returns when all calls
/// have returned, and throws what one of them threw, its own first. No other thread at all is not an error: memory for
/// one or the system's limit may be short. May be called by several threads at once, within a call of its own, and in
/// a child made by fork() whatever the parent's threads were doing, which then has threads of its own.
void run_on_threads(int threads, void (*work)(void* object, int thread), void* object);

/// Whether the process is about to end, which waits for threads other than the callers to leave their work.
bool process_ends();

template <class Work>
void run_on_threads(int threads, const Work& work) {
  run_on_threads(
      threads, [](void* object, int thread) { (*static_cast<const Work*>(object))(thread); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

}  // namespace isopatch::detail
