// SPDX-License-Identifier: Apache-2.0
//
// Streams, graphs and arrays in device memory.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "isopatch/isopatch.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/memory/stream.h"
#include "tests/support/hash.h"

namespace isopatch::test {

using detail::Stream;

/// A test of calls on a device.
struct DeviceCalls : ::testing::Test {
  const Scene scene{boxes_on_ground()};

  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }
};

/// Work on a stream as a graph.
class Graph {
 public:
  Graph(cudaStream_t stream, const std::function<void()>& work) : stream_(stream) {
    ISOPATCH_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      cudaGraphDestroy(graph);
      throw;
    }
    ISOPATCH_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    ISOPATCH_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    ISOPATCH_CUDA_CHECK(cudaGraphDestroy(graph));
  }
  ~Graph() { cudaGraphExecDestroy(graph_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(cudaStream_t stream) const { ISOPATCH_CUDA_CHECK(cudaGraphLaunch(graph_, stream)); }
  void replay() const {
    launch(stream_);
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

/// Poses in, pair wrenches out, in device memory.
struct DeviceBatch {
  std::int64_t environments;
  detail::DeviceBuffer<double> poses, wrenches;

  DeviceBatch(const Scene& scene, const Batch& batch)
      : environments(batch.num_environments),
        poses(batch.poses, nullptr),
        wrenches(static_cast<std::size_t>(batch.num_environments * scene.num_pairs() * 6)) {}

  State state() const {
    State s;
    s.num_environments = environments;
    s.poses = static_cast<const double*>(poses.data());
    return s;
  }
  Results results() const {
    Results r;
    r.pair_wrench = wrenches.data();
    return r;
  }
  std::vector<double> fetch() const {
    std::vector<double> host(wrenches.size());
    wrenches.download(host.data(), host.size(), nullptr);
    return host;
  }
};

inline std::vector<double> on_cpu(const Scene& scene, const Batch& batch, Precision precision = Precision::kFloat) {
  std::vector<double> wrenches(static_cast<std::size_t>(batch.num_environments * scene.num_pairs() * 6));
  State state;
  state.num_environments = batch.num_environments;
  state.poses = batch.poses.data();
  Results results;
  results.pair_wrench = wrenches.data();
  Evaluator(scene, {.precision = precision}).evaluate(state, results);
  return wrenches;
}

}  // namespace isopatch::test
