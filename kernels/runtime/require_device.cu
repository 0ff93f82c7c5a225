// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/require_device.h"

#include <string>

#include "isopatch/error.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

int require_device(int wanted) {
  int count = 0, current = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw Error(std::string("backend cuda: no usable device (") + cudaGetErrorString(found) +
                    "); use cpu, or install a driver for an NVIDIA GPU",
                ErrorKind::kDevice);
  }
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
