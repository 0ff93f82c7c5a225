// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

/// Shared memory that CUDA keeps for itself in each block, from compute capability 8.0 on.
inline constexpr std::size_t kReservedSharedMemory = 1024;

/// Asks the current device for as much shared memory as so many blocks of a kernel need, of so many bytes each; the
/// rest stays first-level cache. Without, the driver chooses, and by which rule is not documented. To be called before
/// the kernel is loaded: its resident blocks follow from it.
void prefer_shared_memory(const void* kernel, int blocks, std::size_t bytes);

}  // namespace isopatch::detail
