// SPDX-License-Identifier: Apache-2.0
//
// Children of a process that has used threads, as those of Python's multiprocessing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/hash.h"
#include "tests/threads/child.h"

namespace isopatch::test {
namespace {

struct Fork : ::testing::Test {
  static constexpr std::int64_t kEnvironments = 64;
  static constexpr std::int32_t kCapacity = 96;

  const Scene scene{boxes_on_ground()};
  const Batch batch = random_batch(scene, kEnvironments, 31, 0.4);
  const Evaluator on_two{scene, {.num_threads = 2}};

  std::uint64_t bits(const Evaluator& evaluator) const {
    UnwrittenResults results(scene, kEnvironments, detail::Outputs::kPolygons, kCapacity);
    evaluator.evaluate(batch.state(), results.view());
    return hash_of(results);
  }
};

TEST_F(Fork, ChildOfAProcessWithThreadsEvaluatesOnThreadsToTheSameBits) {
  const std::uint64_t expected = bits(on_two);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(in_child([&] { return bits(on_two) == expected && bits(on_two) == expected; }), "right");
    EXPECT_EQ(bits(on_two), expected) << "in the parent, after child " << i;
  }
}

TEST_F(Fork, ChildEvaluatesWithAnEvaluatorAndASceneOfItsOwn) {
  const std::uint64_t expected = bits(on_two);
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const std::uint64_t same = backend == Backend::kCpu ? expected : bits(Evaluator(scene, {.backend = backend}));
    EXPECT_EQ(in_child([&] {
                const Scene own(boxes_on_ground());
                return bits(Evaluator(own, {.backend = backend, .num_threads = 3})) == same;
              }),
              "right");
  }
}

TEST_F(Fork, GrandchildDoesToo) {
  const std::uint64_t expected = bits(on_two);
  EXPECT_EQ(in_child([&] {
              return bits(on_two) == expected && in_child([&] { return bits(on_two) == expected; }) == "right" &&
                     bits(on_two) == expected;
            }),
            "right");
}

TEST_F(Fork, MayBeMadeWhileOtherThreadsEvaluate) {
  const std::uint64_t expected = bits(on_two);
  std::atomic<bool> done = false;
  std::vector<std::jthread> busy;
  for (int i = 0; i < 2; ++i) {
    busy.emplace_back([&] {
      while (!done) bits(on_two);
    });
  }
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(in_child([&] { return bits(on_two) == expected; }), "right") << "child " << i;
  }
  done = true;
}

TEST_F(Fork, ProcessMayEndWhileOtherThreadsEvaluate) {
  EXPECT_EXIT(
      {
        alarm(60);
        std::atomic<int> evaluations = 0;
        for (int i = 0; i < 2; ++i) {
          std::thread([&] {
            while (true) bits(on_two), ++evaluations;
          }).detach();
        }
        while (evaluations < 2) std::this_thread::yield();
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        alarm(60);
        bits(on_two);
        std::exit(8);
      },
      ::testing::ExitedWithCode(8), "");
}

}  // namespace
}  // namespace isopatch::test
