// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "isopatch/host_evaluator.h"

namespace isopatch::detail {

/// All records of the only environment of a state, in `buffer`, a member of Results that is counted in another. Also
/// writes what `results` asks for. Evaluates again if there are more than `expected`.
template <class Record, class Buffer, class Needed>
std::vector<Record> all_records(const HostEvaluator& evaluator, const State& state, Results results, Buffer buffer,
                                Needed needed, std::int32_t expected) {
  std::vector<Record> records(static_cast<std::size_t>(expected));
  for (;;) {
    std::array<std::int32_t, 3> counts = {};  // relations_needed has two more
    results.*buffer = {records.data(), static_cast<std::int32_t>(records.size())};
    results.*needed = counts.data();
    evaluator.evaluate(state, results);
    const auto found = static_cast<std::size_t>(std::max(counts[0], 0));
    const bool fits = found <= records.size();
    records.resize(found);
    if (fits) return records;
  }
}

}  // namespace isopatch::detail
