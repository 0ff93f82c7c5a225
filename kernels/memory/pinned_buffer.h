// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

/// Owns bytes of host memory that a device copies from and to by itself. Move-only.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size) : size_(size) {
    if (size > 0) ISOPATCH_CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&data_), size, cudaHostAllocDefault));
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }

  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace isopatch::detail
