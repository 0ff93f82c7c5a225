// SPDX-License-Identifier: Apache-2.0
#include "host/threads/parallel_for.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "host/threads/cancellation.h"
#include "host/threads/standard_arithmetic.h"

namespace isopatch::detail {
namespace {

constexpr int kMaxThreads = 1024;

std::atomic<bool> ending = true;  // the pool's threads get no work; true before main(), too

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `seen` is true, at most as long as it takes to wake a sleeping thread.
template <class Condition>
void look_for(const Condition& seen) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kAsLong = std::chrono::microseconds(100);
  for (const Clock::time_point begin = Clock::now(); Clock::now() - begin < kAsLong;) {
    for (int i = 0; i < 16; ++i) {
      if (seen()) return;
      pause();
    }
  }
}

/// The work of one caller. It lives on the caller's stack, so offering it takes no memory.
struct Job {
  void (*work)(void*, int);
  void* object;
  int open;      // slots for threads that are still free
  int next = 1;  // index of the next thread
  Cancellation* cancellation = current_cancellation.cancellation;
  std::atomic<int> running = 0;  // threads that work on it, without the caller
  std::exception_ptr error = {};
  std::condition_variable done = {};
  Job* older = nullptr;
};

/// Calls the job's work; returns what it throws.
std::exception_ptr call(const Job& job, int thread) noexcept {
  try {
    job.work(job.object, thread);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

class Pool {
 public:
  Pool* of_grandparent = nullptr;

  void run(Job& job) {
    const int slots = job.open;
    offer(job);
    std::exception_ptr error = call(job, 0);
    take_back(job, slots, error);
    if (!error) error = std::move(job.error);
    if (error) std::rethrow_exception(std::move(error));
  }

  /// Joins the threads, once `ending` is set; jobs go on without them.
  void stop() {
    { const std::lock_guard lock(mutex_); }  // now no thread is between reading `ending` and waiting
    wake_.notify_all();
    for (std::jthread& worker : workers_) {
      if (worker.joinable()) worker.join();
    }
  }

 private:
  void offer(Job& job) {
    int asleep = 0;
    {
      const std::lock_guard lock(mutex_);
      if (ending) return;
      job.older = newest_;
      newest_ = &job;
      num_open_ += job.open;
      const int looking = idle_ - asleep_;
      asleep = std::clamp(num_open_ - looking, 0, asleep_);
      start_missing();
    }
    for (; asleep > 0; --asleep) wake_.notify_one();
  }

  /// Starts the threads that are missing, as far as they can be created.
  void start_missing() noexcept {
    try {
      while (idle_ < num_open_ && num_workers_ + 1 < kMaxThreads) {
        workers_[num_workers_] = std::jthread([this] { wait_and_work(); });
        ++num_workers_;
        ++idle_;
      }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  /// Waits for the threads that work on the job. Meanwhile, too, its caller is asked whether it is cancelled.
  void take_back(Job& job, int slots, std::exception_ptr& error) {
    if (slots == 0) return;
    std::unique_lock lock(mutex_);
    close(job);
    if (job.running == 0) return;
    if (may_look()) {
      lock.unlock();
      look_for([&] { return job.running == 0; });
      lock.lock();
    }
    const auto all_are_done = [&] { return job.running == 0; };
    if (!current_cancellation.is_callers_thread) return job.done.wait(lock, all_are_done);
    while (!job.done.wait_for(lock, Cancellation::kInterval, all_are_done)) {
      lock.unlock();
      try {
        check_cancelled();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
      lock.lock();
    }
  }

  /// From here on no thread takes a slot of the job.
  void close(Job& job) {
    Job** at = &newest_;
    while (*at != nullptr && *at != &job) at = &(*at)->older;
    if (*at == nullptr) return;
    *at = job.older;
    num_open_ -= job.open;
    job.open = 0;
  }

  void wait_and_work() {
    const StandardArithmetic standard;
    std::unique_lock lock(mutex_);
    while (true) {
      if (num_open_ == 0 && may_look()) {
        lock.unlock();
        look_for([this] { return num_open_ > 0 || ending; });
        lock.lock();
      }
      ++asleep_;
      wake_.wait(lock, [this] { return num_open_ > 0 || ending; });
      --asleep_;
      if (ending) return;
      --idle_;
      work_on(*newest_, lock);
      ++idle_;
    }
  }

  /// Takes a slot; the job has one.
  void work_on(Job& job, std::unique_lock<std::mutex>& lock) {
    const int thread = job.next++;
    ++job.running;
    --num_open_;
    if (--job.open == 0) newest_ = job.older;
    lock.unlock();
    current_cancellation = {job.cancellation, false};
    std::exception_ptr error = call(job, thread);
    current_cancellation = {};
    lock.lock();
    if (error && !job.error) job.error = std::move(error);
    if (--job.running == 0) job.done.notify_one();
  }

  /// Whether there is a processor for each thread, so that a spinning thread does not keep another from working.
  bool may_look() const { return num_workers_ < num_processors_; }

  const int num_processors_ = num_processors();
  std::mutex mutex_;
  std::condition_variable wake_;
  Job* newest_ = nullptr;          // each has an open slot
  std::atomic<int> num_open_ = 0;  // slots of all jobs; changed with the mutex held
  int num_workers_ = 0;
  int idle_ = 0;    // workers without a job
  int asleep_ = 0;  // idle ones that must be woken
  std::array<std::jthread, kMaxThreads - 1> workers_;
};

/// The pool of this process. It is never deleted: threads may still evaluate while the process ends. A child made by
/// fork() must not touch its parent's pool: its threads do not exist there, and one of them may have held the mutex.
std::atomic<Pool*> current_pool = nullptr;

/// Null if there is no memory for it, or the process is ending.
Pool* pool() noexcept {
  Pool* found = current_pool.load(std::memory_order_acquire);
  if (found != nullptr || ending) return found;
  Pool* const made = new (std::nothrow) Pool;
  if (made != nullptr && !current_pool.compare_exchange_strong(found, made)) {
    delete made;
    return found;
  }
  return made;
}

/// Before it is constructed and after it is destroyed, no caller gets a thread.
struct Lifetime {
  Lifetime() { ending = pthread_atfork(nullptr, nullptr, in_child) != 0; }
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;
  ~Lifetime() {
    ending = true;
    if (Pool* const pool = current_pool) pool->stop();
  }

 private:
  static void in_child() {
    static Pool* of_parents = nullptr;  // keeps them reachable, for leak checkers
    Pool* const pool = current_pool.exchange(nullptr);
    if (pool == nullptr) return;
    pool->of_grandparent = of_parents;
    of_parents = pool;
  }
} lifetime;

}  // namespace

int num_processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int usable_threads(int wanted) {
  constexpr int kAlwaysGiven = 256;
  if (wanted > 0 && wanted <= kAlwaysGiven) return wanted;
  const int processors = std::min(num_processors(), kMaxThreads);
  return wanted > 0 ? std::min(wanted, std::max(processors, kAlwaysGiven)) : processors;
}

bool process_ends() { return ending.load(std::memory_order_relaxed); }

void run_on_threads(int threads, void (*work)(void* object, int thread), void* object) {
  Pool* const helpers = threads > 1 ? pool() : nullptr;
  if (helpers == nullptr) return work(object, 0);
  Job job = {.work = work, .object = object, .open = std::min(threads, kMaxThreads) - 1};
  helpers->run(job);
}

}  // namespace isopatch::detail
