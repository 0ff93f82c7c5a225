// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA runtime that isopatch, its tests and benchmarks call, with one emulated device behind them.
// A program that links them needs no driver and no GPU. Work on a stream is done at once, unless the stream is
// captured: then it goes into the graph (cuda_streams.cpp). What a real runtime refuses during a capture is refused
// here.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/emulator/runtime.h"

using namespace isopatch::emulator;

namespace {

cudaError_t copy(Device& device, void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  if (size == 0) return cudaSuccess;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (from_device && !device.memory().contains(from, size)) return cudaErrorInvalidValue;
  if (to_device && !device.memory().written(to, size)) return cudaErrorInvalidValue;
  std::memcpy(to, from, size);
  return cudaSuccess;
}

cudaError_t set(Device& device, void* at, int value, std::size_t size) {
  if (!device.memory().written(at, size)) return cudaErrorInvalidValue;
  std::memset(at, value, size);
  return cudaSuccess;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, cudaStream_t stream) {
  const auto lock = locked();
  Device& device = runtime().of(stream);
  const Kernel& kernel = device.kernel(runtime().names.at(function));
  if (grid.x == 0 || block.x == 0 || block.x % 32 != 0 || grid.y * grid.z * block.y * block.z != 1) {
    return result(cudaErrorInvalidConfiguration);
  }
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto [offset, bytes] = kernel.parameters[i];
    std::memcpy(parameters.data() + offset, arguments[i], bytes);
  }
  return enqueue(stream, [=, &device, &kernel] {
    try {
      if (engine != nullptr) {
        engine->launch(kernel.name, grid.x, block.x, parameters, device.memory());
      } else {
        device.launch(kernel, grid.x, block.x, parameters);
      }
    } catch (const DeviceFault& e) {
      runtime().fault = e.what();
      return cudaErrorLaunchFailure;
    }
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): names that are NVIDIA's

// --- registration and launches, called by the code that nvcc makes ---------------------------------------------------

void** __cudaRegisterFatBinary(void* fat_binary) {
  static void* handle = nullptr;
  const auto lock = locked();
  runtime().load(fat_binary);
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
char __cudaInitModule(void**) {
  return 0;
}  // of managed variables; called by code that is not optimised away in a debug build
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* device_name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  const auto lock = locked();
  runtime().names[host] = device_name;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {
}  // CUB and libcu++ have some that no kernel uses; one that did would be refused when its PTX is read
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  caller.configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  const auto& c = caller.configuration;
  *grid = c.grid, *block = c.block, *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t,
                               cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, stream);
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return launch(function, grid, block, arguments, stream);
}

// --- devices ---------------------------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  *count = Runtime::kDevices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = caller.device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= Runtime::kDevices) return result(cudaErrorInvalidDevice);
  caller.device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute != cudaDevAttrMultiProcessorCount) return result(cudaErrorNotSupported);
  *value = engine != nullptr ? engine->processors() : Device::kProcessors;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   std::size_t, unsigned) {
  *blocks = Device::kBlocksPerProcessor;
  if (engine != nullptr) {
    const auto lock = locked();
    *blocks = engine->resident_blocks(runtime().names.at(function), static_cast<std::uint32_t>(block_size));
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const auto lock = locked();
  return result(outside_captures());
}

// --- errors ----------------------------------------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
  const auto lock = locked();
  const cudaError_t last = caller.last;
  caller.last = in_order();
  return last;
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure && !runtime().fault.empty() ? runtime().fault.c_str()
                                                                     : cudaGetErrorName(error);
}

// --- memory ----------------------------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** to, std::size_t size) {
  const auto lock = locked();
  if (caller.captures > 0) return result(cudaErrorStreamCaptureUnsupported);
  *to = runtime().current().memory().allocate(size);
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  const auto lock = locked();
  if (at == nullptr) return cudaSuccess;
  for (Device& device : runtime().devices) {
    if (device.memory().free(at)) return cudaSuccess;  // NOLINT(clang-analyzer-unix.Malloc): not the C library's
  }
  return result(cudaErrorInvalidValue);
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  const auto lock = locked();
  *total = std::size_t(16) << 30;
  *available = *total - runtime().current().memory().used();
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  const auto lock = locked();
  if (outside_captures() != cudaSuccess) return result(outside_captures());
  return result(copy(runtime().current(), to, from, size, kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  const auto lock = locked();
  return enqueue(stream, [=, &device = runtime().of(stream)] { return copy(device, to, from, size, kind); });
}
cudaError_t cudaMemset(void* at, int value, std::size_t size) {
  const auto lock = locked();
  if (outside_captures() != cudaSuccess) return result(outside_captures());
  return result(set(runtime().current(), at, value, size));
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t size, cudaStream_t stream) {
  const auto lock = locked();
  return enqueue(stream, [=, &device = runtime().of(stream)] { return set(device, at, value, size); });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* at) {
  const auto lock = locked();
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  for (int i = 0; i < Runtime::kDevices; ++i) {
    if (!runtime().devices[static_cast<std::size_t>(i)].memory().holds(at)) continue;
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = i;
  }
  return cudaSuccess;
}

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

}  // extern "C"
