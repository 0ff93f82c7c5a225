// SPDX-License-Identifier: Apache-2.0
//
// Batch sizes around those of a chunk, a warp and a block.
#include <gtest/gtest.h>

#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

struct Size : ::testing::TestWithParam<int> {};

TEST_P(Size, EveryEnvironmentIsWrittenAndNoneBeyond) {
  const Scene scene(boxes_on_ground());
  constexpr std::int64_t kMax = 300;
  const Batch batch = random_batch(scene, kMax, 71);
  const EvaluatorOptions options = {Backend::kCpu, Precision::kFloat, 2};
  static const std::vector<std::uint64_t> expected =
      environment_hashes(evaluate(scene, batch, options, Outputs::kPolygons, 256));

  const std::int64_t count = GetParam();
  UnwrittenResults r(scene, kMax, Outputs::kPolygons, 256);
  const std::vector<std::uint64_t> untouched = environment_hashes(r);
  State state = batch.view(0, count);
  if (count == 0) state.poses = {};  // else the number is taken to have been forgotten
  Evaluator(scene, options).evaluate(state, r.view());
  const std::vector<std::uint64_t> hashes = environment_hashes(r);
  for (std::size_t e = 0; e < kMax; ++e) {
    ASSERT_EQ(hashes[e], static_cast<std::int64_t>(e) < count ? expected[e] : untouched[e]) << "environment " << e;
  }
}

INSTANTIATE_TEST_SUITE_P(Environments, Size, ::testing::Values(0, 1, 2, 31, 32, 33, 127, 128, 129, 257));

TEST(LargeSizes, ManyEnvironmentsAreIndependent) {
  const Scene scene(boxes_on_ground());
  constexpr std::int64_t kCount = 10007;
  const Batch batch = random_batch(scene, kCount, 72);
  UnwrittenResults r(scene, kCount, Outputs::kWrench);
  const Evaluator evaluator(scene, {Backend::kCpu, Precision::kFloat, 2});
  evaluator.evaluate(batch.state(), r.view());
  for (const std::int64_t e : {std::int64_t{0}, std::int64_t{5000}, kCount - 1}) {
    UnwrittenResults alone(scene, 1, Outputs::kWrench);
    evaluator.evaluate(batch.view(e, 1), alone.view());
    EXPECT_EQ(environment_hash(alone, 0), environment_hash(r, static_cast<std::size_t>(e))) << "environment " << e;
  }
}

}  // namespace
}  // namespace isopatch::test
