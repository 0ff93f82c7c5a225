// SPDX-License-Identifier: Apache-2.0
//
// Uneven work for a grid that fills the device once: warps take the next item from a counter until none is left.
#pragma once

#include <algorithm>

#include "kernels/memory/cuda_check.h"
#include "kernels/runtime/cuda_warp.cuh"
#include "kernels/runtime/loaded_kernel.h"

namespace isopatch::detail {

/// Takes the next item for the warp; false if none is left. Warps that all find an empty list do not wait for each
/// other at its counter.
__device__ inline bool take_item(CudaWarp& warp, std::int32_t* next, std::int64_t count, std::int32_t& item) {
  if (count == 0) return false;
  item = warp.from_first(warp.lane() == 0 ? atomicAdd(next, 1) : 0);
  return item < count;
}

/// Blocks of `kernel` that the current device runs at once. The first time on a device, this loads the kernel.
template <class Kernel>
int resident_blocks(Kernel kernel, int block_size) {
  return loaded_kernel(reinterpret_cast<const void*>(kernel), block_size).resident_blocks;
}

/// As many blocks as the device holds at once, or fewer if the items need fewer.
template <class Kernel>
unsigned blocks_for(Kernel kernel, int block_size, std::int64_t most_items) {
  const std::int64_t warps = block_size / CudaWarp::kSize;
  const std::int64_t useful = (most_items + warps - 1) / warps;
  return static_cast<unsigned>(std::min<std::int64_t>(resident_blocks(kernel, block_size), useful));
}

}  // namespace isopatch::detail
