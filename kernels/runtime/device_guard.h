// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace isopatch::detail {

/// Makes a device the current one for a scope. No other device gets a context by it, as it would by cudaSetDevice() on
/// the way back: to a thread that has never chosen a device, device 0 is the current one.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace isopatch::detail
