// SPDX-License-Identifier: Apache-2.0
//
// Evaluations of every kind of contact with state: the same bits in a chain of them however they are made, and
// memories that are none stay in their environments.
#include <gtest/gtest.h>

#include "tests/support/memory_scenes.h"
#include "tests/support/same_bits.h"
#include "tests/support/vector_widths.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Outputs;
using detail::Vectors;

constexpr std::int32_t kCapacity = 96;

class MemoryEvaluation : public ::testing::TestWithParam<Precision> {
 protected:
  const SceneDescription description_ = remembering_scene();
  const Scene scene_{description_};

  CpuOptions options(int threads = 2, Vectors vectors = Vectors::kBest) const {
    CpuOptions options;
    options.precision = GetParam();
    options.num_threads = threads;
    options.vectors = vectors;
    return options;
  }
  HostEvaluator evaluator(const CpuOptions& options) const {
    return HostEvaluator(detail::make_evaluator(scene_, options));
  }

  Batch disturbed(std::int64_t environments) const {
    Batch batch(description_, environments);
    disturb(description_, batch, 9);
    return batch;
  }

  /// All outputs, after what was there before was overwritten.
  UnwrittenResults evaluated(const HostEvaluator& by, const Batch& batch, CandidateCache* cache = nullptr) const {
    UnwrittenResults results(scene_, batch.num_environments, Outputs::kPolygons, kCapacity);
    results.give_part_pairs();
    results.give_single_contacts();
    results.give_contacts(kCapacity);
    State state = batch.view();
    state.time_step = 1e-3;
    const Results to = results.ResultArrays::view();
    cache == nullptr ? by.evaluate(state, to) : by.evaluate(state, to, *cache);
    return results;
  }

  /// A few evaluations, each with the memory of the one before, of bodies that move on.
  UnwrittenResults chain(const HostEvaluator& by, Batch batch, CandidateCache* cache = nullptr) const {
    for (int call = 0;; ++call) {
      UnwrittenResults results = evaluated(by, batch, cache);
      if (call == 4) return results;
      batch.contact_state = results.contact_state;
      for (std::size_t body = 0; body < batch.poses.size() / 7; ++body) {
        for (std::size_t k = 0; k < 3; ++k) batch.poses[7 * body + k] += 1e-3 * batch.velocities[6 * body + k];
      }
    }
  }
};

TEST_P(MemoryEvaluation, HasTheSameBitsHoweverItIsMade) {
  const Batch batch = disturbed(7);
  const UnwrittenResults expected = chain(evaluator(options(1, Vectors::kNone)), batch);
  std::vector<bool> remembers(static_cast<std::size_t>(scene_.num_part_pairs()));
  for (std::size_t i = 7; i < expected.contact_state.size(); i += 8) {
    if (expected.contact_state[i] > 2e-3) remembers[i / 8 % remembers.size()] = true;
  }
  for (std::size_t i = 0; i < remembers.size(); ++i) EXPECT_TRUE(remembers[i]) << "part pair " << i;

  for (const int threads : {1, 3}) {
    for (const Vectors vectors : widths_and_none()) {
      EXPECT_EQ(first_difference(expected, chain(evaluator(options(threads, vectors)), batch)), "");
    }
  }
}

TEST_P(MemoryEvaluation, DoesNotDependOnCandidatesThatAreKept) {
  const Batch batch = disturbed(7);
  const HostEvaluator by = evaluator(options());
  CandidateCache cache = by.make_candidate_cache(7, 1e-3);
  EXPECT_EQ(first_difference(chain(by, batch), chain(by, batch, &cache)), "");
}

