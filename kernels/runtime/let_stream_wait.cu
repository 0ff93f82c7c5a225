// SPDX-License-Identifier: Apache-2.0
#include "host/evaluation/cuda_streams.h"
#include "kernels/memory/stream.h"
#include "kernels/runtime/device_guard.h"

namespace isopatch::detail {

void let_stream_wait(int device, void* stream, void* for_stream) {
  const DeviceGuard guard(device);
  auto* const waiting = static_cast<cudaStream_t>(stream);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  ISOPATCH_CUDA_CHECK(cudaStreamIsCapturing(waiting, &capture));
  if (capture != cudaStreamCaptureStatusNone) return;
  const Event event;
  ISOPATCH_CUDA_CHECK(cudaEventRecord(event, static_cast<cudaStream_t>(for_stream)));
  ISOPATCH_CUDA_CHECK(cudaStreamWaitEvent(waiting, event));
}

}  // namespace isopatch::detail
