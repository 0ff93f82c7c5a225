// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// A kernel on a device.
struct LoadedKernel {
  int resident_blocks = 1;        // that the device runs at once
  std::int64_t local_memory = 0;  // bytes for the stacks and spilled registers of all threads the device can hold
};

/// Loads a kernel on the current device, and looks up what is known of it ever after: without this CUDA would load it
/// at its first launch, which a stream capture may refuse. `block_size` is always the same for a kernel.
LoadedKernel loaded_kernel(const void* kernel, int block_size);

/// The most local memory of a kernel that is loaded on the current device. CUDA allocates this much at the first
/// launches, once for all kernels.
std::int64_t local_memory_of_kernels();

}  // namespace isopatch::detail