TEST_P(MemoryEvaluation, DoesNotDependOnTheBatchOrItsOrder) {
  constexpr std::int64_t kMany = 4096;
  const Batch batch = disturbed(7);
  const HostEvaluator by = evaluator(options());
  const UnwrittenResults expected = chain(by, batch);
  Random random(1);
  Batch many(description_, kMany);
  many.contact_state.resize(batch.contact_state.size() / 7 * kMany);
  std::vector<std::int64_t> order;
  for (std::int64_t e = 0; e < kMany; ++e) order.push_back(random.below(7));
  for_each_input(
      [&](const ArrayInfo&, const auto& from, auto& to) {
        const std::size_t row = from.size() / 7;
        for (std::size_t i = 0; i < order.size() && row > 0; ++i) {
          std::copy_n(&from[static_cast<std::size_t>(order[i]) * row], row, &to[i * row]);
        }
      },
      batch, many);
  const UnwrittenResults found = chain(by, many);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_TRUE(same_environment(found, i, expected, static_cast<std::size_t>(order[i]))) << i;
  }
}

/// Every value of an environment with a fault is zero.
void expect_nothing(const UnwrittenResults& results, std::size_t e) {
  EXPECT_EQ(results.status[e], kBadContactState) << e << ": " << status_text(results.status[e]);
  for_each_output(
      [&](const ArrayInfo& info, const auto& values) {
        using Element = typename std::remove_cvref_t<decltype(values)>::value_type;
        if constexpr (std::is_arithmetic_v<Element>) {
          if (values.empty() || info.is_packed() || std::string(info.name) == "status") return;
          const std::size_t row = values.size() / static_cast<std::size_t>(results.num_environments);
          for (std::size_t i = e * row; i < (e + 1) * row; ++i) {
            ASSERT_EQ(values[i], Element{}) << info.name << " of environment " << e;
          }
        }
      },
      results);
}

TEST_P(MemoryEvaluation, LeavesAFaultyMemoryToItsEnvironment) {
  constexpr std::size_t kMany = 4096;
  Batch batch = disturbed(kMany);
  for (const Vectors vectors : {Vectors::kBest, Vectors::kNone}) {
    const HostEvaluator by = evaluator(options(2, vectors));
    batch.contact_state = evaluated(by, disturbed(kMany)).contact_state;
    const UnwrittenResults sound = evaluated(by, batch);
    for (const std::uint32_t status : sound.status) ASSERT_EQ(status & kFaults, 0u);
    for (std::size_t round = 0; round < 2; ++round) {
      Batch faulty = batch;
      const std::vector<bool> spoiled = spoil_memories(faulty.contact_state, kMany, round);
      const UnwrittenResults found = evaluated(by, faulty);
      for (std::size_t e = 0; e < kMany; ++e) {
        if (spoiled[e]) {
          ASSERT_NO_FATAL_FAILURE(expect_nothing(found, e));
        } else {
          ASSERT_TRUE(same_environment(found, e, sound, e)) << "environment " << e << ", round " << round;
        }
      }
    }
  }
}

/// A dwell of 1, zeros of either sign, and subnormal numbers are a memory, and the least impact speed as a float.
TEST_P(MemoryEvaluation, TakesWhatIsAtItsLimits) {
  Batch batch = disturbed(3);
  const auto row = 8 * static_cast<std::size_t>(scene_.num_part_pairs());
  batch.contact_state.assign(3 * row, 0.0);
  for (std::size_t i = row; i < 2 * row; ++i) batch.contact_state[i] = -0.0;
  for (std::size_t i = 2 * row; i < 3 * row; ++i) {
    batch.contact_state[i] = i % 8 == 6   ? 1
                             : i % 8 == 0 ? (1 - 5e-8) * description_.contact.force_law.small_speed
                                          : std::numeric_limits<double>::denorm_min();
  }
  const UnwrittenResults found = evaluated(evaluator(options()), batch);
  for (const std::uint32_t status : found.status) EXPECT_EQ(status & kFaults, 0u) << status_text(status);
}

INSTANTIATE_TEST_SUITE_P(Precisions, MemoryEvaluation, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& of) { return of.param == Precision::kFloat ? "Float" : "Double"; });

}  // namespace
}  // namespace isopatch::test
