// SPDX-License-Identifier: Apache-2.0
//
// An environment's bits depend on nothing but its own state: not on threads, neighbours, batches, warp width, or other
// requested outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "tests/support/fiber_evaluator.h"
#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

constexpr std::int64_t kEnvironments = 4096;

struct Determinism : ::testing::TestWithParam<Precision> {
  const Scene scene{boxes_on_ground()};
  const Batch batch = random_batch(scene, kEnvironments, 21, 0.4);

  EvaluatorOptions options(int threads) const { return {Backend::kCpu, GetParam(), threads}; }
  static constexpr std::int32_t kCapacity = 96;

  UnwrittenResults evaluated(const Batch& of, int threads) const {
    return evaluate(scene, of, options(threads), Outputs::kPolygons, kCapacity);
  }
};

TEST_P(Determinism, ThreadsOrderAndBatchesDoNotChangeABit) {
  const UnwrittenResults expected = evaluated(batch, 1);
  ASSERT_LE(*std::max_element(expected.polygons_needed.begin(), expected.polygons_needed.end()), kCapacity);
  const std::uint64_t hash = hash_of(expected);

  EXPECT_EQ(hash_of(evaluated(batch, 2)), hash) << "2 threads";

  // environments in another order
  std::vector<std::int64_t> order(kEnvironments);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(22));
  const std::vector<std::uint64_t> hashes = environment_hashes(expected);
  const std::vector<std::uint64_t> permuted = environment_hashes(evaluated(batch.permuted(order), 2));
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(permuted[i], hashes[static_cast<std::size_t>(order[i])]) << "environment " << order[i] << " at " << i;
  }

  // the same environments a few at a time
  const Evaluator evaluator(scene, options(2));
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{7}, kEnvironments}) {
    UnwrittenResults parts(scene, kEnvironments, Outputs::kPolygons, kCapacity);
    for (std::int64_t begin = 0; begin < kEnvironments; begin += size) {
      evaluator.evaluate(batch.view(begin, std::min(size, kEnvironments - begin)), parts.view(begin));
    }
    EXPECT_EQ(hash_of(parts), hash) << "batches of " << size;
  }
}

TEST_P(Determinism, FewerOutputsHaveTheSameBits) {
  const UnwrittenResults all = evaluated(batch, 2);
  const UnwrittenResults patch = evaluate(scene, batch, options(2), Outputs::kPatch);
  const UnwrittenResults wrench = evaluate(scene, batch, options(2), Outputs::kWrench);
  for (const UnwrittenResults* fewer : {&patch, &wrench}) {
    EXPECT_EQ(fewer->pair_wrench, all.pair_wrench);
    EXPECT_EQ(fewer->body_wrench, all.body_wrench);
    EXPECT_EQ(fewer->area, all.area);
    EXPECT_EQ(fewer->energy, all.energy);
    EXPECT_EQ(fewer->polygon_count, all.polygon_count);
    EXPECT_EQ(fewer->status, all.status);
  }
  EXPECT_EQ(patch.center_of_pressure, all.center_of_pressure);
  EXPECT_EQ(patch.mean_normal, all.mean_normal);
  EXPECT_EQ(patch.max_pressure, all.max_pressure);
  EXPECT_EQ(patch.friction_force, all.friction_force);
}

TEST_P(Determinism, AWarpOf32HasTheBitsOfOneLane) {
  constexpr std::int64_t kFew = 32;
  const Batch few = random_batch(scene, kFew, 23, 0.4);
  UnwrittenResults warp(scene, kFew, Outputs::kPolygons, kCapacity);
  if (GetParam() == Precision::kFloat) {
    FiberEvaluator<float, 32>().evaluate(scene, few.state(), warp.view());
  } else {
    FiberEvaluator<double, 32>().evaluate(scene, few.state(), warp.view());
  }
  EXPECT_EQ(hash_of(warp), hash_of(evaluated(few, 2)));
}

TEST_P(Determinism, TwoEvaluatorsAndTwoCallsAgree) {
  const Batch part = random_batch(scene, 100, 24);
  const Evaluator one(scene, options(2)), other(Scene(boxes_on_ground()), options(1));
  UnwrittenResults first(scene, 100, Outputs::kPatch), second = first, third = first;
  one.evaluate(part.state(), first.view());
  one.evaluate(part.state(), second.view());
  other.evaluate(part.state(), third.view());
  EXPECT_EQ(hash_of(first), hash_of(second));
  EXPECT_EQ(hash_of(first), hash_of(third));
}

TEST_P(Determinism, CallsFromSeveralThreadsDoNotDisturbEachOther) {
  constexpr std::int64_t kSize = 40;
  constexpr std::size_t kCallers = 3, kCalls = 20;
  const Evaluator evaluator(scene, options(1));
  const auto hash_of_part = [&](const Evaluator& by, std::size_t i) {
    UnwrittenResults out(scene, kSize, Outputs::kPatch);
    by.evaluate(batch.view(static_cast<std::int64_t>(i) * kSize, kSize), out.view());
    return hash_of(out);
  };
  std::vector<std::uint64_t> expected(kCallers * kCalls), got = expected;
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = hash_of_part(Evaluator(scene, options(1)), i);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (std::size_t i = caller; i < got.size(); i += kCallers) got[i] = hash_of_part(evaluator, i);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(got, expected);
}

INSTANTIATE_TEST_SUITE_P(Precisions, Determinism, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& case_info) {
                           return case_info.param == Precision::kFloat ? "Float" : "Double";
                         });

}  // namespace
}  // namespace isopatch::test
