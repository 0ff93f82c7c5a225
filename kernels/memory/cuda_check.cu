// SPDX-License-Identifier: Apache-2.0
#include "kernels/memory/cuda_check.h"

#include <string>

#include "isopatch/error.h"

namespace isopatch::detail {

void check_cuda(cudaError_t result, const char* expression, const char* file, int line) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // a failed launch must not be found again by the next check
  throw Error(std::string("cuda: ") + expression + " failed: " + cudaGetErrorName(result) + " (" +
                  cudaGetErrorString(result) + ") at " + file + ":" + std::to_string(line),
              result == cudaErrorMemoryAllocation ? ErrorKind::kMemory : ErrorKind::kDevice);
}

}  // namespace isopatch::detail
