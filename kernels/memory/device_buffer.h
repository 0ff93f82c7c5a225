// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

/// Owns `size` elements of uninitialised device memory. Move-only.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size > 0) ISOPATCH_CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) { upload(host.data(), host.size()); }
  ~DeviceBuffer() { cudaFree(data_); }

  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Both return when the copy is done. (cudaMemcpy() to a device returns earlier, and streams that were made
  /// non-blocking do not wait for it.)
  void upload(const T* host, std::size_t count) {
    if (count == 0) return;
    ISOPATCH_CUDA_CHECK(cudaMemcpy(data_, host, count * sizeof(T), cudaMemcpyHostToDevice));
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(nullptr));
  }
  void download(T* host, std::size_t count) const {
    if (count > 0) ISOPATCH_CUDA_CHECK(cudaMemcpy(host, data_, count * sizeof(T), cudaMemcpyDeviceToHost));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace isopatch::detail
