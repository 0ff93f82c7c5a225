// SPDX-License-Identifier: Apache-2.0
//
// What becomes of many numbers on the device is one, by Thrust. A program on an emulated device links another
// definition, a loop on the host (tests/emulator/runtime/device_algorithms.cpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace isopatch::detail {

/// The largest of `count` numbers in device memory, `stride` apart, or 0 if none is above it. Waits for the stream, and
/// allocates. Throws Error if CUDA gives an error.
std::int32_t largest_number(const std::int32_t* numbers, std::int64_t stride, std::int64_t count, cudaStream_t stream);

}  // namespace isopatch::detail
