// SPDX-License-Identifier: Apache-2.0
//
// The state of the emulated CUDA runtime, which its functions share: devices, streams and what each host thread set.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/emulator/device.h"
#include "tests/emulator/runtime/fat_binary.h"

namespace isopatch::emulator {

using Work = std::function<cudaError_t()>;

/// Work that waits in a stream. It may wait for an event of another stream too.
struct Item {
  std::uint64_t number = 0;  // counts all work of the process
  Work work;
};

/// What an event was last recorded after: work in a stream, or nodes of a graph.
struct EventState {
  std::uint64_t recorded = 0, done = 0;
  std::chrono::steady_clock::time_point time;
  unsigned long long capture = 0;
  std::set<std::size_t> nodes;
};

struct Node {
  Work work;
  std::set<std::size_t> after;
};

/// Nodes, and objects that live as long as a graph or what was made of it.
struct GraphBody {
  std::vector<Node> nodes;
  std::vector<std::shared_ptr<void>> objects;
};

}  // namespace isopatch::emulator

struct CUstream_st {
  int device = 0;
  bool non_blocking = false, legacy = false;
  std::deque<isopatch::emulator::Item> queue;
  unsigned long long capture = 0;  // its number; 0: none
  cudaGraph_t graph = nullptr;     // of the capture
  std::set<std::size_t> last;      // nodes that the next one of this stream comes after
};
struct CUgraph_st {
  std::shared_ptr<isopatch::emulator::GraphBody> body = std::make_shared<isopatch::emulator::GraphBody>();
};
struct CUgraphExec_st {
  std::shared_ptr<isopatch::emulator::GraphBody> body;
};
struct CUevent_st {
  std::shared_ptr<isopatch::emulator::EventState> state = std::make_shared<isopatch::emulator::EventState>();
};
struct CUuserObject_st {
  std::shared_ptr<void> object;
};

namespace isopatch::emulator {

/// A capture that has begun and not ended.
struct OpenCapture {
  std::thread::id thread;  // that began it
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool is_invalid = false;  // a call was refused because of it: nothing works on its streams before it ends
};

/// What each host thread has of its own.
struct Caller {
  int set_device = 0;
  std::vector<int> pushed;  // devices of contexts that were pushed
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  cudaError_t last = cudaSuccess;
  std::map<std::string, int> calls;            // of the runtime, by function
  std::map<std::string, std::uint32_t> grids;  // the largest of each kernel, in blocks
  std::function<void(const std::string&)> observer;
  int launches_before_failure = -1;  // -1: none fails
  struct {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
  } configuration;

  int& device() { return pushed.empty() ? set_device : pushed.back(); }
};

inline thread_local Caller caller;

/// Returned by work that cannot run yet.
inline constexpr cudaError_t kNotYet = cudaErrorNotReady;

struct Runtime {
  static constexpr int kDevices = 2;

  std::mutex mutex;
  std::deque<ProgramText> texts;
  std::deque<Program> programs;  // what was read of them; the devices hold on to it
  std::vector<Device> devices;
  std::map<const void*, std::string> names;           // of kernels, by host function
  std::set<std::pair<int, std::string>> loaded;       // kernels, by device
  std::map<std::string, int> carveouts;               // percent of shared memory that was asked for, by kernel
  std::map<std::string, std::size_t> dynamic_shared;  // bytes that a launch may add, by kernel
  int most_shared = Device::kSharedPerBlock;          // of a block
  std::string fault;                                  // a kernel's; nothing works after it
  std::set<CUstream_st*> streams;
  std::array<CUstream_st, kDevices> legacy;
  std::array<bool, kDevices> contexts = {};
  std::array<std::size_t, kDevices> memory = {};  // bytes of each device
  std::map<std::uintptr_t, std::unique_ptr<std::byte[]>> pinned;
  std::map<std::uintptr_t, std::size_t> pinned_bytes;
  int driver = CUDART_VERSION;  // the version of CUDA that the driver offers; 0: there is none
  std::uint64_t items = 0;
  unsigned long long captures = 0;  // so far
  std::map<unsigned long long, OpenCapture> open_captures;
  std::minstd_rand random{1};

