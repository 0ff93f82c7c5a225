// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

struct FreePinned {
  void operator()(std::byte* data) const { cudaFreeHost(data); }
};

/// Bytes of host memory that a device copies from and to by itself.
using PinnedBuffer = std::unique_ptr<std::byte[], FreePinned>;

inline PinnedBuffer make_pinned_buffer(std::size_t size) {
  void* data = nullptr;
  ISOPATCH_CUDA_CHECK(cudaHostAlloc(&data, size, cudaHostAllocDefault));
  return PinnedBuffer(static_cast<std::byte*>(data));
}

}  // namespace isopatch::detail
