// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"
#include "isopatch/error.h"
#include "tests/support/hash.h"
#include "tests/threads/child.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // which needs memory of its own
#else
constexpr bool kSanitized = false;
#endif

namespace isopatch::test {

using namespace detail;

namespace {

/// Every item is taken once.
std::int64_t sum_of(std::int64_t count, int threads) {
  std::atomic<std::int64_t> sum = 0;
  LoopChunks chunks(count, 3);
  run_on_threads(threads, [&](int thread) {
    chunks.take(thread, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sum += i;
    });
  });
  return sum;
}

TEST(ThreadPool, TakesEveryTurnOnce) {
  for (const int threads : {0, 1, 2, 3, 40}) {
    for (const std::int64_t count : {0, 1, 2, 3, 4, 1000}) {
      EXPECT_EQ(sum_of(count, threads), count * (count - 1) / 2) << threads << " threads";
    }
  }
}

TEST(ThreadPool, KeepsToTheCallingThreadWhereOneIsAskedFor) {
  std::set<std::thread::id> seen;
  run_on_threads(1, [&](int thread) {
    EXPECT_EQ(thread, 0);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

// All have come where each waits for the others; the numbers are those promised.
TEST(ThreadPool, GivesAsManyThreadsAsAreAskedFor) {
  constexpr int kThreads = 5;
  std::atomic<int> come = 0, numbers = 0;
  run_on_threads(kThreads, [&](int thread) {
    numbers += 1 << thread;
    ++come;
    while (come < kThreads) std::this_thread::yield();
  });
  EXPECT_EQ(numbers, (1 << kThreads) - 1);
}

TEST(ThreadPool, CarriesWhatAThreadThrowsToTheCallerAndGoesOn) {
  for (const int thrower : {0, 1, 2}) {
    std::atomic<int> come = 0;
    const auto throwing = [&] {
      run_on_threads(3, [&](int thread) {
        ++come;
        while (come < 3) std::this_thread::yield();
        if (thread == thrower) throw std::range_error("thread " + std::to_string(thread));
      });
    };
    try {
      throwing();
      ADD_FAILURE() << "nothing thrown";
    } catch (const std::range_error& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(thrower));
    }
    EXPECT_EQ(sum_of(100, 3), 4950);
  }
}

TEST(ThreadPool, LeavesTheOtherTurnsWhereOneThrows) {
  std::atomic<int> taken = 0;
  LoopChunks chunks(1'000'000, 1);
  EXPECT_THROW(run_on_threads(1,
                              [&](int thread) {
                                chunks.take(thread, [&](std::int64_t begin, std::int64_t) {
                                  ++taken;
                                  if (begin == 10) throw std::range_error("ten");
                                });
                              }),
               std::range_error);
  EXPECT_EQ(taken, 11);
}

TEST(ThreadPool, ServesCallsWithinCalls) {
  std::atomic<std::int64_t> sum = 0;
  LoopChunks chunks(20, 1);
  run_on_threads(4,
                 [&](int thread) { chunks.take(thread, [&](std::int64_t, std::int64_t) { sum += sum_of(50, 3); }); });
  EXPECT_EQ(sum, 20 * 1225);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int k = 0; k < 200; ++k) wrong += sum_of(100, 3) != 4950 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

struct Evaluation : ::testing::Test {
  const Scene scene{boxes_on_ground()};
  const Batch batch = random_batch(scene, 400, 33, 0.4);

  std::uint64_t bits(const EvaluatorOptions& options) const {
    return hash_of(evaluate(scene, batch, options, detail::Outputs::kPolygons, 96));
  }
};

TEST_F(Evaluation, TakesAnyNumberOfThreads) {
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const std::uint64_t expected = bits({.backend = backend, .num_threads = 1});
    for (const int threads : {0, 2, 64, 4096, 1'000'000, std::numeric_limits<int>::max()}) {
      EXPECT_EQ(bits({.backend = backend, .num_threads = threads}), expected) << threads << " threads";
    }
  }
}

TEST_F(Evaluation, MayRunOnSeveralThreadsWithOneEvaluatorAndWithMore) {
  const std::uint64_t expected = bits({.num_threads = 1});
  const Evaluator shared(scene, {.num_threads = 2});
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&] {
        for (int k = 0; k < 5; ++k) {
          UnwrittenResults results(scene, batch.num_environments, detail::Outputs::kPolygons, 96);
          shared.evaluate(batch.state(), results.view());
          wrong += hash_of(results) != expected || bits({.num_threads = 3}) != expected ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

/// Allows this process hardly more memory than it has.
bool limit_address_space() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{3} << 20);  // less than a stack
  const rlimit limit = {bytes, bytes};
  return pages > 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

TEST_F(Evaluation, GoesOnWithoutThreadsThatTheSystemRefuses) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more memory than the limit leaves";
  const std::uint64_t expected = bits({.num_threads = 1});
  const Evaluator evaluator(scene, {.num_threads = 8});
  UnwrittenResults results(scene, batch.num_environments, detail::Outputs::kPolygons, 96);
  EXPECT_EQ(in_child([&] {
              if (!limit_address_space()) return false;
              evaluator.evaluate(batch.state(), results.view());
              return hash_of(results) == expected;
            }),
            "right");
}

// The caller has done its part and waits; it is asked nevertheless.
TEST(ThreadPool, CancelsWhatOtherThreadsStillDo) {
  std::atomic<bool> others = false, cancelled = false;
  const std::function<bool()> is_cancelled = [&] { return cancelled.load(); };
  const CancellationScope scope(is_cancelled);
  const auto work = [&](int thread) {
    if (thread == 0) {
      while (!others) std::this_thread::yield();
      return;
    }
    others = true;
    WorkCounter counter;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
      cancelled = true;
      counter.add(1);
    }
  };
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run_on_threads(2, work), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace isopatch::test