  Runtime() : devices(kDevices) {
    for (int i = 0; i < kDevices; ++i) {
      CUstream_st& stream = legacy[static_cast<std::size_t>(i)];
      stream.device = i, stream.legacy = true;
      streams.insert(&stream);
    }
    memory.fill(std::size_t(16) << 30);
    if (const char* version = std::getenv("ISOPATCH_EMULATOR_DRIVER")) driver = std::atoi(version);
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
    read([&] {
      const std::string ptx = ptx_of(fat_binary);
      texts.emplace_back(source_of(ptx), ptx);
      // profiles name what each instruction was inlined into, which other kernels of a source may say
      if (std::getenv("ISOPATCH_EMULATOR_PROFILE") != nullptr) add(texts.back().read());
    });
  }
  /// A kernel of a device, which is read when it is needed for the first time.
  const Kernel& kernel(Device& device, const std::string& name) {
    if (!device.has(name)) {
      const auto text = std::find_if(texts.begin(), texts.end(), [&](const ProgramText& t) { return t.has(name); });
      if (text != texts.end()) {
        read([&] { add(engine == nullptr ? text->read(name) : text->read_parameters(name)); });
      }
    }
    return device.kernel(name);
  }
  void read_all() {
    for (const ProgramText& text : texts) {
      for (const std::string& name : text.kernels()) kernel(devices[0], name);
    }
  }
  CUstream_st& stream(cudaStream_t handle) {
    if (handle != nullptr && handle != cudaStreamLegacy) return *handle;
    return legacy[static_cast<std::size_t>(caller.device())];
  }
  Device& device(int index) { return devices[static_cast<std::size_t>(index)]; }
  /// The device of the calling thread, with a context from now on.
  Device& current() {
    contexts[static_cast<std::size_t>(caller.device())] = true;
    return device(caller.device());
  }
  bool is_pinned(const void* at) const {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto after = pinned_bytes.upper_bound(address);
    return after != pinned_bytes.begin() && address - std::prev(after)->first < std::prev(after)->second;
  }

  /// Runs work of random streams, each in its order, until `done`. One of them comes first nearly always.
  template <class Done>
  void run_until(const Done& done) {
    CUstream_st* favourite = nullptr;
    while (fault.empty() && !done()) {
      std::vector<CUstream_st*> able;
      for (CUstream_st* s : streams) {
        if (may_run(*s)) able.push_back(s);
      }
      if (able.empty()) {
        std::fprintf(stderr, "emulator: error: streams wait for one another\n");
        std::abort();
      }
      const bool is_able = std::find(able.begin(), able.end(), favourite) != able.end();
      CUstream_st& next = is_able && random() % 8 != 0 ? *favourite : *able[random() % able.size()];
      if (favourite == nullptr) favourite = &next;
      const Work work = std::move(next.queue.front().work);
      if (work() == kNotYet) {
        next.queue.front().work = work;
      } else {
        next.queue.pop_front();
      }
    }
    if (fault.empty()) return;
    for (CUstream_st* s : streams) s->queue.clear();
  }
  void run_device(int index) {
    run_until([&] {
      return std::all_of(streams.begin(), streams.end(),
                         [&](const CUstream_st* s) { return s->device != index || s->queue.empty(); });
    });
  }
  void run_stream(const CUstream_st& stream) {
    run_until([&] { return stream.queue.empty(); });
  }

 private:
  void add(Program program) {
    programs.push_back(std::move(program));
    for (Device& device : devices) device.load(programs.back());
  }

  /// What is not known in PTX or a fat binary ends the program.
  template <class Read>
  static void read(const Read& reads) {
    try {
      reads();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "emulator: error: %s\n", e.what());
      std::exit(2);
    }
  }

