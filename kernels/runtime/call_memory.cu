// SPDX-License-Identifier: Apache-2.0
#include "kernels/runtime/call_memory.h"

#include "isopatch/error.h"

namespace isopatch::detail {

namespace {

template <class T>
bool fits(const DeviceBuffer<T>& buffer, std::int64_t size) {
  return static_cast<std::size_t>(size) <= buffer.size();
}

/// Makes room; true where the buffer is new.
template <class T>
bool grow(DeviceBuffer<T>& buffer, std::int64_t size) {
  if (fits(buffer, size)) return false;
  buffer = DeviceBuffer<T>(static_cast<std::size_t>(size));
  return true;
}

template <class T>
void zero(const DeviceBuffer<T>& buffer) {
  ISOPATCH_CUDA_CHECK(cudaMemset(buffer.data(), 0, buffer.size() * sizeof(T)));
}

}  // namespace

void CallMemory::reserve(const CallSizes& sizes, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (counters_.size() == 1 && fits(list_, sizes.pairs) && fits(sums_, sizes.shared_sums) &&
      fits(staged_pairs_, sizes.staged_pairs) && fits(staged_sums_, sizes.staged_sums) &&
      fits(part_pairs_, sizes.staged_part_pairs) && fits(cells_, sizes.cells) && fits(kept_, sizes.kept) &&
      (sizes.staged_pairs == 0 || fits(unfinished_, sizes.pairs))) {
    return;
  }
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  ISOPATCH_CUDA_CHECK(cudaStreamIsCapturing(stream, &capture));
  if (capture != cudaStreamCaptureStatusNone) {
    throw Error(
        "evaluate: the working memory for this batch would have to be allocated while the stream is captured; call "
        "Evaluator::reserve() with its number of environments before");
  }
  grow(counters_, 1);
  grow(list_, sizes.pairs);
  if (grow(sums_, sizes.shared_sums)) zero(sums_);
  grow(staged_pairs_, sizes.staged_pairs);
  grow(staged_sums_, sizes.staged_sums);
  if (grow(part_pairs_, sizes.staged_part_pairs)) zero(part_pairs_);  // copied with the gaps between members
  grow(cells_, sizes.cells);
  if (grow(kept_, sizes.kept)) zero(kept_);
  if (sizes.staged_pairs > 0) grow(unfinished_, sizes.pairs);
}

}  // namespace isopatch::detail
