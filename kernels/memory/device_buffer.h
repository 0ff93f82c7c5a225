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

/// Copies of arrays in device memory, for as long as this exists.
class UploadedArrays {
 public:
  /// Copied on `stream`; returns when it is there. Null without elements.
  template <class T>
  T* upload(const std::vector<T>& host, cudaStream_t stream) {
    const std::size_t bytes = host.size() * sizeof(T);
    DeviceBuffer<std::byte>& buffer = buffers_.emplace_back(bytes);
    buffer.upload(reinterpret_cast<const std::byte*>(host.data()), bytes, stream);
    return reinterpret_cast<T*>(buffer.data());
  }

 private:
  std::vector<DeviceBuffer<std::byte>> buffers_;
};

}  // namespace isopatch::detail
