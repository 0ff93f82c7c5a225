// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace isopatch::detail {

/// Throws Error with expression, CUDA's name for the error and its text, and the source location, unless `result` is
/// success.
void check_cuda(cudaError_t result, const char* expression, const char* file, int line);

}  // namespace isopatch::detail

#define ISOPATCH_CUDA_CHECK(expression) ::isopatch::detail::check_cuda((expression), #expression, __FILE__, __LINE__)
