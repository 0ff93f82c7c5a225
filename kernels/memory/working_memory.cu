// SPDX-License-Identifier: Apache-2.0
#include "kernels/memory/working_memory.h"

#include <utility>

namespace isopatch::detail {

AllocationInCaptures::AllocationInCaptures() { ISOPATCH_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
AllocationInCaptures::~AllocationInCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }

void keep_with(cudaGraph_t graph, std::shared_ptr<void> object) {
  using Kept = std::shared_ptr<void>;
  cudaUserObject_t kept = nullptr;
  auto owner = std::make_unique<Kept>(std::move(object));
  const cudaHostFn_t release = [](void* data) { delete static_cast<Kept*>(data); };
  ISOPATCH_CUDA_CHECK(cudaUserObjectCreate(&kept, owner.get(), release, 1, cudaUserObjectNoDestructorSync));
  owner.release();
  ISOPATCH_CUDA_CHECK(cudaGraphRetainUserObject(graph, kept, 1, cudaGraphUserObjectMove));
}

Capture capture_of(cudaStream_t stream) {
  if (stream == nullptr) return {};  // the legacy stream cannot be captured
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  Capture capture;
  ISOPATCH_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &capture.id, &capture.graph));
  return status == cudaStreamCaptureStatusActive ? capture : Capture{};
}

}  // namespace isopatch::detail
