// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA runtime that isopatch, its tests and benchmarks call, with one emulated device behind them.
// A program that links them needs no driver and no GPU. Work on a stream is done at once, unless the stream is
// captured: then it goes into the graph. What a real runtime refuses during a capture is refused here.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/emulator/device.h"
#include "tests/emulator/fat_binary.h"

using isopatch::emulator::Device;
using isopatch::emulator::Kernel;
using isopatch::emulator::Program;
using isopatch::emulator::read_program;

using Work = std::function<cudaError_t()>;

struct CUstream_st {
  int device = 0;
  bool captures = false;
  std::vector<Work> captured;
};
struct CUgraph_st {
  std::vector<Work> nodes;
};
struct CUgraphExec_st {
  std::vector<Work> nodes;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point time;
};

namespace {

/// What each host thread has of its own.
struct Caller {
  int device = 0;
  int captures = 0;  // streams that it captures
  cudaError_t last = cudaSuccess;
  struct {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
  } configuration;
};

thread_local Caller caller;

struct Runtime {
  static constexpr int kDevices = 2;

  std::mutex mutex;
  std::deque<Program> programs;  // the devices hold on to them
  std::vector<Device> devices;
  std::map<const void*, std::string> names;  // of kernels, by host function
  std::string fault;                         // a kernel's; nothing works after it

  Runtime() : devices(kDevices) {
    if (std::getenv("ISOPATCH_EMULATOR_PROFILE") != nullptr) devices[0].count_transactions();
  }
  ~Runtime() {
    const char* file = std::getenv("ISOPATCH_EMULATOR_PROFILE");
    if (file == nullptr) return;
    if (std::FILE* out = std::fopen(file, "w")) {
      std::fputs(devices[0].profile().c_str(), out);
      std::fclose(out);
    }
  }
  void load(const void* fat_binary) {
    try {
      const std::string ptx = isopatch::emulator::ptx_of(fat_binary);
      programs.push_back(read_program(isopatch::emulator::source_of(ptx), ptx));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "emulator: error: %s\n", e.what());
      std::exit(2);
    }
    for (Device& device : devices) device.load(programs.back());
  }
  Device& of(cudaStream_t stream) {
    return devices[static_cast<std::size_t>(stream == nullptr ? caller.device : stream->device)];
  }
  Device& current() { return of(nullptr); }
};

Runtime& runtime() {
  static Runtime the;
  return the;
}

std::lock_guard<std::mutex> locked() { return std::lock_guard(runtime().mutex); }

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) caller.last = error;
  return error;
}

cudaError_t in_order() { return runtime().fault.empty() ? cudaSuccess : cudaErrorLaunchFailure; }

cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (in_order() != cudaSuccess) return result(in_order());
  if (stream != nullptr && stream->captures) {
    stream->captured.push_back(std::move(work));
    return cudaSuccess;
  }
  return result(work());
}

/// What waits for the device, or may.
cudaError_t outside_captures() {
  if (caller.captures > 0) return cudaErrorStreamCaptureUnsupported;
  return in_order();
}

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
  const auto* first = static_cast<const std::byte*>(arguments[0]);  // all kernels have one parameter
  const std::vector<std::byte> parameters(first, first + kernel.parameter_bytes);
  return enqueue(stream, [=, &device, &kernel] {
    try {
      device.launch(kernel, grid.x, block.x, parameters);
    } catch (const isopatch::emulator::DeviceFault& e) {
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
  *value = Device::kProcessors;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, std::size_t,
                                                                   unsigned) {
  *blocks = Device::kBlocksPerProcessor;
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

// --- streams, graphs and events --------------------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st{caller.device, false, {}};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  *device = stream == nullptr ? caller.device : stream->device;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const auto lock = locked();
  return result(stream != nullptr && stream->captures ? cudaErrorStreamCaptureUnsupported : in_order());
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = stream != nullptr && stream->captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->captures = true;
  ++caller.captures;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  stream->captures = false;
  --caller.captures;
  *graph = new CUgraph_st{std::move(stream->captured)};
  stream->captured.clear();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->nodes};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const auto lock = locked();
  for (const Work& node : executable->nodes) {
    const cudaError_t error = enqueue(stream, node);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const auto lock = locked();
  return enqueue(stream, [event] {
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  const auto lock = locked();
  return result(in_order());
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return cudaSuccess;
}

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

}  // extern "C"
