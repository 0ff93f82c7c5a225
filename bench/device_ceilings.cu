// SPDX-License-Identifier: Apache-2.0
//
// device_ceilings: what the current device does at most, measured: fused multiply-adds in float and double, and the
// bandwidth of a copy in its memory. Prints JSON. The rates of isopatch_bench are to be read against these.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/device_buffer.h"

namespace isopatch {
namespace {

constexpr int kBlock = 256;
constexpr int kChains = 8;  // independent ones a thread, to hide the latency of each
constexpr int kSteps = 4096;

template <class T>
__global__ void __launch_bounds__(kBlock) multiply_add(T* out, T factor, T term) {
  T x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = static_cast<T>(threadIdx.x + i);
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) x[i] = fma(x[i], factor, term);
  }
  T sum = 0;
  for (int i = 0; i < kChains; ++i) sum += x[i];
  if (sum == static_cast<T>(-1)) *out = sum;  // never: keeps the work from being left out
}

/// The shortest of several runs, in seconds.
template <class Run>
double shortest(const Run& run) {
  cudaEvent_t begin = nullptr, end = nullptr;
  ISOPATCH_CUDA_CHECK(cudaEventCreate(&begin));
  ISOPATCH_CUDA_CHECK(cudaEventCreate(&end));
  double best = 1e300;
  for (int i = 0; i < 10; ++i) {
    ISOPATCH_CUDA_CHECK(cudaEventRecord(begin));
    run();
    ISOPATCH_CUDA_CHECK(cudaEventRecord(end));
    ISOPATCH_CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    ISOPATCH_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    best = std::min(best, 1e-3 * static_cast<double>(milliseconds));
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return best;
}

/// Multiply-adds a second.
template <class T>
double multiply_add_rate(int processors) {
  detail::DeviceBuffer<T> out(1);
  const int blocks = processors * 8;
  const double seconds = shortest([&] {
    multiply_add<T><<<blocks, kBlock>>>(out.data(), static_cast<T>(0.999), static_cast<T>(0.001));
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
  return static_cast<double>(blocks) * kBlock * kChains * kSteps / seconds;
}

/// Bytes read and written a second.
double copy_rate() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  detail::DeviceBuffer<unsigned char> from(kBytes), to(kBytes);
  const double seconds =
      shortest([&] { ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice)); });
  return 2 * static_cast<double>(kBytes) / seconds;
}

void print_ceilings() {
  cudaDeviceProp device = {};
  ISOPATCH_CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  std::printf("{\"device\": \"%s\", \"processors\": %d,\n", device.name, device.multiProcessorCount);
  std::printf(" \"float_multiply_adds_per_s\": %.4g,\n", multiply_add_rate<float>(device.multiProcessorCount));
  std::printf(" \"double_multiply_adds_per_s\": %.4g,\n", multiply_add_rate<double>(device.multiProcessorCount));
  std::printf(" \"copy_bytes_per_s\": %.4g}\n", copy_rate());
}

}  // namespace
}  // namespace isopatch

int main() {
  try {
    isopatch::print_ceilings();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device_ceilings: error: %s\n", error.what());
    return 1;
  }
}
