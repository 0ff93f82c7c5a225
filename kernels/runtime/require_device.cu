// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/require_device.h"

#include <cuda_runtime_api.h>

#include <string>

#include "isopatch/error.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

namespace {

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

}  // namespace isopatch::detail
