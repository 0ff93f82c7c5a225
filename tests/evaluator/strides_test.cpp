// SPDX-License-Identifier: Apache-2.0
//
// Strides: rows with gaps, and one row for all environments.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/hash.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr std::int64_t kEnvironments = 7;

struct Strides : ::testing::TestWithParam<Backend> {
  Scene scene{boxes_on_ground()};
  EvaluatorOptions options{GetParam(), Precision::kDouble, 2};
};

/// Rows of `row` elements, `gap` apart, with `filler` between them.
template <class T>
std::vector<T> spread(const std::vector<T>& values, std::int64_t row, std::int64_t gap, T filler) {
  std::vector<T> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back(values[i]);
    if ((static_cast<std::int64_t>(i) + 1) % row == 0) out.insert(out.end(), static_cast<std::size_t>(gap), filler);
  }
  return out;
}

TEST_P(Strides, OfZeroRepeatARowInEveryEnvironment) {
  Batch one = random_batch(scene, 1, 81, 0.16, true);
  one.pair_mask.assign(one.pair_mask.size(), 1);
  Batch repeated = one;
  repeated.num_environments = kEnvironments;
  for_each_input(
      [](const ArrayInfo&, const auto& from, auto& to) {
        for (std::int64_t e = 1; e < kEnvironments; ++e) to.insert(to.end(), from.begin(), from.end());
      },
      one, repeated);

  State state = one.state();
  state.num_environments = kEnvironments;
  for_each_input([](const ArrayInfo&, auto& array) { array.stride = 0; }, state);
  UnwrittenResults results(scene, kEnvironments);
  Evaluator(scene, options).evaluate(state, results.view());

  const UnwrittenResults expected = evaluate(scene, repeated, options, detail::Outputs::kPolygons, 4096);
  EXPECT_GT(*std::max_element(expected.area.begin(), expected.area.end()), 0);
  for (std::size_t e = 0; e < kEnvironments; ++e) {
    EXPECT_EQ(environment_hash(results, e), environment_hash(expected, e)) << "environment " << e;
  }
}

TEST_P(Strides, LeaveWhatIsBetweenRowsAlone) {
  const Batch batch = random_batch(scene, kEnvironments, 82, 0.16, true);
  const UnwrittenResults expected = evaluate(scene, batch, options, detail::Outputs::kPatch);
  constexpr std::int64_t kGap = 3;

  Batch in = batch;
  State state;
  state.num_environments = kEnvironments;
  const ArrayCounts counts = expected.counts();
  for_each_input(
      [&](const ArrayInfo& info, const auto& from, auto& values, auto& array) {
        if (from.empty()) return;
        const std::int64_t row = counts.row(info);
        values = spread(from, row, kGap, from[0]);
        array = {values.data(), row + kGap};
      },
      batch, in, state);

  UnwrittenResults out(scene, kEnvironments, detail::Outputs::kPatch), filled = out;
  Results results;
  for_each_output(
      [&](const ArrayInfo& info, auto& values, auto& array) {
        if constexpr (detail::HasRows<decltype(array)>) {
          if (values.empty()) return;
          const std::int64_t row = counts.row(info);
          values.resize(static_cast<std::size_t>(kEnvironments * (row + kGap)), values[0]);
          array.data = values.data();
          array.stride = row + kGap;
        }
      },
      out, results);
  Evaluator(scene, options).evaluate(state, results);
  for_each_output(
      [&](const ArrayInfo& info, const auto& found, const auto& wanted, const auto& unwritten) {
        if constexpr (requires { found[0] == wanted[0]; }) {
          if (wanted.empty()) return;
          EXPECT_EQ(found, spread(wanted, counts.row(info), kGap, unwritten[0])) << info.name;
        }
      },
      out, expected, filled);
}

TEST_P(Strides, OfZeroAreRefusedForOutputs) {
  const Batch batch = random_batch(scene, 2, 83);
  UnwrittenResults arrays(scene, 2);
  for (const bool status : {false, true}) {
    Results results = arrays.view();
    if (status) {
      results.status.stride = 0;
    } else {
      results.area.stride = 0;
    }
    EXPECT_THROW(Evaluator(scene, options).evaluate(batch.state(), results), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Strides, ::testing::Values(Backend::kCpu, Backend::kReference),
                         [](const auto& instance) { return instance.param == Backend::kCpu ? "Cpu" : "Reference"; });

}  // namespace
}  // namespace isopatch::test
