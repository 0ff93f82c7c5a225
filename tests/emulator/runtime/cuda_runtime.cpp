// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA runtime that isopatch, its tests and benchmarks call, with one emulated device behind them.
// A program that links them needs no driver and no GPU. Work on a stream is done at once, unless the stream is
// captured: then it goes into the graph (cuda_streams.cpp). What a real runtime refuses during a capture is refused
// here.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/emulator/runtime/runtime.h"

using namespace isopatch::emulator;

namespace {

/// Whether a copy may read or write there.
bool reaches(Device& device, const void* at, std::size_t size, bool on_device) {
  return size == 0 || !on_device || device.memory().contains(at, size);
}

/// Copies when the stream gets there. What the host gives or takes is taken over at once unless it is pinned.
cudaError_t copy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t handle) {
  Runtime& the = runtime();
  const CUstream_st& stream = the.stream(handle);
  Device& device = the.device(stream.device);
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (!reaches(device, from, size, from_device) || !reaches(device, to, size, to_device)) {
    return result(cudaErrorInvalidValue);
  }
  const bool stages = !from_device && stream.capture == 0 && !the.is_pinned(from);
  std::vector<std::byte> staged;
  if (stages) staged.assign(static_cast<const std::byte*>(from), static_cast<const std::byte*>(from) + size);
  const cudaError_t error = enqueue(handle, [=, &device, staged = std::move(staged)] {
    if (size == 0) return cudaSuccess;
    if (from_device && !device.memory().contains(from, size)) return fails("a copy from memory that was freed");
    if (to_device && !device.memory().written(to, size)) return fails("a copy to memory that was freed");
    std::memcpy(to, stages ? staged.data() : from, size);
    return cudaSuccess;
  });
  if (error != cudaSuccess || to_device || the.is_pinned(to) || stream.capture != 0) return error;
  the.run_stream(stream);
  return result(in_order());
}

cudaError_t set(void* at, int value, std::size_t size, cudaStream_t stream) {
  Device& device = runtime().device(runtime().stream(stream).device);
  if (!device.memory().contains(at, size)) return result(cudaErrorInvalidValue);
  return enqueue(stream, [=, &device] {
    if (!device.memory().written(at, size)) return fails("a memset of memory that was freed");
    std::memset(at, value, size);
    return cudaSuccess;
  });
}

/// Loads a kernel, unless it is there; false where a capture forbids that.
bool load(int device, const std::string& name) {
  if (runtime().loaded.contains({device, name})) return true;
  if (is_restricted()) return false;
  runtime().loaded.insert({device, name});
  return true;
}

