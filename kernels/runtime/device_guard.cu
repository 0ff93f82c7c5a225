// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/device_guard.h"

#include <cuda_runtime_api.h>

#include <cuda.h>

#include <map>
#include <mutex>

#include "host/evaluation/cuda_streams.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/stream.h"

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

constexpr int kMajor = CUDART_VERSION / 1000;  // of CUDA, in this build

/// Since CUDA 11, a driver for any minor version is enough.
std::string needed_driver() {
  const char* const oldest = kMajor == 13 ? "580" : kMajor == 12 ? "525" : nullptr;
  std::string text = "this build needs CUDA " + std::to_string(kMajor);
  if (oldest != nullptr) text += std::string(", which drivers from ") + oldest + " on offer";
  return text;
}

std::string problem_of(cudaError_t error) {
  int version = 0;  // of CUDA, as the driver has it; 0: there is no driver
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) {
    return "there is no NVIDIA driver, and " + needed_driver();
  }
  const std::string offered = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  if (version / 1000 < kMajor) return "the NVIDIA driver offers CUDA " + offered + ", and " + needed_driver();
  if (error == cudaSuccess || error == cudaErrorNoDevice) {
    return "there is no CUDA device; the NVIDIA driver offers CUDA " + offered;
  }
  return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + "); the NVIDIA driver offers CUDA " +
         offered + ", and " + needed_driver();
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

int count_devices(std::string& problem) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return count;
  problem = problem_of(error);
  cudaGetLastError();
  return 0;
}

int require_device(int wanted) {
  int current = 0;
  std::string problem;
  const int count = count_devices(problem);
  if (count == 0) throw Error("backend cuda: no usable device: " + problem + "; use cpu", ErrorKind::kDevice);
  if (wanted >= count) {
    throw Error("evaluator: device is " + std::to_string(wanted) + "; this machine has " + std::to_string(count) +
                    ", with indices from 0 (-1 for the current one)",
                ErrorKind::kDevice, {.where = "evaluator: device", .found = std::to_string(wanted)});
  }
  if (wanted >= 0) return wanted;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&current));
  return current;
}

void let_stream_wait(int device, void* stream, void* for_stream) {
  const DeviceGuard guard(device);
  auto* const waiting = static_cast<cudaStream_t>(stream);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  ISOPATCH_CUDA_CHECK(cudaStreamIsCapturing(waiting, &capture));
  if (capture != cudaStreamCaptureStatusNone) return;
  const Event event;
  ISOPATCH_CUDA_CHECK(cudaEventRecord(event, static_cast<cudaStream_t>(for_stream)));
  ISOPATCH_CUDA_CHECK(cudaStreamWaitEvent(waiting, event));
}

}  // namespace isopatch::detail
