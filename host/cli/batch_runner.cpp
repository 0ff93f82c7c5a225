// SPDX-License-Identifier: Apache-2.0
#include "host/cli/batch_runner.h"

#include <algorithm>
#include <chrono>

namespace isopatch::cli {

void run_batch(const HostEvaluator& evaluator, const StateArrays& states, ResultArrays& results, std::int64_t chunk,
               const std::function<void(std::int64_t)>& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShort(200), kLong(800);

  for (std::int64_t begin = 0; begin < states.num_environments;) {
    const std::int64_t count = std::min(chunk, states.num_environments - begin);
    const Clock::time_point start = Clock::now();
    evaluator.evaluate(states.view(begin, count), results.view(begin));
    begin += count;
    progress(begin);

    const auto elapsed = Clock::now() - start;
    if (elapsed < kShort) chunk *= 2;
    if (elapsed > kLong) chunk = std::max<std::int64_t>(1, chunk / 2);
  }
}

}  // namespace isopatch::cli
