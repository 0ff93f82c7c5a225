// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a batch in host memory part by part, with any backend.
#pragma once

#include <cstdint>
#include <functional>

#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::cli {

/// Evaluates all of `states`, first `chunk` environments, then parts that take a fraction of a second each. Calls
/// `progress(done)` after each part; an exception from it ends the run.
void run_batch(const HostEvaluator& evaluator, const StateArrays& states, ResultArrays& results, std::int64_t chunk,
               const std::function<void(std::int64_t)>& progress);

}  // namespace isopatch::cli
