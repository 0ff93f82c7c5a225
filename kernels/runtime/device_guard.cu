// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/device_guard.h"

#include <cuda.h>

#include <map>
#include <mutex>

#include "isopatch/error.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

namespace {

// The runtime has no stack of contexts, and the driver's library is not linked.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  ISOPATCH_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status));
#else
  ISOPATCH_CUDA_CHECK(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &status));
#endif
  if (found == nullptr)
    throw Error(std::string("cuda: the driver has no ") + name + "; install a newer one", ErrorKind::kDevice);
  return reinterpret_cast<Function>(found);
}

struct Driver {
  decltype(&cuDevicePrimaryCtxRetain) retain =
      driver_function<decltype(&cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain");
  decltype(&cuCtxPushCurrent) push = driver_function<decltype(&cuCtxPushCurrent)>("cuCtxPushCurrent");
  decltype(&cuCtxPopCurrent) pop = driver_function<decltype(&cuCtxPopCurrent)>("cuCtxPopCurrent");

  std::mutex mutex;
  std::map<int, CUcontext> contexts;  // shared with the runtime, kept as long as the process

  CUcontext context(int device) {
    const std::lock_guard lock(mutex);
    CUcontext& known = contexts[device];
    if (known == nullptr && retain(&known, device) != CUDA_SUCCESS) {
      known = nullptr;
      throw Error("cuda: device " + std::to_string(device) + " cannot be used: it gives no context",
                  ErrorKind::kDevice);
    }
    return known;
  }
};

Driver& driver() {
  static Driver the;
  return the;
}

}  // namespace

DeviceGuard::DeviceGuard(int device) {
  int current = 0;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&current));
  if (current == device) return;
  if (driver().push(driver().context(device)) != CUDA_SUCCESS) {
    throw Error("cuda: device " + std::to_string(device) + " cannot be made the current one", ErrorKind::kDevice);
  }
  pushed_ = true;
}

DeviceGuard::~DeviceGuard() {
  CUcontext popped = nullptr;
  if (pushed_) driver().pop(&popped);
}

}  // namespace isopatch::detail
