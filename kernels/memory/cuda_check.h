// SPDX-License-Identifier: Apache-2.0
//
// Checks of CUDA's results, and of the memory that a device has free.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace isopatch::detail {

/// Throws Error with expression, CUDA's name for the error and its text, and the source location, unless `result` is
/// success.
void check_cuda(cudaError_t result, const char* expression, const char* file, int line);

/// Whether the current device has this much memory free.
bool has_device_memory(std::size_t bytes);

/// Throws Error unless the current device has this much memory free. `what` needs it: "the scene's meshes need".
void require_device_memory(std::size_t bytes, const std::string& what);

/// "12.3 MiB"
std::string mebibytes(std::size_t bytes);

}  // namespace isopatch::detail

#define ISOPATCH_CUDA_CHECK(expression) ::isopatch::detail::check_cuda((expression), #expression, __FILE__, __LINE__)
