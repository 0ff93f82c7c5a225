// SPDX-License-Identifier: Apache-2.0
#include "kernels/algorithms/device_reduce.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/transform_reduce.h>
#include <cuda/functional>
#include <list>

#include "isopatch/error.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

namespace {

struct NumberAt {
  const std::int32_t* numbers;
  std::int64_t stride;

  __host__ __device__ std::int32_t operator()(std::int64_t i) const { return numbers[i * stride]; }
};

/// Working memory of Thrust.
struct Memory {
  using value_type = std::byte;
  std::list<DeviceBuffer<std::byte>> buffers;

  std::byte* allocate(std::ptrdiff_t bytes) { return buffers.emplace_back(static_cast<std::size_t>(bytes)).data(); }
  void deallocate(std::byte*, std::size_t) {}
};

}  // namespace

std::int32_t largest_number(const std::int32_t* numbers, std::int64_t stride, std::int64_t count, cudaStream_t stream) {
  const thrust::counting_iterator<std::int64_t> first(0);
  Memory memory;
  try {
    return thrust::transform_reduce(thrust::cuda::par(memory).on(stream), first, first + count,
                                    NumberAt{numbers, stride}, std::int32_t{0}, cuda::maximum<std::int32_t>());
  } catch (const thrust::system_error& error) {
    throw Error(error.what());
  }
}

}  // namespace isopatch::detail