  /// The legacy stream and streams that were not made non-blocking take turns, in the order of the calls.
  bool may_run(const CUstream_st& s) {
    if (s.queue.empty()) return false;
    const std::uint64_t number = s.queue.front().number;
    if (s.non_blocking) return true;
    return std::none_of(streams.begin(), streams.end(), [&](const CUstream_st* other) {
      return other != &s && other->device == s.device && !other->non_blocking && other->legacy != s.legacy &&
             !other->queue.empty() && other->queue.front().number < number;
    });
  }
};

inline Runtime& runtime() {
  static Runtime the;
  return the;
}

/// Work that ends with a fault of the device.
inline cudaError_t fails(const std::string& why) {
  runtime().fault = why;
  return cudaErrorLaunchFailure;
}

/// To be held by every function of the runtime that is called `name`. Now and then it is held up, so that host threads
/// meet in other orders.
inline std::unique_lock<std::mutex> entered(const char* name) {
  if (caller.observer) caller.observer(name);
  std::unique_lock lock(runtime().mutex);
  ++caller.calls[name];
  if (runtime().random() % 16 == 0) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    lock.lock();
  }
  return lock;
}

inline cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) caller.last = error;
  return error;
}

inline cudaError_t in_order() { return runtime().fault.empty() ? cudaSuccess : cudaErrorLaunchFailure; }

/// Whether a capture forbids calls of this thread that may wait for the device: its own in any mode but the relaxed
/// one, and if its mode is the global one, as it is at first, another thread's in that mode too.
inline bool forbids(const OpenCapture& capture) {
  if (caller.mode == cudaStreamCaptureModeRelaxed || capture.mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == std::this_thread::get_id()) return true;
  return caller.mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

/// Whether a call that may wait for the device is forbidden. The captures that forbid it are invalid then.
inline bool is_restricted() {
  bool restricted = false;
  for (auto& [number, capture] : runtime().open_captures) {
    if (!forbids(capture)) continue;
    capture.is_invalid = restricted = true;
  }
  return restricted;
}

/// Whether any of these streams is captured. Their captures are invalid then: the call would have to wait for them.
template <class Concerns>
bool meets_capture(const Concerns& concerns) {
  bool meets = false;
  for (const CUstream_st* stream : runtime().streams) {
    if (stream->capture == 0 || !concerns(*stream)) continue;
    runtime().open_captures[stream->capture].is_invalid = meets = true;
  }
  return meets;
}

/// Whether work on the legacy stream, or waiting for it, would have to wait for a capture.
inline bool legacy_meets_capture(const CUstream_st& stream) {
  return stream.legacy &&
         meets_capture([&](const CUstream_st& other) { return !other.non_blocking && other.device == stream.device; });
}

/// Refuses what a captured stream cannot do.
inline cudaError_t refused_in(const CUstream_st& stream, cudaError_t error) {
  runtime().open_captures[stream.capture].is_invalid = true;
  return result(error);
}

/// Adds work to a stream, or to the graph that it captures.
inline cudaError_t enqueue(cudaStream_t handle, Work work) {
  if (in_order() != cudaSuccess) return result(in_order());
  CUstream_st& stream = runtime().stream(handle);
  if (stream.capture != 0) {
    if (runtime().open_captures[stream.capture].is_invalid) return result(cudaErrorStreamCaptureInvalidated);
    std::vector<Node>& nodes = stream.graph->body->nodes;
    nodes.push_back({std::move(work), stream.last});
    stream.last = {nodes.size() - 1};
    return cudaSuccess;
  }
  if (legacy_meets_capture(stream)) return result(cudaErrorStreamCaptureImplicit);
  stream.queue.push_back({++runtime().items, std::move(work)});
  return cudaSuccess;
}

}  // namespace isopatch::emulator
