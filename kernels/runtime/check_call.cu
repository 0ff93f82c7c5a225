// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/check_call.h"

#include <string>

#include "isopatch/arrays.h"
#include "isopatch/error.h"
#include "kernels/runtime/cuda_check.h"

namespace isopatch::detail {

namespace {

void check_array(const void* data, const std::string& name, int device) {
  if (data == nullptr) return;
  cudaPointerAttributes found = {};
  ISOPATCH_CUDA_CHECK(cudaPointerGetAttributes(&found, data));
  if (found.type == cudaMemoryTypeManaged) return;
  if (found.type != cudaMemoryTypeDevice) {
    throw Error("evaluate: " + name +
                " points to host memory; the cuda backend needs device memory (HostEvaluator takes host memory)");
  }
  if (found.device != device) {
    throw Error("evaluate: " + name + " is on device " + std::to_string(found.device) +
                "; the evaluator is on device " + std::to_string(device));
  }
}

void check_stream(cudaStream_t stream, int device) {
#if CUDART_VERSION >= 12080
  if (stream == nullptr) return;
  int found = 0;
  ISOPATCH_CUDA_CHECK(cudaStreamGetDevice(stream, &found));
  if (found != device) {
    throw Error("evaluate: the stream is on device " + std::to_string(found) + "; the evaluator is on device " +
                std::to_string(device));
  }
#else
  (void)stream, (void)device;  // a launch on a stream of another device fails with CUDA's own error
#endif
}

}  // namespace

void check_call(const State& state, const Results& results, cudaStream_t stream, int device) {
  check_stream(stream, device);
  for_each_input([&](const ArrayInfo& info,
                     const auto& array) { check_array(array.data, std::string("state.") + info.name, device); },
                 state);
  for_each_output([&](const ArrayInfo& info,
                      const auto& array) { check_array(array.data, std::string("results.") + info.name, device); },
                  results);
}

}  // namespace isopatch::detail
