// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/evaluator.h"

namespace isopatch {

/// Evaluates with the cuda backend from and to host memory: copies the arrays of `host_state` to the evaluator's
/// device, evaluates, copies every array of `host_results` that is not null back, and returns when done. Strides are
/// honoured on both sides. Throws Error if this build has no CUDA code, or as Evaluator::evaluate().
void evaluate_on_device(const Evaluator& evaluator, const State& host_state, const Results& host_results);

}  // namespace isopatch