/// What the kernels of a block may have without asking for more.
constexpr std::size_t kMostShared = 48 << 10;

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream) {
  const auto lock = entered("cudaLaunchKernel");
  if (caller.launches_before_failure >= 0 && caller.launches_before_failure-- == 0) {
    return result(cudaErrorLaunchOutOfResources);
  }
  const CUstream_st& on = runtime().stream(stream);
  Device& device = runtime().device(on.device);
  const std::string& name = runtime().names.at(function);
  const Kernel& kernel = runtime().kernel(device, name);
  if (on.capture != 0 && !runtime().loaded.contains({on.device, name})) {
    return refused_in(on, cudaErrorStreamCaptureUnsupported);
  }
  if (!load(on.device, name)) return result(cudaErrorStreamCaptureUnsupported);
  std::uint32_t& largest = caller.grids[name];
  largest = std::max(largest, grid.x);
  if (grid.x == 0 || block.x == 0 || block.x % 32 != 0 || grid.y * grid.z * block.y * block.z != 1) {
    return result(cudaErrorInvalidConfiguration);
  }
  const auto dynamic_shared = static_cast<std::uint32_t>(shared);
  const auto allowed = runtime().dynamic_shared.find(name);
  const std::size_t most =
      allowed == runtime().dynamic_shared.end() ? kMostShared : std::max(kMostShared, allowed->second);
  if (shared > most || kernel.shared_with(dynamic_shared) > most) return result(cudaErrorInvalidValue);
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto [offset, bytes] = kernel.parameters[i];
    std::memcpy(parameters.data() + offset, arguments[i], bytes);
  }
  return enqueue(stream, [=, &device, &kernel] {
    try {
      if (engine != nullptr) {
        engine->launch(kernel.name, grid.x, block.x, parameters, device.memory(), dynamic_shared);
      } else {
        device.launch(kernel, grid.x, block.x, parameters, dynamic_shared);
      }
    } catch (const DeviceFault& e) {
      return fails(e.what());
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
  const std::lock_guard lock(runtime().mutex);
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
  const std::lock_guard lock(runtime().mutex);
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
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream);
}

// --- devices ---------------------------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  const auto lock = entered(__func__);
  if (runtime().driver / 1000 < CUDART_VERSION / 1000) return result(cudaErrorInsufficientDriver);
  *count = Runtime::kDevices;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  const auto lock = entered(__func__);
  *version = runtime().driver;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  const auto lock = entered(__func__);
  *device = caller.device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  const auto lock = entered(__func__);
  if (device < 0 || device >= Runtime::kDevices) return result(cudaErrorInvalidDevice);
  caller.device() = device;
  runtime().current();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const auto lock = entered(__func__);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = engine != nullptr ? engine->processors() : Device::kProcessors;
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = Device::kThreadsPerProcessor;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = Device::kSharedPerProcessor;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = runtime().most_shared;
      return cudaSuccess;
    case cudaDevAttrMaxGridDimX:
      *value = std::numeric_limits<int>::max();
      return cudaSuccess;
    default:
      return result(cudaErrorNotSupported);
  }
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const auto lock = entered(__func__);
  const std::string& name = runtime().names.at(function);
  if (!load(caller.device(), name)) return result(cudaErrorStreamCaptureUnsupported);
  *attributes = {};
  attributes->ptxVersion = attributes->binaryVersion = Device::kArchitecture;
  attributes->localSizeBytes = runtime().kernel(runtime().current(), name).local_bytes;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  const auto lock = entered(__func__);
  const std::string& name = runtime().names.at(function);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || value > runtime().most_shared) return result(cudaErrorInvalidValue);
    if (!load(caller.device(), name)) return result(cudaErrorStreamCaptureUnsupported);
    runtime().dynamic_shared[name] = static_cast<std::size_t>(value);
    return cudaSuccess;
  }
  if (attribute != cudaFuncAttributePreferredSharedMemoryCarveout) return result(cudaErrorNotSupported);
  if (value < -1 || value > 100) return result(cudaErrorInvalidValue);
  if (!load(caller.device(), name)) return result(cudaErrorStreamCaptureUnsupported);
  runtime().carveouts[name] = value;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block_size,
                                                                   std::size_t shared, unsigned) {
  const auto lock = entered("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (!load(caller.device(), runtime().names.at(function))) return result(cudaErrorStreamCaptureUnsupported);
  *blocks = Device::kBlocksPerProcessor;
  if (engine != nullptr) {
    *blocks = engine->resident_blocks(runtime().names.at(function), static_cast<std::uint32_t>(block_size),
                                      static_cast<std::uint32_t>(shared));
  }
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, 0);
}
cudaError_t cudaDeviceSynchronize() {
  const auto lock = entered(__func__);
  const bool meets = meets_capture([](const CUstream_st& stream) { return stream.device == caller.device(); });
  if (meets || is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  runtime().run_device(caller.device());
  return result(in_order());
}

// --- errors ----------------------------------------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
  const auto lock = entered(__func__);
  const cudaError_t last = caller.last;
  caller.last = in_order();
  return last;
}
cudaError_t cudaPeekAtLastError() {
  const auto lock = entered(__func__);
  return caller.last;
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorLaunchOutOfResources:
      return "cudaErrorLaunchOutOfResources";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureIsolation:
      return "cudaErrorStreamCaptureIsolation";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureWrongThread:
      return "cudaErrorStreamCaptureWrongThread";
    case cudaErrorStreamCaptureImplicit:
      return "cudaErrorStreamCaptureImplicit";
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
  const auto lock = entered(__func__);
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  GlobalMemory& memory = runtime().current().memory();
  if (size > runtime().memory[static_cast<std::size_t>(caller.device())] - memory.used()) {
    return result(cudaErrorMemoryAllocation);
  }
  *to = memory.allocate(size);
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  const auto lock = entered(__func__);
  runtime().current();
  if (at == nullptr) return cudaSuccess;
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  for (int i = 0; i < Runtime::kDevices; ++i) {
    if (!runtime().device(i).memory().holds(at)) continue;
    runtime().run_device(i);
    return runtime().device(i).memory().free(at)  // NOLINT(clang-analyzer-unix.Malloc): not the C library's
               ? cudaSuccess
               : result(cudaErrorInvalidValue);
  }
  return result(cudaErrorInvalidValue);
}
cudaError_t cudaHostAlloc(void** to, std::size_t size, unsigned) {
  const auto lock = entered(__func__);
  runtime().current();
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  auto bytes = std::make_unique<std::byte[]>(size);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.get());
  *to = bytes.get();
  runtime().pinned_bytes[address] = size;
  runtime().pinned[address] = std::move(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  const auto lock = entered(__func__);
  runtime().current();
  if (at == nullptr) return cudaSuccess;
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  runtime().run_device(caller.device());
  runtime().pinned.erase(reinterpret_cast<std::uintptr_t>(at));
  runtime().pinned_bytes.erase(reinterpret_cast<std::uintptr_t>(at));
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  const auto lock = entered(__func__);
  *total = runtime().memory[static_cast<std::size_t>(caller.device())];
  *available = *total - runtime().current().memory().used();
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  const auto lock = entered(__func__);
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  const cudaError_t error = copy(to, from, size, kind, nullptr);
  if (runtime().is_pinned(from) || runtime().is_pinned(to)) runtime().run_stream(runtime().stream(nullptr));
  return error;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  const auto lock = entered(__func__);
  return copy(to, from, size, kind, stream);
}
cudaError_t cudaMemset(void* at, int value, std::size_t size) {
  const auto lock = entered(__func__);
  if (is_restricted()) return result(cudaErrorStreamCaptureUnsupported);
  return set(at, value, size, nullptr);
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t size, cudaStream_t stream) {
  const auto lock = entered(__func__);
  return set(at, value, size, stream);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* at) {
  const auto lock = entered(__func__);
  *attributes = {};
  attributes->type = runtime().is_pinned(at) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  for (int i = 0; i < Runtime::kDevices; ++i) {
    if (!runtime().device(i).memory().holds(at)) continue;
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = i;
  }
  return cudaSuccess;
}

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

}  // extern "C"
