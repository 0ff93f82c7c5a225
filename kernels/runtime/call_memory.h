// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "kernels/evaluation_call.h"
#include "kernels/runtime/device_buffer.h"

namespace isopatch::detail {

/// Working memory of the calls: the list of near pairs, counters, and sums of pairs that several warps share. Grows to
/// the largest batch seen.
class CallMemory {
 public:
  /// Room for batches of `items` pairs in all. Throws Error where that would allocate while `stream` is being captured.
  void reserve(std::int64_t items, std::int64_t num_sums, cudaStream_t stream);

  std::int64_t* list() const { return list_.data(); }
  CallCounters* counters() const { return counters_.data(); }
  SharedSums* sums() const { return sums_.data(); }

 private:
  std::mutex mutex_;
  DeviceBuffer<std::int64_t> list_;
  DeviceBuffer<CallCounters> counters_;
  DeviceBuffer<SharedSums> sums_;
};

}  // namespace isopatch::detail
