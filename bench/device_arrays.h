// SPDX-License-Identifier: Apache-2.0
//
// State and results in device memory, and the time of a captured call.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

#include "isopatch/isopatch.h"
#include "kernels/runtime/cuda_check.h"
#include "kernels/runtime/device_buffer.h"

namespace isopatch::bench {

inline std::size_t used_device_memory() {
  std::size_t available = 0, total = 0;
  ISOPATCH_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  return total - available;
}

/// Poses and velocities in; pair wrench, area and polygon count out.
class DeviceArrays {
 public:
  DeviceArrays(const State& state, const Scene& scene)
      : environments_(state.num_environments),
        poses_(size(7 * scene.num_bodies())),
        velocities_(size(6 * scene.num_bodies())),
        wrenches_(size(6 * scene.num_pairs())),
        area_(size(scene.num_pairs())),
        polygons_(size(scene.num_pairs())) {
    poses_.upload(static_cast<const double*>(state.poses.data), poses_.size());
    velocities_.upload(static_cast<const double*>(state.velocities.data), velocities_.size());
  }

  State state() const {
    State s;
    s.num_environments = environments_;
    s.poses = static_cast<const double*>(poses_.data());
    s.velocities = static_cast<const double*>(velocities_.data());
    return s;
  }
  Results results() const {
    Results r;
    r.pair_wrench = wrenches_.data();
    r.area = area_.data();
    r.polygon_count = polygons_.data();
    return r;
  }
  void fetch(const Results& host) const {
    wrenches_.download(static_cast<double*>(host.pair_wrench.data), wrenches_.size());
    area_.download(static_cast<double*>(host.area.data), area_.size());
    polygons_.download(host.polygon_count.data, polygons_.size());
  }

 private:
  std::size_t size(std::int64_t row) const { return static_cast<std::size_t>(environments_ * row); }

  std::int64_t environments_;
  detail::DeviceBuffer<double> poses_, velocities_, wrenches_, area_;
  detail::DeviceBuffer<std::int32_t> polygons_;
};

/// Captures a call in a CUDA graph and times its replays.
class GraphTimer {
 public:
  explicit GraphTimer(const std::function<void(void*)>& call) {
    ISOPATCH_CUDA_CHECK(cudaStreamCreate(&stream_));
    call(stream_);  // once outside: kernels are loaded, errors are plain
    ISOPATCH_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    call(stream_);
    cudaGraph_t graph = nullptr;
    ISOPATCH_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    ISOPATCH_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    ISOPATCH_CUDA_CHECK(cudaGraphDestroy(graph));
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
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace isopatch::bench
