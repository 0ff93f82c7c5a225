// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/check_call.h"

#include "isopatch/arrays.h"
#include "isopatch/error.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

namespace {

void query_array(const void* data, const std::string& name, int device) {
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

}  // namespace

void CallCheck::check_array(const void* data, const std::string& object, const char* name) const {
  if (data == nullptr) return;
  const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(data) * 0x9E3779B97F4A7C15u >> (64 - kSlotBits);
  std::atomic<const void*>& seen = seen_[hash];
  if (seen.load(std::memory_order_relaxed) == data) return;
  query_array(data, object + name, device_);
  seen.store(data, std::memory_order_relaxed);
}

void CallCheck::check(cudaStream_t stream) const {
#if CUDART_VERSION >= 12080
  if (stream == nullptr) return;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  ISOPATCH_CUDA_CHECK(cudaStreamIsCapturing(stream, &capture));
  if (capture != cudaStreamCaptureStatusNone) return;  // its device may not be asked for then: that ends the capture
  int found = 0;
  ISOPATCH_CUDA_CHECK(cudaStreamGetDevice(stream, &found));
  if (found != device_) {
    throw Error("evaluate: the stream is on device " + std::to_string(found) + "; the evaluator is on device " +
                std::to_string(device_));
  }
#else
  (void)stream;  // a launch on a stream of another device fails with CUDA's own error
#endif
}

void CallCheck::check(const State& state, const Results& results, cudaStream_t stream) const {
  check(stream);
  for_each_input([&](const ArrayInfo& info, const auto& array) { check_array(array.data, "state.", info.name); },
                 state);
  for_each_output([&](const ArrayInfo& info, const auto& array) { check_array(array.data, "results.", info.name); },
                  results);
}

}  // namespace isopatch::detail
