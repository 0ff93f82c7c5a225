// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "isopatch/results.h"
#include "isopatch/scene.h"
#include "isopatch/state.h"

namespace isopatch::detail {

/// Throws Error, before anything is launched, if an array is not memory of `device` or `stream` belongs to another one.
void check_call(const State& state, const Results& results, cudaStream_t stream, int device);

}  // namespace isopatch::detail
