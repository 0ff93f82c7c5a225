// SPDX-License-Identifier: Apache-2.0
//
// Which device is used, and code that makes it the current one.
#pragma once

#include <string>

#include "isopatch/error.h"
#include "kernels/memory/working_memory.h"

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

/// Frees what an object has on a device.
template <class T>
void free_on(int device, T& object) {
  try {
    const DeviceGuard guard(device);
    const AllocationInCaptures allowed;
    object = T();
  } catch (const Error&) {  // the device is lost, and its memory with it
  }
}

/// The number of devices. No error of CUDA is left behind. If it is 0, `problem` says why.
int count_devices(std::string& problem);

/// The index of the device to use: `wanted`, or the current one if it is negative. Throws Error if there is none.
int require_device(int wanted);

}  // namespace isopatch::detail
