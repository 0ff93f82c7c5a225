// SPDX-License-Identifier: Apache-2.0
//
// The device-wide algorithms of kernels/algorithms, as loops on the host. CUB's kernels for them wait for one another,
// and an emulated block need not be resident while another waits. A program that links these definitions does not link
// those of the library. They take their turn on a stream, go into graphs, and fault as a kernel does.
#include <algorithm>
#include <functional>
#include <memory>

#include "kernels/algorithms/device_reduce.h"
#include "kernels/algorithms/device_scan.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"
#include "tests/emulator/runtime/runtime.h"

namespace isopatch::detail {

namespace {

using namespace emulator;

constexpr std::size_t kMemory = 64;  // bytes that an algorithm asks for, to see that it gets them

template <class T>
T read(GlobalMemory& memory, const T* at) {
  memory.read(reinterpret_cast<std::uintptr_t>(at), sizeof(T));
  return *at;
}

template <class T>
void write(GlobalMemory& memory, T* at, T value) {
  memory.write(reinterpret_cast<std::uintptr_t>(at), sizeof(T));
  *at = value;
}

/// Enqueues `loop` as a kernel that uses `bytes` of working memory at `working_memory`.
void enqueue_loop(cudaStream_t stream, void* working_memory, std::size_t bytes,
                  std::function<void(GlobalMemory&)> loop) {
  const auto lock = entered("a device-wide algorithm");
  GlobalMemory& memory = runtime().device(runtime().stream(stream).device).memory();
  ISOPATCH_CUDA_CHECK(enqueue(stream, [=, &memory, loop = std::move(loop)] {
    try {
      if (bytes < kMemory || !memory.written(working_memory, bytes)) throw DeviceFault("too little working memory");
      loop(memory);
    } catch (const DeviceFault& e) {
      return fails(e.what());
    }
    return cudaSuccess;
  }));
}

}  // namespace

void load_exclusive_sums() {}

std::size_t exclusive_sums_bytes(std::int64_t) { return kMemory; }

void exclusive_sums(const std::int32_t* numbers, std::int64_t count, std::int64_t* sums, void* memory,
                    std::size_t memory_bytes, cudaStream_t stream) {
  enqueue_loop(stream, memory, memory_bytes, [=](GlobalMemory& device) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      write(device, sums + i, sum);
      sum += read(device, numbers + i);
    }
    write(device, sums + count, sum);
  });
}

std::int32_t largest_number(const std::int32_t* numbers, std::int64_t stride, std::int64_t count, cudaStream_t stream) {
  const DeviceBuffer<std::byte> memory(kMemory);
  const auto largest = std::make_shared<std::int32_t>(0);
  enqueue_loop(stream, memory.data(), memory.size(), [=](GlobalMemory& device) {
    for (std::int64_t i = 0; i < count; ++i) *largest = std::max(*largest, read(device, numbers + i * stride));
  });
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  return *largest;
}

}  // namespace isopatch::detail
