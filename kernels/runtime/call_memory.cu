// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/call_memory.h"

#include "isopatch/error.h"

namespace isopatch::detail {

void CallMemory::reserve(std::int64_t items, std::int64_t num_sums, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  const auto list = static_cast<std::size_t>(items), sums = static_cast<std::size_t>(num_sums);
  if (counters_.size() == 1 && list <= list_.size() && sums <= sums_.size()) return;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  ISOPATCH_CUDA_CHECK(cudaStreamIsCapturing(stream, &capture));
  if (capture != cudaStreamCaptureStatusNone) {
    throw Error(
        "evaluate: the working memory for this batch would have to be allocated while the stream is captured; call "
        "Evaluator::reserve() with its number of environments before");
  }
  if (counters_.size() == 0) counters_ = DeviceBuffer<CallCounters>(1);
  if (list > list_.size()) list_ = DeviceBuffer<std::int64_t>(list);
  if (sums > sums_.size()) {
    sums_ = DeviceBuffer<SharedSums>(sums);
    ISOPATCH_CUDA_CHECK(cudaMemset(sums_.data(), 0, sums * sizeof(SharedSums)));
  }
}

}  // namespace isopatch::detail
