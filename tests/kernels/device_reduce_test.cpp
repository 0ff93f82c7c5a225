// SPDX-License-Identifier: Apache-2.0
//
// A reduction on the device gives what a loop gives, after what its stream does before.
#include "kernels/algorithms/device_reduce.h"

#include <gtest/gtest.h>

#include <vector>

#include "isopatch/evaluator.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/memory/stream.h"

namespace isopatch::test {
namespace {

using detail::DeviceBuffer;

TEST(GpuReduce, FindsTheLargestNumberOfAnyCount) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  const detail::Stream stream;
  for (const std::int64_t count : {0, 1, 2, 31, 33, 1000, 100'000}) {
    for (const std::int64_t stride : {1, 3}) {
      std::vector<std::int32_t> numbers(static_cast<std::size_t>(count * stride + 1), 1000);  // between them
      for (std::int64_t i = 0; i < count; ++i) {
        numbers[static_cast<std::size_t>(i * stride)] = static_cast<std::int32_t>(i * 31 % 97);
      }
      std::int32_t largest = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        largest = std::max(largest, numbers[static_cast<std::size_t>(i * stride)]);
      }
      const DeviceBuffer<std::int32_t> on_device(numbers, stream);
      EXPECT_EQ(detail::largest_number(on_device.data(), stride, count, stream), largest) << count << ' ' << stride;
    }
  }
}

TEST(GpuReduce, ComesAfterTheWorkOfItsStream) {
  if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  const detail::Stream stream;
  const DeviceBuffer<std::int32_t> numbers(std::vector<std::int32_t>(100, 7), stream);
  ISOPATCH_CUDA_CHECK(cudaMemsetAsync(numbers.data(), 0x01, 100 * sizeof(std::int32_t), stream));
  EXPECT_EQ(detail::largest_number(numbers.data(), 1, 100, stream), 0x01010101);
}

}  // namespace
}  // namespace isopatch::test
