// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/memory/cuda_check.h"

namespace isopatch::detail {

/// A stream of the current device; by default one that does not wait for the legacy stream. The library itself enqueues
/// nothing on that one, unless it is the caller's stream: it is refused while another thread captures a stream that
/// waits for it, and ends that capture.
class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    ISOPATCH_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event of the current device. What waits for it before it was recorded does not wait.
class Event {
 public:
  Event() { ISOPATCH_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace isopatch::detail
