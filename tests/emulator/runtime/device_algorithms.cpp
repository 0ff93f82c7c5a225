// SPDX-License-Identifier: Apache-2.0
//
// The device-wide algorithms of kernels/runtime, as loops on the host. CUB's kernels for them wait for one another, and
// an emulated block need not be resident while another waits. A program that links these definitions does not link
// those of the library. They take their turn on a stream, go into graphs, and fault as a kernel does.
#include <functional>

#include "kernels/algorithms/device_scan.h"
#include "kernels/memory/cuda_check.h"
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

}  // namespace isopatch::detail
