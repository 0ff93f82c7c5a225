// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/runtime/cuda_check.h"

namespace isopatch::detail {

/// Makes a device the current one for a scope.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    ISOPATCH_CUDA_CHECK(cudaGetDevice(&before_));
    if (device != before_) ISOPATCH_CUDA_CHECK(cudaSetDevice(device));
  }
  ~DeviceGuard() { cudaSetDevice(before_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_ = 0;
};

}  // namespace isopatch::detail
