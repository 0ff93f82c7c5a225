// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

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
