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
  DeviceBuffer(const std::vector<T>& host, cudaStream_t stream) : DeviceBuffer(host.size()) {
    upload(host.data(), host.size(), stream);
  }
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

  /// Both return when the copy is done, which comes after all work on `stream`.
  void upload(const T* host, std::size_t count, cudaStream_t stream) {
    copy(data_, host, count, cudaMemcpyHostToDevice, stream);
  }
  void download(T* host, std::size_t count, cudaStream_t stream) const {
    copy(host, data_, count, cudaMemcpyDeviceToHost, stream);
  }

 private:
  static void copy(T* to, const T* from, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
    if (count == 0) return;
    ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream));
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace isopatch::detail
