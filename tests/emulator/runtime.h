// SPDX-License-Identifier: Apache-2.0
//
// The state of the emulated CUDA runtime, which its functions share: devices, streams and what each host thread set.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulator/device.h"
#include "tests/emulator/fat_binary.h"

namespace isopatch::emulator {
using Work = std::function<cudaError_t()>;
}

struct CUstream_st {
  int device = 0;
  bool captures = false;
  std::vector<isopatch::emulator::Work> captured;
};
struct CUgraph_st {
  std::vector<isopatch::emulator::Work> nodes;
};
struct CUgraphExec_st {
  std::vector<isopatch::emulator::Work> nodes;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point time;
};

namespace isopatch::emulator {

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

inline thread_local Caller caller;

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
      const std::string ptx = ptx_of(fat_binary);
      programs.push_back(read_program(source_of(ptx), ptx));
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

inline Runtime& runtime() {
  static Runtime the;
  return the;
}

inline std::lock_guard<std::mutex> locked() { return std::lock_guard(runtime().mutex); }

inline cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) caller.last = error;
  return error;
}

inline cudaError_t in_order() { return runtime().fault.empty() ? cudaSuccess : cudaErrorLaunchFailure; }

inline cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (in_order() != cudaSuccess) return result(in_order());
  if (stream != nullptr && stream->captures) {
    stream->captured.push_back(std::move(work));
    return cudaSuccess;
  }
  return result(work());
}

/// What waits for the device, or may.
inline cudaError_t outside_captures() {
  if (caller.captures > 0) return cudaErrorStreamCaptureUnsupported;
  return in_order();
}

}  // namespace isopatch::emulator
