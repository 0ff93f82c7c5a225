// SPDX-License-Identifier: Apache-2.0
#include "kernels/algorithms/device_scan.h"

#include <cub/device/device_scan.cuh>

#include "kernels/memory/device_buffer.h"
#include "kernels/memory/stream.h"

namespace isopatch::detail {

namespace {

struct Sum {
  __host__ __device__ std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
};

}  // namespace

void load_exclusive_sums() {
  const Stream stream;
  const DeviceBuffer<std::int32_t> numbers({1, 0}, stream);
  const DeviceBuffer<std::int64_t> sums(2);
  const DeviceBuffer<std::byte> memory(exclusive_sums_bytes(1));
  exclusive_sums(numbers.data(), 1, sums.data(), memory.data(), memory.size(), stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

std::size_t exclusive_sums_bytes(std::int64_t count) {
  const std::int32_t* numbers = nullptr;
  std::int64_t* sums = nullptr;
  std::size_t bytes = 0;
  ISOPATCH_CUDA_CHECK(cub::DeviceScan::ExclusiveScan(nullptr, bytes, numbers, sums, Sum(), std::int64_t{0}, count + 1));
  return bytes;
}

void exclusive_sums(const std::int32_t* numbers, std::int64_t count, std::int64_t* sums, void* memory,
                    std::size_t memory_bytes, cudaStream_t stream) {
  ISOPATCH_CUDA_CHECK(
      cub::DeviceScan::ExclusiveScan(memory, memory_bytes, numbers, sums, Sum(), std::int64_t{0}, count + 1, stream));
}

}  // namespace isopatch::detail
