// SPDX-License-Identifier: Apache-2.0
//
// State and results in device memory, and the time of a captured call.
#pragma once

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <list>
#include <vector>

#include "host/evaluation/strides.h"
#include "isopatch/isopatch.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::bench {

inline std::size_t used_device_memory() {
  std::size_t available = 0, total = 0;
  ISOPATCH_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  return total - available;
}

/// A state and results in host memory, and their copies in device memory.
class DeviceArrays {
 public:
  DeviceArrays(const State& state, const Results& results, const Scene& scene)
      : counts_(counts_of(scene, results)), host_(results), state_(state), results_(results) {
    for_each_input([&](const ArrayInfo& info, auto& array) { upload(info, array); }, state_);
    for_each_output([&](const ArrayInfo& info, auto& array) { upload(info, array); }, results_);
  }

  const State& state() const { return state_; }
  const Results& results() const { return results_; }

  /// Copies the results to host memory.
  void fetch() {
    for_each_output(
        [&](const ArrayInfo& info, const auto& device, const auto& host) {
          if (device.data == nullptr) return;
          const std::size_t size = bytes(info, host);
          ISOPATCH_CUDA_CHECK(cudaMemcpy(host.data, device.data, size, cudaMemcpyDeviceToHost));
        },
        results_, host_);
  }

 private:
  template <class Array>
  std::size_t bytes(const ArrayInfo& info, const Array& array) const {
    std::int64_t elements = 0;
    if constexpr (detail::HasRows<Array>) {
      elements = detail::extent_of(array, counts_.row(info), state_.num_environments);
    } else {
      elements = counts_.size(info, state_.num_environments);
    }
    return static_cast<std::size_t>(elements * detail::element_size(array));
  }
  template <class Array>
  void upload(const ArrayInfo& info, Array& array) {
    if (array.data == nullptr) return;
    auto& buffer = buffers_.emplace_back(bytes(info, array));
    buffer.upload(static_cast<const std::byte*>(static_cast<const void*>(array.data)), buffer.size(), nullptr);
    array.data = static_cast<decltype(array.data)>(static_cast<void*>(buffer.data()));
  }

  ArrayCounts counts_;
  Results host_;
  State state_;
  Results results_;
  std::list<detail::DeviceBuffer<std::byte>> buffers_;
};

/// Copies of host arrays in device memory.
class DeviceCopies {
 public:
  template <class T>
  T* add(std::vector<T>& host) {
    if (host.empty()) return nullptr;
    const std::size_t bytes = host.size() * sizeof(T);
    auto& buffer = buffers_.emplace_back(bytes);
    buffer.upload(static_cast<const std::byte*>(static_cast<const void*>(host.data())), bytes, nullptr);
    copies_.push_back({host.data(), buffer.data(), bytes});
    return static_cast<T*>(static_cast<void*>(buffer.data()));
  }
  RolloutState add(RolloutStateArrays& host) {
    RolloutState state;
    state.num_environments = host.num_environments;
    for_each_rollout_state([&](const ArrayInfo&, auto& from, auto*& to) { to = add(from); }, host, state);
    return state;
  }
  RolloutOutput add(RolloutOutputArrays& host) {
    RolloutOutput output;
    for_each_rollout_output([&](const ArrayInfo&, auto& from, auto& to) { to = {add(from)}; }, host, output);
    return output;
  }

  /// Back to where they came from.
  void fetch() const {
    for (const Copy& c : copies_) ISOPATCH_CUDA_CHECK(cudaMemcpy(c.host, c.device, c.bytes, cudaMemcpyDeviceToHost));
  }

 private:
  struct Copy {
    void* host;
    const void* device;
    std::size_t bytes;
  };
  std::list<detail::DeviceBuffer<std::byte>> buffers_;
  std::vector<Copy> copies_;
};

/// The host's time of some work, s.
inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Where the environment has ISOPATCH_BENCH_PROFILE, makes a call that a profiler with --profile-from-start off sees,
/// and no other: not those of a constructor, and not the first one, which finds caches empty.
inline void show_to_profiler(const std::function<void(void*)>& call, cudaStream_t stream) {
  if (std::getenv("ISOPATCH_BENCH_PROFILE") == nullptr) return;
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  ISOPATCH_CUDA_CHECK(cudaProfilerStart());
  call(stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  ISOPATCH_CUDA_CHECK(cudaProfilerStop());
}

/// Captures a call in a CUDA graph and times its replays.
class GraphTimer {
 public:
  explicit GraphTimer(const std::function<void(void*)>& call) {
    ISOPATCH_CUDA_CHECK(cudaStreamCreate(&stream_));
    call(stream_);  // once outside: kernels are loaded, errors are plain
    show_to_profiler(call, stream_);
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream_));
    capture_seconds_ = seconds_of([&] { capture(call); });
    ISOPATCH_CUDA_CHECK(cudaEventCreate(&begin_));
    ISOPATCH_CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~GraphTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaGraphExecDestroy(graph_);
    cudaStreamDestroy(stream_);
  }
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;

  /// Of the host: the capture, and what makes the graph ready.
  double capture_seconds() const { return capture_seconds_; }

  /// Of one replay, on the device.
  double seconds() {
    ISOPATCH_CUDA_CHECK(cudaEventRecord(begin_, stream_));
    ISOPATCH_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
    ISOPATCH_CUDA_CHECK(cudaEventRecord(end_, stream_));
    ISOPATCH_CUDA_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    ISOPATCH_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  void capture(const std::function<void(void*)>& call) {
    ISOPATCH_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    call(stream_);
    cudaGraph_t graph = nullptr;
    ISOPATCH_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    ISOPATCH_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    ISOPATCH_CUDA_CHECK(cudaGraphDestroy(graph));
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  double capture_seconds_ = 0;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace isopatch::bench
