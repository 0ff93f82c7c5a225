// SPDX-License-Identifier: Apache-2.0
//
// Running sums on the device, by CUB. A program on an emulated device links another definition of these functions,
// which adds in a loop on the host (tests/emulator/runtime/device_algorithms.cpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace isopatch::detail {

/// Loads the kernels of exclusive_sums() on the current device, which a stream capture may refuse.
void load_exclusive_sums();

/// The working memory that exclusive_sums() needs for up to `count` numbers on the current device, in bytes.
std::size_t exclusive_sums_bytes(std::int64_t count);

/// sums[i] = numbers[0] + ... + numbers[i - 1] for i from 0 to `count`, so the last of the count + 1 sums is that of
/// all numbers. One more number may be read, which changes nothing. Enqueues on `stream`, allocates nothing and does
/// not synchronise, so it can be captured in a graph. Throws Error where CUDA gives an error.
void exclusive_sums(const std::int32_t* numbers, std::int64_t count, std::int64_t* sums, void* memory,
                    std::size_t memory_bytes, cudaStream_t stream);

}  // namespace isopatch::detail
