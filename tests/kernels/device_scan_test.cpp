// SPDX-License-Identifier: Apache-2.0
//
// Running sums on the device are those of a loop, in the order of a stream and in graphs.
#include "kernels/algorithms/device_scan.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "isopatch/evaluator.h"
#include "kernels/memory/device_buffer.h"
#include "tests/support/device_calls.h"

namespace isopatch::test {
namespace {

using detail::DeviceBuffer;

struct Sums {
  std::int64_t count;
  DeviceBuffer<std::int32_t> numbers;
  DeviceBuffer<std::int64_t> sums;
  DeviceBuffer<std::byte> memory;

  explicit Sums(std::int64_t count_)
      : count(count_),
        numbers(static_cast<std::size_t>(count + 1)),
        sums(static_cast<std::size_t>(count + 1)),
        memory(detail::exclusive_sums_bytes(count)) {}

  void give(const std::vector<std::int32_t>& values) { numbers.upload(values.data(), values.size(), nullptr); }
  void enqueue(cudaStream_t stream) {
    detail::exclusive_sums(numbers.data(), count, sums.data(), memory.data(), memory.size(), stream);
  }
  std::vector<std::int64_t> fetch() const {
    std::vector<std::int64_t> host(sums.size());
    sums.download(host.data(), host.size(), nullptr);
    return host;
  }
};

/// Numbers that grow with `seed`, some so large that their sums need 64 bits.
std::vector<std::int32_t> numbers(std::int64_t count, int seed) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(i % 5 == 2 ? std::numeric_limits<std::int32_t>::max() : static_cast<std::int32_t>(i % 97) * seed);
  }
  return values;
}

std::vector<std::int64_t> loop(const std::vector<std::int32_t>& values) {
  std::vector<std::int64_t> sums = {0};
  for (const std::int32_t value : values) sums.push_back(sums.back() + value);
  return sums;
}

struct GpuScan : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(GpuScan, SumsAreThoseOfALoop) {
  for (const std::int64_t count : {0, 1, 31, 1000, 100'000}) {
    Sums sums(count);
    const std::vector<std::int32_t> values = numbers(count, 3);
    sums.give(values);
    sums.enqueue(nullptr);
    EXPECT_EQ(sums.fetch(), loop(values)) << count;
  }
}

TEST_F(GpuScan, AGraphAddsUpWhatTheArrayHoldsThen) {
  constexpr std::int64_t kCount = 1000;
  Sums sums(kCount);
  const Stream stream(cudaStreamDefault);
  const Graph graph(stream, [&] { sums.enqueue(stream); });
  for (const int seed : {1, 2}) {
    sums.give(numbers(kCount, seed));
    graph.replay();
    EXPECT_EQ(sums.fetch(), loop(numbers(kCount, seed)));
  }
}

}  // namespace
}  // namespace isopatch::test
