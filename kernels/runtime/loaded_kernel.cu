// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/loaded_kernel.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

namespace {

struct LoadedKernels {
  std::mutex mutex;
  std::map<std::pair<int, const void*>, LoadedKernel> known;  // by device
};

LoadedKernels& loaded_kernels() {
  static LoadedKernels the;
  return the;
}

LoadedKernel load(const void* kernel, int block_size, int device) {
  int processors = 0, threads = 0, blocks = 0;
  cudaFuncAttributes attributes = {};
  ISOPATCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));  // this loads it
  ISOPATCH_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  ISOPATCH_CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  ISOPATCH_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_size, 0));
  return {std::max(1, processors * blocks),
          static_cast<std::int64_t>(attributes.localSizeBytes) * threads * processors};
}

}  // namespace

LoadedKernel loaded_kernel(const void* kernel, int block_size) {
  int device = 0;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&device));
  LoadedKernels& kernels = loaded_kernels();
  const std::lock_guard lock(kernels.mutex);
  const auto found = kernels.known.find({device, kernel});
  if (found != kernels.known.end()) return found->second;
  return kernels.known[{device, kernel}] = load(kernel, block_size, device);
}

void prefer_shared_memory(const void* kernel, int blocks, std::size_t bytes) {
  int device = 0, all = 0;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&device));
  ISOPATCH_CUDA_CHECK(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  // rounded down, as CUDA takes the next size that a processor can have, and these are further apart than a percent
  const auto percent = static_cast<int>(100 * static_cast<std::size_t>(blocks) * bytes / static_cast<std::size_t>(all));
  ISOPATCH_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, std::min(percent, 100)));
}

std::int64_t local_memory_of_kernels() {
  int device = 0;
  ISOPATCH_CUDA_CHECK(cudaGetDevice(&device));
  LoadedKernels& kernels = loaded_kernels();
  const std::lock_guard lock(kernels.mutex);
  std::int64_t most = 0;
  for (const auto& [key, kernel] : kernels.known) {
    if (key.first == device) most = std::max(most, kernel.local_memory);
  }
  return most;
}

}  // namespace isopatch::detail
