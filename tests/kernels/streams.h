// SPDX-License-Identifier: Apache-2.0
//
// Owners of a stream and of a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "kernels/runtime/cuda_check.h"

namespace isopatch::test {

class Stream {
 public:
  Stream() { ISOPATCH_CUDA_CHECK(cudaStreamCreate(&stream_)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
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

  void replay() const {
    ISOPATCH_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace isopatch::test
