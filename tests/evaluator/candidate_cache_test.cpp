// SPDX-License-Identifier: Apache-2.0
//
// A cache of candidates: what it is asked for and what it refuses. That kept candidates change no bit is tested on a
// device (tests/kernels/bits_test.cpp).
#include "isopatch/candidate_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "isopatch/error.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct CandidateCaches : ::testing::Test {
  Scene scene = Scene(two_bodies(make_sphere("ball", 0.05, 1), make_box("box", {0.1, 0.08, 0.2})));
  Evaluator evaluator{scene};
  Batch batch = random_batch(scene, 3, 701);
  ResultArrays results{scene, 3};
};

TEST_F(CandidateCaches, ChangeNoBitAndTakeNoMemoryOnTheCpu) {
  CandidateCache candidates = evaluator.make_candidate_cache(4, 1e-3);
  EXPECT_EQ(candidates.num_environments(), 4);
  EXPECT_EQ(candidates.margin(), 1e-3);
  EXPECT_EQ(candidates.bytes(), 0u);
  ResultArrays without(scene, 3);
  evaluator.evaluate(batch.state(), without.view());
  for (int call = 0; call < 2; ++call) {
    evaluator.evaluate(batch.state(), results.view(), candidates);
    EXPECT_EQ(results.pair_wrench, without.pair_wrench);
    candidates.reset();
  }
}

TEST_F(CandidateCaches, AreRefusedForTooManyEnvironmentsAndByAnotherEvaluator) {
  CandidateCache candidates = evaluator.make_candidate_cache(2, 1e-3);
  EXPECT_EQ(message([&] { evaluator.evaluate(batch.state(), results.view(), candidates); }),
            "evaluate: the candidate cache has room for 2 environments; the state has 3");
  const Evaluator other(scene);
  EXPECT_EQ(message([&] { other.evaluate(batch.state(), results.view(), candidates); }),
            "evaluate: the candidate cache is of another evaluator; make one with make_candidate_cache() of this one");
  const CandidateCache moved_to = std::move(candidates);
  EXPECT_EQ(message([&] { candidates.reset(); }),
            "candidate cache: it was moved from; use the one that it was moved to");
}

TEST_F(CandidateCaches, NeedAMarginAboveZeroAndANumberThatIsNotNegative) {
  EXPECT_EQ(message([&] { evaluator.make_candidate_cache(1, 0); }),
            "make_candidate_cache: margin is 0; give a margin in m, above 0 and at most 1000000000000");
  EXPECT_NE(message([&] { evaluator.make_candidate_cache(-1, 1e-3); }).find("num_environments"), std::string::npos);
}

}  // namespace
}  // namespace isopatch::test
