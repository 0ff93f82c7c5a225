// SPDX-License-Identifier: Apache-2.0
#include "kernels/memory/cuda_check.h"

#include "isopatch/error.h"

namespace isopatch::detail {

void check_cuda(cudaError_t result, const char* expression, const char* file, int line) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // a failed launch must not be found again by the next check
  throw Error(std::string("cuda: ") + expression + " failed: " + cudaGetErrorName(result) + " (" +
                  cudaGetErrorString(result) + ") at " + file + ":" + std::to_string(line),
              result == cudaErrorMemoryAllocation ? ErrorKind::kMemory : ErrorKind::kDevice);
}

std::string mebibytes(std::size_t bytes) {
  const std::size_t tenths = (bytes * 10 + (1 << 20) - 1) >> 20;  // rounded up
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

namespace {

std::size_t free_device_memory() {
  std::size_t available = 0, total = 0;
  ISOPATCH_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  return available;
}

}  // namespace

bool has_device_memory(std::size_t bytes) { return bytes <= free_device_memory(); }

void require_device_memory(std::size_t bytes, const std::string& what) {
  const std::size_t available = free_device_memory();
  if (bytes <= available) return;
  throw Error("backend cuda: " + what + " " + mebibytes(bytes) + "; the device has " + mebibytes(available) + " free",
              ErrorKind::kMemory, {.found = mebibytes(available) + " free", .wanted = mebibytes(bytes)});
}

}  // namespace isopatch::detail
